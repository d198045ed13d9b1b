/** Says in a few lines who runs, who answers, how much waits, and what the owner should look at. */
import { momentText } from "@mimikit/core/trigger-words";
import type { BudgetState, Status } from "@mimikit/protocol/api";
import { connect } from "../client.ts";
import { command } from "../command.ts";
import { printJson, printLine, printTable, styled } from "../print.ts";
import { shortId } from "../state.ts";
import { terminalZone } from "../trigger-options.ts";

const USD_DIGITS = 4;

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
  {
    version,
    ready,
    startedAt,
    workDir,
    providers,
    answered,
    passedOver,
    processes,
    counts,
    next,
    usage,
    tools,
    problems,
  }: Status,
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
      answererOf(name, answered[role as keyof typeof answered]),
      String(counts.running[role as keyof typeof counts.running]),
      String(counts.queued[role as keyof typeof counts.queued]),
    ]),
    "",
  );
  printLine();
  printLine(
    `inbox ${counts.inbox} · open questions ${counts.questions} · triggers ${counts.triggers} · set aside ${counts.quarantine}`,
  );
  const { inputTokens, outputTokens, costUsd } = usage.today;
  printLine(`today ${inputTokens} tokens in, ${outputTokens} out, ${costUsd.toFixed(USD_DIGITS)} USD`);
  if (next !== null)
    printLine(`next trigger ${shortId(next.triggerId)} at ${momentText(Date.parse(next.at), terminalZone())}`);
  if (counts.questions > 0) printLine(`${styled("yellow", "?")} it asks you something: mimikit questions`);
  showBudget("today", usage.budget.day);
  showBudget("this month", usage.budget.month);
  showTools(tools);
  if (passedOver.length > 0) printLine(styled("dim", `auto passed over: ${passedOver.join("; ")}`));
  for (const problem of problems) printLine(`${styled("yellow", "!")} ${problem}`);
}

/** What may be spent, and how much of it is; nothing where there is no limit. */
function showBudget(period: string, budget: BudgetState | null): void {
  if (budget === null) return;
  const { limit, spent, reserved, isReached, resumesAt } = budget;
  const parts = [
    limit.tokens === undefined ? [] : [`${spent.tokens + reserved.tokens} of ${limit.tokens} tokens`],
    limit.costUsd === undefined
      ? []
      : [`${(spent.costUsd + reserved.costUsd).toFixed(USD_DIGITS)} of ${limit.costUsd.toFixed(USD_DIGITS)} USD`],
  ].flat();
  const state = isReached ? styled("red", `, used up until ${momentText(Date.parse(resumesAt), terminalZone())}`) : "";
  printLine(`budget ${period}: ${parts.join(", ")}${state}`);
}

function showTools(tools: Status["tools"]): void {
  const rows = Object.entries(tools).map(([tool, { calls, failed, meanMs }]) => [
    tool,
    String(calls),
    percentOf(calls - failed, calls),
    `${meanMs} ms`,
  ]);
  if (rows.length === 0) return;
  printLine();
  printTable(["tool", "calls today", "succeeded", "mean"], rows, "");
  printLine();
}

/** Who answers, and who did so last where that was a stand-in. */
function answererOf(name: string, last: string | undefined): string {
  return last === undefined || last === name ? name : `${name} (last: ${last})`;
}

function percentOf(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}
