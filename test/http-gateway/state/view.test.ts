/** The view is taken while records move: whatever moves between any two steps of a look, nothing is missing or twice. */
import { cancelMark } from "@mimikit/protocol/base/id";
import { Role } from "@mimikit/protocol/base/role";
import { Signal } from "@mimikit/protocol/base/signal";
import { Archived } from "@mimikit/protocol/records/archive";
import { type ImproveStep, stepId } from "@mimikit/protocol/records/improvement";
import { Event, InboxCommand, Message } from "@mimikit/protocol/records/inbox";
import { Question } from "@mimikit/protocol/records/question";
import { type Result, type ResultType, reportOf } from "@mimikit/protocol/records/result";
import { readToken } from "@mimikit/runtime/home/home";
import { createSigned } from "@mimikit/store/disk/create-command";
import { openDisk } from "@mimikit/store/disk/disk";
import { droppedId } from "@mimikit/store/disk/dropped-file";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { sign } from "@mimikit/store/disk/sign";
import {
  ARCHIVE,
  archivePath,
  INBOX,
  inboxPath,
  questionPath,
  SIGNALS,
  signalPath,
  triggerPath,
} from "@mimikit/store/disk/state";
import { WATCHED } from "@mimikit/store/disk/watch";
import { overheard, PendingChanges } from "@mimikit/store/state-cache/pending-changes";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { type StateView, View } from "../../../apps/http-gateway/src/state/view.ts";
import { temporaryHome } from "../gateway.ts";
import {
  archive,
  ask,
  claim,
  finish,
  NOON,
  queue,
  recurringOf,
  resultOf,
  settleTurn,
  stand,
  taskOf,
  wait,
} from "../records.ts";

/** queue/, running/ and results/ of each role. */
const DIRECTORIES_OF_TASKS = 3 * Role.options.length;

/** Every test here looks some dozen times, each time at a state directory of its own. */
const TEST_MS_MAX = 60_000;

/** The disk, where something else can happen just before the k-th call. */
class SteppedDisk {
  calls = 0;
  readonly fs: FileSystem;
  /** The paths of these calls. */
  readonly paths: string[] = [];
  /** Called before each call, with its path. */
  onCall = async (_path: string): Promise<void> => undefined;

  constructor(disk: FileSystem) {
    this.fs = new Proxy(disk, { get: (target, name) => this.stepped(target, Reflect.get(target, name)) });
  }

  interrupt(k: number, happen: () => Promise<void>): void {
    this.calls = 0;
    this.paths.length = 0;
    this.onCall = async () => (this.calls - 1 === k ? happen() : undefined);
  }

  private stepped(disk: FileSystem, method: unknown): unknown {
    if (typeof method !== "function") return method;
    return async (...args: unknown[]): Promise<unknown> => {
      const path = String(args[0]);
      this.paths.push(path);
      this.calls++;
      await this.onCall(path);
      return Reflect.apply(method, disk, args);
    };
  }
}

function temporaryView(): { disk: FileSystem; stepped: SteppedDisk; view: View; token: string } {
  const home = temporaryHome();
  const disk = openDisk(home, "test");
  const stepped = new SteppedDisk(disk);
  const onBadArchive = (path: string) => expect.fail(`${path} was read as damaged`);
  const token = readToken(home);
  const cache = new StateCache(stepped.fs, { token, durable: false, onBadArchive });
  return { disk, stepped, view: new View(stepped.fs, cache), token };
}

type Move = (disk: FileSystem, token: string) => Promise<unknown>;

/**
 * Looks, then looks again while `move` happens before one call of that look, then looks once more; for every call
 * that a look makes. Returns how many there are.
 */
async function lookWhile(
  prepare: Move,
  move: Move,
  check: (looks: StateView[], where: string) => void,
): Promise<number> {
  for (let k = 0; ; k++) {
    const { disk, stepped, view, token } = temporaryView();
    await prepare(disk, token);
    const before = await view.refresh();
    stepped.interrupt(k, async () => void (await move(disk, token)));
    const during = await view.refresh();
    if (stepped.calls <= k) return k;
    check([before, during, await view.refresh()], `before call ${k}`);
  }
}

