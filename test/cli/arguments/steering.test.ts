/** The command line's requests, by a real process: to a real gateway, and as a file if there is none. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { isTimeZone } from "@mimikit/protocol/triggers/condition";
import { readToken } from "@mimikit/runtime/home/home";
import { isSigned } from "@mimikit/store/disk/sign";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { markWords } from "../../../apps/cli/src/arguments/text-argument.ts";
import { Instance } from "../../support/instance.ts";
import { type CliPlace, runCli } from "../run-cli.ts";

/** A state directory in which nothing runs. */
function stopped(): CliPlace {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const workDir = join(dir, "work");
  mkdirSync(workDir);
  return { home: join(dir, "home"), workDir };
}

/** A gateway alone: nobody takes up what is handed over, so it can be looked at. */
let served: Instance;
beforeAll(async () => {
  served = await Instance.start({ roles: ["gateway"] });
  await served.until("the gateway answers", () => served.api("/api/status"));
});
afterAll(() => served.dispose());

function inboxOf({ home }: CliPlace): InboxCommand[] {
  const names = readdirSync(join(home, "inbox")).filter((name) => !name.startsWith("."));
  return names.map((name) => InboxCommand.parse(JSON.parse(readFileSync(join(home, "inbox", name), "utf8"))));
}

const REQUESTS: [string[], object][] = [
  [["steer", "only", "the German", "ones"], { kind: "steer", text: "only the German ones" }],
  [["send", "/steer", "only", "ten"], { kind: "steer", text: "only ten" }],
  [["send", "--next", "then", "tidy up"], { kind: "message", text: "then tidy up", mode: "next" }],
  [["send", "/next then tidy up"], { kind: "message", text: "then tidy up", mode: "next" }],
  [["send", "//stop"], { kind: "message", text: "/stop" }],
  [["send", "help"], { kind: "message", text: "help" }],
  [["send", "one", "-", "two", "--", "--next", "-x", "help"], { kind: "message", text: "one - two --next -x help" }],
  [["clear", "--yes"], { kind: "clear" }],
];

describe.each(["with a gateway", "with everything down"])("%s", (how) => {
  const isUp = how === "with a gateway";

  test.each(REQUESTS)("mimikit %j is durable when it says so", async (words, command) => {
    const at = isUp ? served : stopped();
    const before = isUp ? inboxOf(at).length : 0;
    const { code, out } = await runCli(at, [...words.slice(0, 1), "--json", ...words.slice(1)]);
    expect(code).toBe(0);
    const { id, taken } = JSON.parse(out) as { id: string; taken: boolean };
    expect(taken).toBe(isUp);
    const records = inboxOf(at);
    const record = records.find((each) => each.id === id);
    expect(records).toHaveLength(before + 1);
    expect(record).toMatchObject({ ...command, id });
    // By either way "at five" means five here.
    if (record?.kind === "message")
      expect(record.client?.timeZone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
    if (record?.kind === "clear") expect(isSigned(readToken(at.home), record)).toBe(true);
  });
});

test("a pipe is data: what looks like a command in it is sent as it is", async () => {
  const at = stopped();
  expect((await runCli(at, ["send", "-"], "/clear\n")).code).toBe(0);
  expect((await runCli(at, ["steer", "-"], "/stop\n")).code).toBe(0);
  expect(inboxOf(at).map((command) => "text" in command && [command.kind, command.text])).toEqual([
    ["message", "/clear"],
    ["steer", "/stop"],
  ]);
});

test("a stop is about this moment: it is handed to the gateway, and where nothing runs there is nothing to end", async () => {
  for (const words of [["stop"], ["send", "/stop"]]) {
    const { code, out } = await runCli(served, words);
    expect([code, out.trim()]).toEqual([0, expect.stringMatching(/^stop-[0-9a-f]{32}$/)]);
  }
  expect(inboxOf(served).filter((command) => command.kind === "stop")).toHaveLength(2);
  const at = stopped();
  const { code, error } = await runCli(at, ["stop"]);
  expect(code).toBe(3);
  expect(error).toContain("nothing to stop");
});

test("a task that is not there is said in one line", async () => {
  const { code, error } = await runCli(served, ["steer", "--task", "t-000009.0", "hey"]);
  expect([code, error]).toEqual([1, "mimikit: there is no task with this id\n"]);
});

test.each([
  { words: ["send", "/halt"], why: "there is no command /halt" },
  { words: ["send", "/steer"], why: "/steer <text>" },
  { words: ["send", "/clear", "the", "table"], why: "/clear takes no text" },
  { words: ["steer"], why: "mimikit steer <text>" },
  { words: ["clear"], why: "mimikit clear --yes" },
  { words: ["stop", "t-000001.0"], why: "t-000001.0 is one argument too many; usage:  mimikit stop" },
])("mimikit $words sends nothing and says why", async ({ words, why }) => {
  const at = stopped();
  const { code, error } = await runCli(at, words);
  expect(code).toBe(2);
  expect(error).toContain(why);
  expect(() => inboxOf(at)).toThrow("ENOENT");
});

test("the help of each command has examples, and /help lists the commands of the chat", async () => {
  const at = stopped();
  for (const name of ["steer", "stop", "clear", "send", "chat"]) {
    const { code, out } = await runCli(at, [name, "--help"]);
    expect(code).toBe(0);
    expect(out).toContain(`mimikit ${name}`);
    expect(out).toContain("Examples:");
  }
  const { out } = await runCli(at, ["send", "/help"]);
  for (const name of ["/steer", "/next", "/stop", "/clear", "/help", "//"]) expect(out).toContain(name);
});

test("only words that the parser of options would take for its own are marked", () => {
  expect(markWords(["send", "--next", "a", "b"])).toEqual(["send", "--next", "a", "b"]);
  expect(markWords(["send", "-", "help"])).toEqual(["send", "\0-", "\0help"]);
  expect(markWords(["send", "--json", "--", "--next", "a"])).toEqual(["send", "--json", "\0--next", "\0a"]);
});

test.each([":/etc/localtime", "UTC0", "/etc/localtime", "nonsense"])(
  "with TZ=%s, a message has a clock with a zone that everybody knows",
  async (TZ) => {
    const at = stopped();
    expect(await runCli(at, ["send", "remind me at five"], "", { TZ })).toMatchObject({ code: 0, error: "" });
    const [record] = inboxOf(at);
    expect(isTimeZone(record?.kind === "message" ? (record.client?.timeZone ?? "") : "")).toBe(true);
  },
);
