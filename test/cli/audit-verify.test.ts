/** `mimikit audit verify` says what the files show, and what they cannot. */
import { appendFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openAuditChain } from "@mimikit/runtime/audit/audit-chain";
import { readToken } from "@mimikit/runtime/home/home";
import { expect, test } from "vitest";
import { temporaryHome } from "../runtime/temporary-home.ts";
import { runCli } from "./run-cli.ts";

const AT = "2026-11-20T10:00:00.000Z";

function prepare() {
  const home = temporaryHome();
  const chain = openAuditChain({
    home,
    token: readToken(home),
    actor: "workers",
    note: () => undefined,
    onProblem: () => undefined,
  });
  for (const event of ["one", "two"])
    chain.append(({ seq, previousHash }) =>
      JSON.stringify({ timestamp: AT, seq, actor: "workers", event, previousHash }),
    );
  return { home, workDir: home, file: join(home, "log.workers.jsonl") };
}

test("a chain is told whole from its first line to its last and no further, and one without a line is told as that", async () => {
  const place = prepare();
  const { code, out } = await runCli(place, ["audit", "verify"]);
  expect(code).toBe(0);
  expect(out).toContain(`✓ workers: whole from line 1 (${AT}) to line 2 (${AT})`);
  expect(out).toContain("! gateway: there is no line to verify");
  expect(out).toContain("no other process has witnessed the last 1 of them yet");
  expect(out).toContain("No file can show whether someone with the token rewrote all of them");
});

test("a file that was removed is a break", async () => {
  const place = prepare();
  rmSync(place.file);
  const { code, out } = await runCli(place, ["audit", "verify"]);
  expect(code).toBe(1);
  expect(out).not.toContain("✓");
  expect(out).toContain("✗ log.workers.jsonl has no line");
});

test("a line that was put in is a break, and that chain is not told whole", async () => {
  const place = prepare();
  appendFileSync(place.file, '{"event":"forged"}\n');
  const { code, out, error } = await runCli(place, ["audit", "verify", "--actor", "workers"]);
  expect(code).toBe(1);
  expect(out).toContain("✗ log.workers.jsonl:3 is no line of the audit log: it was put in or damaged");
  expect(out).not.toContain("✓");
  expect(error).toBe("mimikit: the audit log is broken in 1 place\n");
});