async function sendMessage(disk: FileSystem, id: string): Promise<void> {
  await createRecord(disk, Message, inboxPath(id), { kind: "message", id, at: NOON, text: id });
}

test("a message whose turn settles in the middle of a look is there before, during and after, once", {
  timeout: TEST_MS_MAX,
}, async () => {
  const points = await lookWhile(
    (disk) => sendMessage(disk, "m-1"),
    (disk) => settleTurn(disk, 1, ["m-1"], "answer"),
    (looks, where) => {
      for (const { messages } of looks) {
        expect(
          messages.filter((message) => message.id === "m-1"),
          where,
        ).toHaveLength(1);
      }
      expect(
        looks.at(-1)?.messages.map((message) => message.text),
        where,
      ).toEqual(["m-1", "answer"]);
    },
  );
  expect(points).toBeGreaterThan(10);
});

test("a dropped file stands once in the conversation, also while it and the message made of it are both there", async () => {
  const { disk, view } = temporaryView();
  await disk.write(inboxPath("note"), JSON.stringify({ kind: "message", text: "a note" }));
  const [dropped] = (await view.refresh(true)).messages;
  await sendMessage(disk, dropped?.id ?? "");
  const { messages, inbox } = await view.refresh(true);
  expect(messages.map(({ id }) => id)).toEqual([dropped?.id]);
  expect(inbox).toBe(1);
});

test("a dropped file that becomes a message in the look after one that failed at the archive is there all the time", async () => {
  const { disk, stepped, view } = temporaryView();
  await disk.write(inboxPath("note"), JSON.stringify({ kind: "message", text: "a note" }));
  const [dropped] = (await view.refresh()).messages;
  await settleTurn(disk, 1, [], "answer");
  stepped.onCall = async (path) => {
    if (path === archivePath("t-000001")) throw new Error("too many open files");
  };
  await expect(view.refresh()).rejects.toThrow("too many open files");
  let isInboxListed = false;
  stepped.onCall = async (path) => {
    if (path === inboxPath("note") && isInboxListed) {
      await sendMessage(disk, dropped?.id ?? "");
      await disk.unlink(path);
    }
    isInboxListed = path === INBOX;
  };
  const { messages } = await view.refresh(true);
  expect(await disk.exists(inboxPath("note"))).toBe(false);
  expect(messages.map(({ id }) => id)).toContain(dropped?.id);
});

const STEER = { id: "s-1", at: NOON, text: "rather tea" };

async function becomesMessage(disk: FileSystem): Promise<void> {
  const { id, at, text } = STEER;
  await createRecord(disk, Message, inboxPath(`m-${id}`), { kind: "message", id: `m-${id}`, at, text });
  await disk.unlink(signalPath(id));
}

test("a steer that no run has taken, and that becomes a message in the middle of a look, is there before, during and after", {
  timeout: TEST_MS_MAX,
}, async () => {
  const signal = { ...STEER, taskId: "t-000001" };
  const points = await lookWhile(
    (disk) => createRecord(disk, Signal, signalPath(STEER.id), signal),
    becomesMessage,
    (looks, where) => {
      for (const { messages } of looks)
        expect(
          messages.map(({ text }) => text),
          where,
        ).toEqual([STEER.text]);
    },
  );
  expect(points).toBeGreaterThan(10);
});

const MOVES_DURING_THE_FIRST_LOOK: { what: string; prepare: Move; move: Move }[] = [
  {
    what: "a dropped file that becomes a message",
    prepare: (disk) => disk.write(inboxPath("note"), JSON.stringify({ kind: "message", text: STEER.text })),
    move: async (disk) => {
      const file = await disk.info(inboxPath("note"));
      if (file === null) return;
      const id = droppedId("note", file);
      await createRecord(disk, Message, inboxPath(id), { kind: "message", id, at: NOON, text: STEER.text });
      await disk.unlink(inboxPath("note"));
    },
  },
  {
    what: "a steer that no run has taken, and that becomes a message",
    prepare: (disk) => createRecord(disk, Signal, signalPath(STEER.id), { ...STEER, taskId: "t-000001" }),
    move: becomesMessage,
  },
];

