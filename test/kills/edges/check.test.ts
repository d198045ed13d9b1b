/** The checker of the edges finds what it looks for: a run in which all is well is damaged in one place at a time. */
import { expect, test } from "vitest";
import { ASKING, CALLING, COMMANDING, type Observed, problemsOf } from "./check.ts";

const FILE = "f".repeat(64);
const at = (atMs: number) => ({ outcome: "sent", atMs });
/** Beside the usual, a repetition is marked. */
const AGAIN = "(This may be a repetition.)（这条可能是重复的）\n";

/** Talk by Telegram, a file and a call of MCP on the page, a command that is allowed and one that is not by /v1, a delivery. */
function whole(): Mutable<Observed> {
  const work = (id: string, title: string, text: string) => ({ id, title, text });
  const works = [
    work("t-000002.0.0", "file-page-2", "file-page-2 ended: done file of file-page-2"),
    work("t-000002.1.0", "mcp-page-3", "mcp-page-3 ended: done"),
    work("t-000003.0.0", "allow-v1-4", "allow-v1-4 ended: done"),
    work("t-000004.0.0", "refuse-v1-5", "refuse-v1-5 ended: refused"),
    { ...work("trg-1--run-1", "of others", "mcp-hook-6 ended: done"), triggerId: "trg-1" },
  ];
  const asked = [
    { id: "t-000003.0.0.a1.approve", taskId: "t-000003.0.0", answer: "yes, once" },
    { id: "t-000004.0.0.a1.approve", taskId: "t-000004.0.0", answer: "no" },
  ];
  const deliveries = [
    ...works.flatMap(({ id: of }) => [
      { id: `d-call-${of}`, hook: CALLING, event: "task_done", of, ended: at(20) },
      { id: `d-command-${of}`, hook: COMMANDING, event: "task_done", of, ended: { outcome: "ran", atMs: 20 } },
    ]),
    ...asked.map(({ id: of }) => ({ id: `d-ask-${of}`, hook: ASKING, event: "question_asked", of, ended: at(20) })),
  ];
  const calls = deliveries.filter(({ hook }) => hook !== COMMANDING);
  const said = (id: string, text: string, files: string[] = []) => ({ id, text: `please ${text}`, files });
  const report = "Reported: file-page-2 mcp-page-3 allow-v1-4 refuse-v1-5 mcp-hook-6";
  return {
    given: [
      { mark: "talk-telegram-1", edge: "telegram", ids: [] },
      { mark: "file-page-2", edge: "page", ids: ["m-2"], file: FILE },
      { mark: "mcp-page-3", edge: "page", ids: ["m-3"] },
      { mark: "allow-v1-4", edge: "v1", ids: [], reply: "Heard: allow-v1-4" },
      { mark: "refuse-v1-5", edge: "v1", ids: [], reply: "Heard: refuse-v1-5" },
      { mark: "mcp-hook-6", edge: "hook", ids: ["run-6", "run-6"] },
    ],
    turns: [
      {
        id: "t-000001",
        messages: [{ ...said("m-1", "talk-telegram-1"), via: "telegram" }],
        reply: "Heard: talk-telegram-1",
      },
      {
        id: "t-000002",
        messages: [said("m-2", "file-page-2", [FILE]), said("m-3", "mcp-page-3")],
        reply: "Heard: file-page-2 mcp-page-3",
      },
      { id: "t-000003", messages: [said("m-4", "allow-v1-4")], reply: "Heard: allow-v1-4" },
      { id: "t-000004", messages: [said("m-5", "refuse-v1-5")], reply: "Heard: refuse-v1-5" },
      { id: "t-000005", messages: [], reply: report },
    ],
    works,
    triggerId: "trg-1",
    asked,
    answers: new Map([
      ["t-000003.0.0.a1.approve", "yes, once"],
      ["t-000004.0.0.a1.approve", "no"],
    ]),
    allowed: ["allow-v1-4"],
    called: ["say mcp-page-3", "say mcp-hook-6"],
    deliveries,
    received: calls.map(({ id }) => ({ id, body: id, atMs: 10, answer: "taken" })),
    commands: works.map(({ id }) => id),
    sends: [
      { id: "s-1", of: "t-000001.reply", begun: 1, ended: at(20) },
      { id: "s-2", of: "t-000005.reply", begun: 2, ended: at(20) },
    ],
    telegram: [
      { text: "Heard: talk-telegram-1", atMs: 10 },
      { text: report, atMs: 10 },
      { text: `${AGAIN}${report}`, atMs: 15 },
    ],
    unconfirmed: 0,
    audit: [],
    files: new Map([[FILE, FILE]]),
    left: [],
  };
}

