import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { AuditLine } from "@mimikit/protocol/records/audit";
import { createLog } from "@mimikit/runtime/audit/log";
import { readToken } from "@mimikit/runtime/home/home";
import { expect, test } from "vitest";
import { startProcess } from "../start-process.ts";
import { temporaryHome } from "../temporary-home.ts";

const FILE = "log.workers.jsonl";

async function logged(home: string, lines: string[], env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  const writer = startProcess("write-log", [home], { env });
  writer.process.stdin?.end(lines.map((line) => `${line}\n`).join(""));
  expect(await writer.ended).toBe(0);
  return writer.lines;
}

/** The lines of the audit file that are lines, each checked against the one before. */
function chain(home: string): AuditLine[] {
  let previousHash = "";
  const lines: AuditLine[] = [];
  for (const text of readFileSync(join(home, FILE), "utf8").split("\n")) {
    const parsed = AuditLine.safeParse(safeJson(text));
    if (!parsed.success) continue;
    expect(parsed.data).toMatchObject({ seq: lines.length + 1, previousHash });
    previousHash = createHash("sha256").update(text).digest("hex");
    lines.push(parsed.data);
  }
  return lines;
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

test("an audit event is one line in the role's private file, and the same line on stdout", async () => {
  const home = temporaryHome();
  const shown = await logged(home, ["audit task_claimed"]);
  expect(readFileSync(join(home, FILE), "utf8")).toBe(`${shown[0]}\n`);
  expect(statSync(join(home, FILE)).mode & 0o777).toBe(0o600);
  expect(chain(home)).toMatchObject([{ event: "task_claimed", actor: "workers", seq: 1, previousHash: "" }]);
});

test("numbers and chain go on after a restart", async () => {
  const home = temporaryHome();
  await logged(home, ["audit one", "audit two"]);
  await logged(home, ["audit three"]);
  expect(chain(home).map((line) => line.event)).toEqual(["one", "two", "three"]);
});

test("a line that a crash tore off swallows no later line, and the chain goes on from the last whole one", async () => {
  const home = temporaryHome();
  await logged(home, ["audit one", "audit two"]);
  appendFileSync(join(home, FILE), '{"timestamp":"2026-11-22T00:00:00.000Z","seq":3,"event":"to');
  await logged(home, ["audit three", "audit four"]);
  expect(chain(home).map((line) => line.event)).toEqual(["one", "two", "three", "four"]);
  expect(readFileSync(join(home, FILE), "utf8").split("\n")).toHaveLength(6);
});

test("a whole line that lost only its newline is a part of the chain", async () => {
  const home = temporaryHome();
  await logged(home, ["audit one"]);
  const text = readFileSync(join(home, FILE), "utf8").trimEnd();
  unlinkSync(join(home, FILE));
  appendFileSync(join(home, FILE), text, { mode: 0o600 });
  await logged(home, ["audit two"]);
  expect(chain(home).map((line) => line.event)).toEqual(["one", "two"]);
});

test("five thousand lines reach a pipe before the process exits", async () => {
  const shown = await logged(
    temporaryHome(),
    Array.from({ length: 5_000 }, (_, n) => `info line ${n}`),
  );
  expect(shown).toHaveLength(5_000);
  expect(safeJson(shown.at(-1) ?? "")).toMatchObject({ message: "line 4999" });
});

test("neither the token nor the secrets of the environment appear anywhere", async () => {
  const home = temporaryHome();
  const secrets = {
    OPENAI_API_KEY: 'sk-"quoted"-canary',
    GITHUB_TOKEN: "ghp_canary_0123456789",
    MY_PASSWORD: "hunter22canary",
  };
  const words = [readToken(home), ...Object.values(secrets), "Authorization: Bearer abcdefgh-canary"].join(" ");
  const shown = await logged(home, [`audit said ${words}`, `info said ${words}`], secrets);
  const everything = shown.join("\n") + readFileSync(join(home, FILE), "utf8");
  expect(everything).not.toMatch(/canary/);
  expect(everything).not.toContain(readToken(home));
  expect(shown.map(safeJson)).toEqual([
    expect.objectContaining({ actor: "workers" }),
    expect.objectContaining({ level: "info" }),
  ]);
});

test("a key that is saved while it runs is in no line from then on, nor is one of before", async () => {
  const home = temporaryHome();
  const lines = [
    "hide first-canary",
    "audit said first-canary",
    "hide second-canary",
    "info first-canary second-canary",
  ];
  const shown = await logged(home, lines);
  expect(shown.map(safeJson)).toEqual([
    expect.objectContaining({ event: "said [redacted]" }),
    expect.objectContaining({ message: "[redacted] [redacted]" }),
  ]);
  expect(shown.join("\n") + readFileSync(join(home, FILE), "utf8")).not.toMatch(/canary/);
});

test("no text can forge a line, a field or a terminal command", async () => {
  const home = temporaryHome();
  const [audit, info] = await logged(home, ["audit a\u001b[2Jb\u009b\u202ec\u2069d", "info a\u001b[2Jb\u0085c"]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
  for (const line of [audit, info]) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
  expect(safeJson(audit ?? "")).toMatchObject({ event: "a\u001b[2Jb\u009b\u202ec\u2069d" });
  expect(safeJson(info ?? "")).toMatchObject({
    level: "info",
    message: "a\u001b[2Jb\u0085c",
    meta: { level: "error" },
  });
});

test("a full disk loses lines, and breaks neither the process nor the chain", async () => {
  const home = temporaryHome();
  // The shell's limit on the size of a file makes the kernel cut a write short, as a full disk does.
  const script = new URL("../processes/write-log.ts", import.meta.url).pathname;
  const { spawnSync } = await import("node:child_process");
  const events = Array.from({ length: 20 }, (_, n) => `audit event-${n}`).join("\n");
  const limited = spawnSync(
    "bash",
    ["-c", 'ulimit -f 1; trap "" XFSZ; exec "$0" "$@"', process.execPath, script, home],
    {
      input: `${events}\n`,
      encoding: "utf8",
    },
  );
  expect(limited.status).toBe(0);
  expect(limited.stdout).toMatch(/an audit line could not be written/);
  const kept = chain(home).length;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThan(20);
  await logged(home, ["audit later"]);
  expect(chain(home).at(-1)).toMatchObject({ event: "later", seq: kept + 1 });
});

test("a directory in the place of the audit file is refused", () => {
  const home = temporaryHome();
  mkdirSync(join(home, FILE));
  expect(() => createLog(home, "workers", "info")).toThrow();
});