test.each(MOVES_DURING_THE_FIRST_LOOK)(
  "$what in the middle of the very first look is in it, once",
  {
    timeout: TEST_MS_MAX,
  },
  async ({ prepare, move }) => {
    for (let k = 0, isReached = true; isReached; k++) {
      const { disk, stepped, view, token } = temporaryView();
      await prepare(disk, token);
      stepped.interrupt(k, async () => void (await move(disk, token)));
      const { messages } = await view.refresh();
      isReached = stepped.calls > k;
      expect(
        messages.map(({ text }) => text),
        `before call ${k}`,
      ).toEqual([STEER.text]);
    }
  },
);

test("a steer of whose moves only one is heard, and that becomes a message in the middle of the next look, is there all the time", async () => {
  const { disk, stepped, view } = temporaryView();
  const { id, at, text } = STEER;
  await createRecord(disk, InboxCommand, inboxPath(id), { kind: "steer", id, at, text });
  const textsOf = ({ messages }: StateView) => messages.map((message) => message.text);
  expect(textsOf(await view.refresh())).toEqual([text]);
  const outcome = {
    kind: "wish" as const,
    id,
    at,
    wish: { kind: "steer" as const, id, at, text },
    outcome: "passed on",
  };
  await createRecord(disk, Archived, archivePath(id), { ...outcome, taskId: "t-000001" });
  await createRecord(disk, Signal, signalPath(id), { ...STEER, taskId: "t-000001" });
  await disk.unlink(inboxPath(id));
  let looks = 0;
  stepped.onCall = async (path) => {
    if (path === INBOX) looks++;
    if (path !== SIGNALS || looks !== 1) return;
    looks++;
    await createRecord(disk, Message, inboxPath(`m-${id}`), { kind: "message", id: `m-${id}`, at, text });
    await disk.unlink(signalPath(id));
  };
  const heard = new PendingChanges();
  heard.note(INBOX, `${id}.json`);
  expect(textsOf(await view.refreshHeard(heard.take()))).toEqual([text]);
});

test("two steers become messages, each in the middle of one of two looks in a row, and both are there all the time", async () => {
  const steers = [STEER, { ...STEER, id: "s-2", text: "rather cake" }];
  const { disk, stepped, view } = temporaryView();
  for (const steer of steers) await createRecord(disk, Signal, signalPath(steer.id), { ...steer, taskId: "t-000001" });
  const textsOf = ({ messages }: StateView) => messages.map(({ text }) => text).sort();
  const texts = textsOf(await view.refresh());
  expect(texts).toEqual(["rather cake", "rather tea"]);
  let isInboxRead = false;
  stepped.onCall = async (path) => {
    const moves = isInboxRead && path === SIGNALS;
    isInboxRead = path === INBOX || (isInboxRead && !moves);
    const steer = moves ? steers.pop() : undefined;
    if (steer === undefined) return;
    const { id, at, text } = steer;
    await createRecord(disk, Message, inboxPath(`m-${id}`), { kind: "message", id: `m-${id}`, at, text });
    await disk.unlink(signalPath(id));
  };
  expect(textsOf(await view.refresh())).toEqual(texts);
  expect(steers).toEqual([]);
});

test("a plan that was told something ends, and its words stay in the conversation until a turn reports what came of it", async () => {
  const { disk, view } = temporaryView();
  const textsNow = async () => (await view.refresh(true)).messages.map(({ text }) => text);
  const plan = await queue(disk, taskOf("t-000001.0", { role: "planner", kind: "plan" }));
  const result = await finish(disk, plan, { steers: [STEER] });
  expect(await textsNow()).toEqual([STEER.text]);
  const child = await queue(disk, taskOf("t-000001.0.0", { steers: [STEER] }));
  await archive(disk, result);
  expect(await textsNow()).toEqual([STEER.text]);
  await finish(disk, child);
  expect(await textsNow()).toEqual([STEER.text]);
});