/** The parts that a test may change. */
type Mutable<T> =
  T extends ReadonlyMap<infer K, infer V>
    ? Map<K, V>
    : T extends readonly (infer E)[]
      ? Mutable<E>[]
      : T extends object
        ? { -readonly [key in keyof T]: Mutable<T[key]> }
        : T;

test("a run in which each promise was kept has nothing to complain about", () => {
  expect(problemsOf(whole())).toEqual([]);
});

/** The one for which this holds. */
function one<T>(all: readonly T[], is: (each: T) => boolean): T {
  const found = all.find(is);
  if (found === undefined) throw new Error("there is none");
  return found;
}

function without<T>(all: T[], is: (each: T) => boolean): void {
  all.splice(all.indexOf(one(all, is)), 1);
}

function twice<T>(all: T[], is: (each: T) => boolean): void {
  all.push(structuredClone(one(all, is)));
}

const set = <T extends object>(target: T, change: Partial<T>) => Object.assign(target, change);
const turn = (seen: Mutable<Observed>, id: string) => one(seen.turns, (each) => each.id === id);
const delivery = (seen: Mutable<Observed>, id: string) => one(seen.deliveries, (each) => each.id === id);

test.each<[string, (seen: Mutable<Observed>) => void, RegExp]>([
  [
    "a message of the page that is lost",
    (seen) => turn(seen, "t-000002").messages.shift(),
    /file-page-2 was said 0 times/,
  ],
  [
    "a message of the page that is there twice",
    (seen) => twice(turn(seen, "t-000002").messages, ({ id }) => id === "m-3"),
    /mcp-page-3 was said 2 times/,
  ],
  [
    "a message that is kept under another id than was acknowledged",
    (seen) =>
      void Object.assign(
        one(turn(seen, "t-000002").messages, ({ id }) => id === "m-3"),
        { id: "m-9" },
      ),
    /mcp-page-3 was acknowledged as m-3, which is in no turn/,
  ],
  [
    "a message without a reply",
    (seen) => set(turn(seen, "t-000001"), { reply: null }),
    /talk-telegram-1 has no reply yet/,
  ],
  [
    "a message with two replies",
    (seen) => twice(seen.turns, ({ id }) => id === "t-000003"),
    /allow-v1-4 has 2 replies/,
  ],
  [
    "an update of Telegram that is there twice",
    (seen) => twice(turn(seen, "t-000001").messages, () => true),
    /talk-telegram-1 was said 2 times/,
  ],
  ["an update that is never confirmed", (seen) => set(seen, { unconfirmed: 1 }), /Telegram keeps 1 updates/],
  ["a file that is lost", (seen) => seen.files.clear(), /the file of file-page-2 is lost/],
  ["a file that is damaged", (seen) => seen.files.set(FILE, "0".repeat(64)), /the file of file-page-2 is damaged/],
  [
    "a message that came without its file",
    (seen) => turn(seen, "t-000002").messages[0]?.files.pop(),
    /file-page-2 was sent with the file f+, and has none/,
  ],
  [
    "a client of /v1 that was answered for another message",
    (seen) =>
      set(
        one(seen.given, ({ mark }) => mark === "allow-v1-4"),
        { reply: "Heard: refuse-v1-5" },
      ),
    /a client was answered/,
  ],
  [
    "a job that became no task",
    (seen) => without(seen.works, ({ title }) => title === "mcp-page-3"),
    /mcp-page-3 has not ended yet/,
  ],
  [
    "a job that became two tasks",
    (seen) => twice(seen.works, ({ title }) => title === "mcp-page-3"),
    /mcp-page-3 became 2 tasks/,
  ],
  [
    "a report that is made twice",
    (seen) => set(turn(seen, "t-000003"), { reply: "Heard: allow-v1-4\nReported: mcp-page-3" }),
    /mcp-page-3 was reported 2 times/,
  ],
  [
    "a report that is not made",
    (seen) => set(turn(seen, "t-000005"), { reply: "Reported: file-page-2" }),
    /mcp-page-3 is not reported yet/,
  ],
  [
    "an accepted delivery that did not run",
    (seen) => without(seen.works, ({ triggerId }) => triggerId !== undefined),
    /mcp-hook-6 has not run yet/,
  ],
  [
    "an accepted delivery that ran twice",
    (seen) => twice(seen.works, ({ triggerId }) => triggerId !== undefined),
    /1 deliveries were accepted, and 2 tasks ran/,
  ],
  [
    "a delivery that has another id when it comes again",
    (seen) => one(seen.given, ({ edge }) => edge === "hook").ids.splice(1, 1, "run-7"),
    /mcp-hook-6 was acknowledged under 2 ids/,
  ],
  [
    "an event that a hook is not told of",
    (seen) => without(seen.deliveries, ({ hook }) => hook === CALLING),
    /was not told of/,
  ],
  [
    "an event that a hook is told of under two ids",
    (seen) => seen.deliveries.push({ ...delivery(seen, "d-call-t-000002.1.0"), id: "d-9" }),
    /is told as d-call-t-000002.1.0 and as d-9/,
  ],
  [
    "a delivery that has not ended",
    (seen) => set(delivery(seen, "d-call-t-000002.1.0"), { ended: null }),
    /d-call-t-000002.1.0 of calling has not ended yet/,
  ],
  [
    "a call that counts as sent and was never taken",
    (seen) => without(seen.received, ({ id }) => id === "d-call-t-000002.1.0"),
    /counts as sent, and was never taken/,
  ],
  [
    "a call that comes again with another body",
    (seen) => seen.received.push({ id: "d-call-t-000002.1.0", body: "another", atMs: 11, answer: "taken" }),
    /d-call-t-000002.1.0 came with different bodies/,
  ],
  [
    "a call that comes late, after its end",
    (seen) => seen.received.push({ id: "d-call-t-000002.1.0", body: "d-call-t-000002.1.0", atMs: 30, answer: "taken" }),
    /was made again after its end/,
  ],
  [
    "a call that is no delivery",
    (seen) => seen.received.push({ id: "d-9", body: "", atMs: 1, answer: "taken" }),
    /the call d-9 is no delivery/,
  ],
  [
    "a delivery with two ends in the audit log",
    (seen) =>
      seen.audit.push(
        ...["hook_ran", "hook_interrupted"].map((event) => ({ event, delivery: "d-command-t-000002.1.0" })),
      ),
    /the audit log has 2 ends of d-command/,
  ],
  ["a command of a hook that is started twice", (seen) => seen.commands.push("t-000002.1.0"), /was started 2 times/],
  ["a command of a hook that ended well and never ran", (seen) => seen.commands.shift(), /ended well, and never ran/],
  [
    "a call of MCP that is made twice",
    (seen) => seen.called.push("say mcp-page-3"),
    /had the call of mcp-page-3 2 times/,
  ],
  ["a call of MCP that is done and was not made", (seen) => seen.called.shift(), /the MCP server had no call/],
  [
    "a command that runs twice for one yes",
    (seen) => seen.allowed.push("allow-v1-4"),
    /allow-v1-4 was made 2 times for 1 yeses/,
  ],
  [
    "a command that runs after a no",
    (seen) => seen.allowed.push("refuse-v1-5"),
    /refuse-v1-5 was made 1 times for 0 yeses/,
  ],
  [
    "a command that was allowed, is done and never ran",
    (seen) => seen.allowed.pop(),
    /allow-v1-4 is done, and was never made/,
  ],
  [
    "an answer that was acknowledged and does not count",
    (seen) => seen.answers.set("t-000003.0.0.a1.approve", "no"),
    /was answered "no", and counts as "yes, once"/,
  ],
  ["a job that nobody gave", (seen) => seen.called.push("say mcp-page-99"), /nobody was acknowledged mcp-page-99/],
  ["a reply that Telegram is not sent", (seen) => seen.sends.shift(), /Telegram was not sent t-000001 yet/],
  [
    "a reply whose send is late",
    (seen) =>
      set(
        one(seen.sends, ({ id }) => id === "s-1"),
        { ended: null },
      ),
    /Telegram was not sent t-000001 yet/,
  ],
  [
    "a reply that counts as sent and never came",
    (seen) => seen.telegram.shift(),
    /counts as sent, and Telegram has not had it/,
  ],
  [
    "a reply that came more often than it was tried",
    (seen) => seen.telegram.push({ text: `${AGAIN}Heard: talk-telegram-1`, atMs: 12 }),
    /2 times after 1 tries/,
  ],
  [
    "a reply that comes twice without its mark",
    (seen) =>
      set(
        one(seen.telegram, ({ text }) => text.startsWith(AGAIN)),
        { text: turn(seen, "t-000005").reply ?? "" },
      ),
    /twice without a mark/,
  ],
  [
    "a reply that comes after its end",
    (seen) =>
      set(
        one(seen.telegram, ({ text }) => text.startsWith(AGAIN)),
        { atMs: 30 },
      ),
    /after its end/,
  ],
  ["a process that is left behind", (seen) => seen.left.push("workers (7)"), /workers \(7\) is left behind/],
])("%s is found", (_, damage, words) => {
  const seen = whole();
  damage(seen);
  expect(problemsOf(seen)).toContainEqual(expect.stringMatching(words));
});
