/** Says in a few lines who runs, who answers, how much waits, and what the owner should look at. */
import type { Status } from "@mimikit/protocol/api";
import { connect } from "../client.ts";
import { command } from "../command.ts";
import { printJson, printLine, printTable, styled } from "../print.ts";

export const status = command({
  usage: "status",
  summary: "who runs, who answers, how much waits",
  examples: [["mimikit status --json", "the same as GET /api/status"]],
  async run({ json }) {
    const client = connect();
    const answer = await client.status();
    if (json) printJson({ url: client.url, ...answer });
    else show(client.url, answer);
  },
});

function show(
  url: string,
  { version, ready, startedAt, workDir, providers, processes, counts, problems }: Status,
): void {
  printLine(
    `${styled("bold", "Mimikit")} ${version}  ${ready ? styled("green", "ready") : styled("red", "not ready")}  ${url}`,
  );
  printLine(`workspace ${workDir}, since ${new Date(startedAt).toLocaleString()}`);
  printLine();
  printTable(
    ["process", "pid", "state"],
    Object.entries(processes).map(([role, { pid, alive }]) => [role, String(pid ?? "–"), alive ? "alive" : "DOWN"]),
    "",
  );
  printLine();
  printTable(
    ["role", "answered by", "running", "queued"],
    Object.entries(providers).map(([role, name]) => [
      role,
      name,
      String(counts.running[role as keyof typeof counts.running]),
      String(counts.queued[role as keyof typeof counts.queued]),
    ]),
    "",
  );
  printLine();
  printLine(
    `inbox ${counts.inbox} · open questions ${counts.questions} · triggers ${counts.triggers} · set aside ${counts.quarantine}`,
  );
  for (const problem of problems) printLine(`${styled("yellow", "!")} ${problem}`);
}