test("all that a turn has taken up stays in the conversation until the turn is applied, though it has left its place", async () => {
  const { disk, view } = temporaryView();
  const told = { kind: "event" as const, at: NOON };
  const question = { questionId: "t-000001.1", question: "which one?" };
  const reported = taskOf("t-000001.0.0", { steers: [STEER] });
  const turn = await queue(
    disk,
    taskOf("t-000002", {
      role: "teller",
      kind: "turn",
      turn: {
        messages: [{ kind: "message", id: "m-1", at: NOON, text: "a message" }],
        events: [
          {
            ...told,
            id: "t-000001.1.answered",
            name: "question_answered",
            text: "",
            data: { ...question, answer: "an answer", wishId: "a-1" },
          },
          { ...told, id: "t-000001.2.expired", name: "question_expired", text: "it was not answered", data: question },
          {
            ...told,
            id: "t-000001.3.report",
            name: "task_result",
            text: "",
            data: { steers: [{ ...STEER, id: "s-2", text: "to a plan" }] },
          },
        ],
        results: [reportOf(resultOf(reported))],
      },
    }),
  );
  await claim(disk, turn);
  const texts = (await view.refresh(true)).messages.map(({ text }) => text);
  expect(texts.sort()).toEqual(["a message", "an answer", "it was not answered", STEER.text, "to a plan"].sort());
});

const DELEGATES = { type: "delegate" as const, prompt: "do it" };

test("a plan that came and went after the look at the turn that started it is on the board", async () => {
  const { disk, view } = temporaryView();
  await view.refresh();
  await sendMessage(disk, "m-1");
  await settleTurn(disk, 1, ["m-1"], "I am on it", [DELEGATES]);
  expect((await view.refresh()).tasks).toEqual([]);
  const plan = taskOf("t-000001.0", { role: "planner", kind: "plan" });
  await archive(disk, await finish(disk, await queue(disk, plan)));
  const { tasks } = await view.refresh();
  expect(tasks.map(({ id, state }) => `${id} ${state}`)).toEqual(["t-000001.0 done"]);
});

const FOUND = { found: true as const, kind: "lint" as const, title: "a gap", prompt: "close it", why: "it is open" };

test("the steps of an improvement that came and went between two looks are on the board", async () => {
  const { disk, view } = temporaryView();
  const end = async (step: ImproveStep, resultType: ResultType, result: Result["result"]) => {
    const role = step === "review" ? "reviewer" : "worker";
    const task = taskOf(stepId(1, step), { role, improve: { number: 1, step, found: FOUND } });
    await archive(disk, await finish(disk, await queue(disk, task), { resultType, result }));
  };
  await view.refresh();
  await end("look", "finding", FOUND);
  const idsNow = async () => (await view.refresh()).tasks.map(({ id }) => id).sort();
  expect(await idsNow()).toEqual(["imp-000001"]);
  await end("work", "change", { base: "main", commit: "abc", files: [], diff: "", checks: [], said: "done" });
  await end("review", "review", { pass: false, reasons: ["it breaks a test"] });
  expect(await idsNow()).toEqual(["imp-000001", "imp-000001.review", "imp-000001.work"]);
});

test("a result that was handed in late, beside the archived one, is not shown", async () => {
  const { disk, view } = temporaryView();
  await view.refresh();
  const task = await queue(disk, taskOf("t-000001.0"));
  await archive(disk, await finish(disk, task));
  await finish(disk, task, { status: "failed", result: null, error: "late", failureReason: "timeout" });
  expect((await view.refresh()).tasks.map(({ id, state }) => `${id} ${state}`)).toEqual(["t-000001.0 done"]);
  expect(await view.taskDetail("t-000001.0")).toMatchObject({ state: "done" });
});

test("a task whose turn was cancelled before it came is not looked for again and again", async () => {
  const { disk, stepped, view } = temporaryView();
  await view.refresh();
  await sendMessage(disk, "m-1");
  await settleTurn(disk, 1, ["m-1"], "I am on it", [DELEGATES]);
  const mark = { kind: "mark" as const, id: cancelMark("t-000001"), at: NOON, taskId: "t-000001" };
  await createRecord(disk, Archived, archivePath(mark.id), mark);
  await view.refresh();
  stepped.interrupt(Number.POSITIVE_INFINITY, async () => undefined);
  await view.refresh();
  expect(stepped.paths.filter((path) => path.includes("t-000001"))).toEqual([]);
});

test("turns that settle in the middle of a look keep their order", { timeout: TEST_MS_MAX }, async () => {
  await lookWhile(
    async (disk) => {
      for (const id of ["m-1", "m-2", "m-3"]) await sendMessage(disk, id);
      await settleTurn(disk, 1, ["m-2"], "answer 1");
    },
    async (disk) => {
      await settleTurn(disk, 2, ["m-1"], "answer 2");
      await settleTurn(disk, 3, ["m-3"], "answer 3");
    },
    (looks, where) => {
      const whole = ["m-2", "answer 1", "m-1", "answer 2", "m-3", "answer 3"];
      for (const { messages } of looks) {
        const settled = messages.filter((message) => message.pending === undefined).map((message) => message.text);
        expect(settled, where).toEqual(whole.slice(0, settled.length));
        expect(
          messages.filter((message) => message.role === "user"),
          where,
        ).toHaveLength(3);
      }
    },
  );
});

const MOVES: { name: string; prepare: Move; move: Move; last: string }[] = [
  {
    name: "fires",
    prepare: (disk) => wait(disk, taskOf("t-000001.0.1"), "t-000001.0.0"),
    move: async (disk) => {
      await queue(disk, taskOf("t-000001.0.1"));
      await disk.unlink("triggers/t-000001.0.1.v1.json");
    },
    last: "queued",
  },
  {
    name: "is claimed, ends and is archived",
    prepare: (disk) => queue(disk, taskOf("t-000001.0.1")),
    move: async (disk) => {
      await claim(disk, taskOf("t-000001.0.1"));
      await archive(disk, await finish(disk, taskOf("t-000001.0.1")));
      await disk.unlink("worker/running/t-000001.0.1.a1.json");
    },
    last: "done",
  },
  {
    name: "fires, ends and is archived",
    prepare: (disk) => wait(disk, taskOf("t-000001.0.1"), "t-000001.0.0"),
    move: async (disk) => {
      const task = await queue(disk, taskOf("t-000001.0.1"));
      await disk.unlink("triggers/t-000001.0.1.v1.json");
      await archive(disk, await finish(disk, task));
    },
    last: "done",
  },
  {
    name: "is settled",
    prepare: (disk) => finish(disk, taskOf("t-000001.0.1")),
    move: async (disk) => archive(disk, await finish(disk, taskOf("t-000001.0.1"))),
    last: "done",
  },
];

test.each(MOVES)(
  "a task that $name in the middle of a look is there before, during and after, once",
  async ({ prepare, move, last }) => {
    await lookWhile(prepare, move, (looks, where) => {
      for (const { tasks } of looks)
        expect(
          tasks.map((task) => task.id),
          where,
        ).toEqual(["t-000001.0.1"]);
      expect(looks.at(-1)?.tasks[0]?.state, where).toBe(last);
    });
  },
);

test("an answer whose question closes in the middle of a look is one line all the time, and the question is never open again", {
  timeout: TEST_MS_MAX,
}, async () => {
  const asked = { at: NOON, questionId: "t-000001.0", answer: "blue" };
  const points = await lookWhile(
    async (disk, token) => {
      await ask(disk, "t-000001.0");
      await createSigned(disk, token, { kind: "answer", id: "a-1", ...asked });
    },
    async (disk, token) => {
      const question = await readRecord(disk, Question, questionPath("t-000001.0"));
      if (question === null) throw new Error("the question is gone");
      const closed: Archived = {
        kind: "question",
        id: question.id,
        at: NOON,
        question,
        outcome: "answered",
        answer: "blue",
      };
      await createRecord(disk, Archived, archivePath(question.id), closed);
      const data = { questionId: question.id, question: question.question, answer: "blue", wishId: "a-1" };
      const unsealedEvent: Event = {
        kind: "event",
        id: "t-000001.0.answered",
        at: NOON,
        name: "question_answered",
        text: "",
        data,
      };
      await createRecord(disk, Event, inboxPath(unsealedEvent.id), {
        ...unsealedEvent,
        mac: sign(token, unsealedEvent),
      });
      await disk.unlink(inboxPath("a-1"));
      await disk.unlink(questionPath(question.id));
    },
    (looks, where) => {
      for (const { questions, messages } of looks) {
        expect(questions, where).toEqual([]);
        expect(messages, where).toMatchObject([{ id: "a-1", text: "blue", quote: "t-000001.0" }]);
      }
    },
  );
  expect(points).toBeGreaterThan(10);
});

test("an answer that waits, and whose question was closed by another one, is there for a gateway that begins then", async () => {
  const { disk, view, token } = temporaryView();
  const question = await ask(disk, "t-000001.0");
  const at = NOON;
  await createRecord(disk, Archived, archivePath(question.id), {
    kind: "question",
    id: question.id,
    at,
    question,
    outcome: "answered",
    answer: "blue",
  });
  await disk.unlink(questionPath(question.id));
  await createSigned(disk, token, { kind: "answer", id: "a-2", at, questionId: question.id, answer: "rather red" });
  const { questions, messages } = await view.refresh();
  expect(questions).toEqual([]);
  expect(messages).toMatchObject([{ id: "a-2", text: "rather red", quote: question.id }]);
});

test("a question that is closed is not open, though its record is still there", async () => {
  const { disk, view } = temporaryView();
  const question = await ask(disk, "t-000001.0");
  expect((await view.refresh()).questions.map(({ id }) => id)).toEqual([question.id]);
  const closed = {
    kind: "question" as const,
    id: question.id,
    at: NOON,
    question,
    outcome: "expired" as const,
    answer: null,
  };
  await createRecord(disk, Archived, archivePath(question.id), closed);
  await sendMessage(disk, "m-1");
  expect((await view.refresh()).questions).toEqual([]);
});

test("a trigger whose next version is made in the middle of a look stands all the time, once", {
  timeout: TEST_MS_MAX,
}, async () => {
  const points = await lookWhile(
    (disk) => stand(disk, recurringOf("trg-1")),
    async (disk) => {
      await stand(disk, recurringOf("trg-1", { version: 2, title: "new" }));
      await disk.unlink(triggerPath("trg-1", 1));
    },
    (looks, where) => {
      for (const { triggers } of looks) expect(triggers, where).toMatchObject([{ id: "trg-1" }]);
      expect(looks.at(-1)?.triggers, where).toMatchObject([{ title: "new" }]);
    },
  );
  expect(points).toBeGreaterThan(10);
});

test("a look only where a notification told of a change loses nothing that has moved from there, and the next has it all", async () => {
  const heardAs = WATCHED.gateway.flatMap((dir) => [
    { dir, isNamed: false },
    { dir, isNamed: true },
  ]);
  for (const { dir, isNamed } of heardAs) {
    const { disk: plain, view } = temporaryView();
    const told = new PendingChanges();
    const disk = overheard(plain, (where, name) => told.note(where, name));
    await sendMessage(disk, "m-1");
    await sendMessage(disk, "m-2");
    const [fired, done] = [taskOf("t-000001.0"), taskOf("t-000001.1")];
    await wait(disk, fired, done.id);
    await queue(disk, done);
    await view.refresh();
    told.take();

    await settleTurn(disk, 1, ["m-1"], "answer 1");
    await archive(disk, await finish(disk, done));
    await queue(disk, fired);
    await disk.unlink(triggerPath(fired.id, 1));
    await sendMessage(disk, "m-3");
    const changes = told.take();
    const heard = await view.refreshHeard(new Map([[dir, isNamed ? (changes.get(dir) ?? new Set()) : null]]));
    expect(heard.messages.map(({ text }) => text).slice(0, 3), dir).toEqual(["m-1", "answer 1", "m-2"]);
    expect(heard.tasks.map(({ id }) => id).sort(), dir).toEqual([fired.id, done.id]);

    const { messages, tasks } = await view.refresh();
    expect(messages.map(({ text }) => text)).toEqual(["m-1", "answer 1", "m-2", "m-3"]);
    expect(tasks).toMatchObject([
      { id: done.id, state: "done" },
      { id: fired.id, state: "queued" },
    ]);
  }
});

test("a look where a notification told of a change asks nothing about another directory, unless a record has left it", async () => {
  const { disk, stepped, view } = temporaryView();
  await sendMessage(disk, "m-1");
  await view.refresh();
  const callsOf = async (heard: string[]) => {
    stepped.calls = 0;
    await view.refreshHeard(new Map(heard.map((dir) => [dir, null])));
    return stepped.calls;
  };
  // Only whether the next turn is applied.
  const none = await callsOf([ARCHIVE]);
  await sendMessage(disk, "m-2");
  // When it was changed, its names, and the record.
  expect(await callsOf([INBOX])).toBe(none + 3);
  await disk.unlink(inboxPath("m-1"));
  expect(await callsOf([INBOX])).toBeGreaterThan(none + DIRECTORIES_OF_TASKS);
});

test("a task that is settled in the middle of the very first look is in it, and in the next", {
  timeout: TEST_MS_MAX,
}, async () => {
  for (let k = 0; ; k++) {
    const { disk, stepped, view } = temporaryView();
    const result = await finish(disk, await queue(disk, taskOf("trg-1--run-1")));
    stepped.interrupt(k, async () => {
      // The turn that reports it is applied right behind it.
      const turn = { messages: [], events: [], results: [reportOf(result)] };
      const reporting = await finish(disk, taskOf("t-000001", { role: "teller", consumer: "supervisor", turn }));
      await archive(disk, result);
      await archive(disk, reporting);
    });
    const looks = [await view.refresh(), await view.refresh()];
    if (stepped.calls <= k) return;
    for (const { tasks } of looks)
      expect(
        tasks.map(({ id }) => id),
        `before call ${k}`,
      ).toEqual(["trg-1--run-1"]);
  }
});

test("a plan that ends, and whose task comes, in the middle of the very first look is on the board", {
  timeout: TEST_MS_MAX,
}, async () => {
  for (let k = 0, isReached = true; isReached; k++) {
    const { disk, stepped, view } = temporaryView();
    const plan = await queue(disk, taskOf("t-000001.0", { role: "planner", kind: "plan", consumer: "supervisor" }));
    stepped.interrupt(k, async () => {
      const result = await finish(disk, plan);
      await queue(disk, taskOf("t-000001.0.0"));
      await archive(disk, result);
    });
    const { tasks } = await view.refresh();
    isReached = stepped.calls > k;
    expect(
      tasks.map(({ id }) => id),
      `before call ${k}`,
    ).toContain(plan.id);
  }
});

test("a look that fails at any call loses nothing: the next one shows it all", { timeout: TEST_MS_MAX }, async () => {
  const broken = () => Promise.reject(Object.assign(new Error("too many open files"), { code: "EMFILE" }));
  for (let k = 0, failed = true; failed; k++) {
    const { disk, stepped, view } = temporaryView();
    await sendMessage(disk, "m-1");
    await queue(disk, taskOf("t-000001.0"));
    await view.refresh();
    await settleTurn(disk, 1, ["m-1"], "answer 1");
    await archive(disk, await finish(disk, taskOf("t-000001.0")));
    const plan = await queue(disk, taskOf("t-000002.0", { role: "planner", consumer: "supervisor" }));
    await archive(disk, await finish(disk, plan));
    await settleTurn(disk, 2, [], "answer 2", [{ type: "delegate", prompt: "plan it" }]);
    stepped.interrupt(k, broken);
    failed = await view.refresh().then(
      () => false,
      (error: unknown) => (error as { code?: string }).code === "EMFILE",
    );
    expect(failed).toBe(stepped.calls > k);
    stepped.interrupt(Number.POSITIVE_INFINITY, broken);
    const { messages, tasks } = await view.refresh();
    expect(
      messages.map((message) => message.text),
      `call ${k}`,
    ).toEqual(["m-1", "answer 1", "answer 2"]);
    expect(
      tasks.map((task) => `${task.id} ${task.state}`),
      `call ${k}`,
    ).toEqual(["t-000002.0 done", "t-000001.0 done"]);
  }
});
