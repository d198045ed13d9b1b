/**
 * Promises of every provider, whatever happens to it: a user's turn ends in exactly one reply, within its time, and
 * nothing that was not meant is done. A provider with a model is shown every way in which an endpoint goes wrong.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Provider } from "@mimikit/agent/provider";
import type { RunOutcome } from "@mimikit/agent/run/run-task";
import type { Context } from "@mimikit/agent/tools/context";
import type { Cause } from "@mimikit/protocol/base/cause";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import type { Role } from "@mimikit/protocol/base/role";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { SESSIONS } from "@mimikit/store/disk/state";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { messageOf, NOW, type Ran, replyOf, run, taskOf, temporaryDirectory, turnOf } from "../agent/fixtures.ts";
import type { ScriptedModel } from "../support/aimock.ts";
import { freePort } from "../support/free-port.ts";
import { type Answer, type ModelRequest, ModelServer, type Script, type Step } from "../support/model-server.ts";

/** Where a model is: an address with `/v1`, and one without. */
export type Address = Pick<ModelServer, "baseUrl" | "url">;

/** The loop around the model: our kernel, an agent CLI with a loop of its own, or none, because there is no model. */
type Kind = "kernel" | "agent CLI" | "no model";

export interface Candidate {
  name: string;
  kind: Kind;
  create(model: Address, options: { role: Role; silenceMs: number; home: string }): Provider;
  /** How an endpoint of its wire goes wrong in a stream; that of Chat Completions when not given. */
  wire?: WireFaults;
  /** Whose server speaks to it; our own when not given. */
  server?: Server;
}

/** A foreign server, which cannot be made to do all that ours can. */
export interface Server {
  name: string;
  start(script: Script): Promise<ScriptedModel>;
  lacks: ReadonlySet<Ability>;
}

/** Abilities that only some servers have. */
export type Ability =
  | "tell who hung up"
  | "count cached tokens"
  | "check thoughts"
  | "tell that no tool may be called"
  | "tear calls"
  | "cut off calls"
  | "answer in one piece"
  | "withhold the usage"
  | "send any bytes"
  | "fall silent in the middle"
  | "send any error code";

/** The peculiarities of a wire. */
export interface WireFaults {
  /** JSON that is no event of it. */
  otherShape: string;
  /** An event that reports the error "out of memory". */
  errorEvent: string;
  /** It knows answers in one piece, where a stream was asked for. */
  hasWhole: boolean;
  /** Arguments of a call come over it as text, which can be torn or be no JSON. */
  hasTornCalls: boolean;
  /** How bytes that are no JSON are told. */
  badJson: RegExp;
}

export const CHAT_FAULTS: WireFaults = {
  otherShape: 'data: {"choices":"none"}\n\n',
  errorEvent: 'data: {"error":{"message":"out of memory"}}\n\n',
  hasWhole: true,
  hasTornCalls: true,
  badJson: /not valid JSON/,
};

/** The time limit of every turn here. One that reaches it has failed its test. */
const LIMIT_MS: Record<Kind, number> = { "no model": 20_000, kernel: 20_000, "agent CLI": 100_000 };
/** How long an endpoint may be silent, where silence is tested. The start of a CLI is a silence too. */
const SILENCE_MS: Record<Kind, number> = { "no model": 0, kernel: 150, "agent CLI": 6_000 };

const QUESTION = "what is new?";
const ANSWER = "Nothing is new.";
/** An answer without calls that cannot be mistaken for anything else. */
export const ok: Answer = { say: ANSWER };

/** The bench of one provider: a scripted model, and turns with it. */
export interface Bench {
  readonly model: ScriptedModel;
  turn(script: Script["teller"], options?: TurnOptions): Promise<Ran>;
  /** How often a model was asked for a Teller. */
  asked(): number;
  /** The answers of the tools when the model was asked last. */
  lastResults(): string[];
}

export interface TurnOptions {
  texts?: string[];
  silenceMs?: number;
  signal?: AbortSignal;
  provider?: Provider;
  context?: Partial<Context>;
}

/** A scripted model for each test of the `describe` that this is called in. */
export function createBench({ kind, create, server }: Candidate): Bench {
  let model: ScriptedModel;
  beforeEach(async () => {
    const script: Script = { teller: [ok] };
    model = server === undefined ? await ModelServer.start(script) : await server.start(script);
  });
  afterEach(async () => {
    await model.close();
    expect(model.unknown).toEqual([]);
  });
  return {
    get model() {
      return model;
    },
    asked: () => model.of("teller").length,
    lastResults: () => model.of("teller").at(-1)?.results ?? [],
    async turn(script, { texts = [QUESTION], silenceMs = LIMIT_MS[kind], ...options } = {}) {
      model.script = { ...model.script, ...(script !== undefined && { teller: script }) };
      const { signal = AbortSignal.timeout(LIMIT_MS[kind]) } = options;
      const home = temporaryHome();
      const { provider = create(model, { role: "teller", silenceMs, home }), context = {} } = options;
      const messages = texts.map((text, i) => messageOf(text, { id: `m-${i}` }));
      const ran = await run(turnOf({ messages }), { provider, signal, home, context });
      expect(ran.failureReason).not.toBe("timeout");
      if (ran.isOutage !== true) expect(replyOf(ran)).not.toBe("");
      expect(await findMarked(ran.mark)).toEqual([]);
      return ran;
    },
  };
}

/** A state directory, as far as providers use one. */
function temporaryHome(): string {
  const home = temporaryDirectory();
  mkdirSync(join(home, SESSIONS));
  return home;
}

export function answers(ran: RunOutcome): void {
  expect(replyOf(ran)).toBe(ANSWER);
  expect(ran.status, ran.error).toBe("done");
}

/** It failed, and says so, and has done nothing else. */
export function admits(ran: RunOutcome, why: string | RegExp): void {
  expect(ran.status).toBe("failed");
  expect(replyOf(ran)).toContain("I could not finish this reply");
  expect(replyOf(ran)).toMatch(why);
  expect(ran.effects.map((effect) => effect.type)).toEqual(["reply"]);
}

/** It was told to come back in an hour: the task is handed back, and waits. */
export function waitsAnHour(ran: RunOutcome): void {
  expect(ran).toMatchObject({ status: "failed", isOutage: true, effects: [], problem: { cause: "limit" } });
  const waitMs = Date.parse(ran.problem?.until ?? "") - Date.now();
  expect(waitMs).toBeGreaterThan(3_000_000);
  expect(waitMs).toBeLessThanOrEqual(3_600_000);
}

export const remember = (content: string) => ({ name: "remember", args: { content } });

export function remembered({ effects }: RunOutcome): string[] {
  return effects.flatMap((effect) => (effect.type === "remember" ? [effect.content] : []));
}

/** Declares the tests of one provider. */
export function describeProvider(candidate: Candidate): void {
  const { name, kind, create, server } = candidate;
  const lacks = (ability: Ability) => server?.lacks.has(ability) === true;
  describe(`the provider ${name}${server === undefined ? "" : ` at ${server.name}`}`, () => {
    const bench = createBench(candidate);
    const { turn, asked, lastResults } = bench;
    const hangUps = () => Promise.all(bench.model.requests.map((request) => request.wasAborted));

    test("answers a message with one reply", async () => {
      const ran = await turn(undefined);
      expect(ran).toMatchObject({ status: "done", effects: [{ type: "reply" }], provider: name });
    });

    test("shows what it says while it says it", async () => {
      const { lines, ...ran } = await turn(undefined);
      expect(lines.flatMap((line) => (line.type === "delta" ? [line.text] : [])).join("")).toBe(replyOf(ran));
    });

    test("replies to messages of 1 MB in all", async () => {
      const long = "word ".repeat(200_000);
      const texts = Array.from({ length: 16 }, (_, i) =>
        long.slice(i * MESSAGE_CHARS_MAX, (i + 1) * MESSAGE_CHARS_MAX),
      );
      const ran = await turn(undefined, { texts: [...texts, QUESTION] });
      expect(ran.status, ran.error).toBe("done");
    });

    test("replies also when it is stopped before it began", async () => {
      await turn(undefined, { signal: AbortSignal.abort("cancelled") });
    });

    if (kind === "no model") return;

    test("says what of memory its model was shown, in the prompt and as an answer", async () => {
      const memory = [{ source: "memory.md", text: "the boiler is called Ignatius", score: 1 }];
      const history = [{ id: "m-boiler", role: "user" as const, text: "the boiler is loud", at: NOW }];
      const search = { calls: [{ name: "query_history", args: { query: "boiler" } }] };
      const ran = await turn([search, ok], { context: { memory, history, profile: "lives in Kiel" } });
      answers(ran);
      expect(ran.shown).toMatchObject([
        { source: "user_profile.md", text: "lives in Kiel", always: true },
        { source: "memory.md", text: "the boiler is called Ignatius" },
        { message: "m-boiler", text: "the boiler is loud" },
      ]);
      expect(bench.model.of("teller")[0]?.prompt).toContain("[memory.md] the boiler is called Ignatius");
    });

    describe("says the truth about an endpoint that", () => {
      test.each<[string, Step, RegExp, cause: Cause[]]>([
        ["refuses the key", { status: 401 }, /401/, ["key"]],
        ["is not found", { status: 404 }, /404|may not exist/, ["model"]],
        [
          "has no credit left",
          { status: 429, body: { error: { message: "You exceeded your current quota", code: "insufficient_quota" } } },
          /quota|429/i,
          ["credit", "busy"],
        ],
        ["is always busy", { status: 429 }, /429|limit/i, ["busy"]],
        ["is always broken", { status: 500 }, /500|high demand/, ["busy"]],
        ["always breaks the connection", { reset: true }, /./, ["down", "busy", "other"]],
        ["always breaks off in the middle", { cut: "Nothing is" }, /./, ["busy", "other"]],
      ])("%s, and offers what helps", async (_, step, why, causes) => {
        const ran = await turn([step]);
        admits(ran, why);
        expect(ran.problem).toMatchObject({ cause: expect.toBeOneOf(causes), provider: name });
        expect(replyOf(ran)).toContain("`mimikit connect");
      });

      test("says nothing", async () => {
        const ran = await turn([{ say: "" }]);
        admits(ran, "said nothing");
        // No words of ours to the model, and no code.
        expect(replyOf(ran)).not.toMatch(/told in vain|invalid_result|The user waits/);
      });

      test.each<[string, Step]>([
        ["never begins to answer", { hang: true }],
        ["falls silent in the middle", { hang: "Nothing" }],
      ])("%s", async (_, step) => {
        admits(await turn([step], { silenceMs: SILENCE_MS[kind] }), /silent|did not begin/);
        if (!lacks("tell who hung up")) expect(new Set(await hangUps())).toEqual(new Set([true]));
      });

      test("wants to be left alone for an hour", async () => {
        const busy: Step = { status: 429, headers: { "retry-after": "3600" } };
        const ran = await turn([busy], { silenceMs: SILENCE_MS[kind] });
        // A program may keep to itself for how long.
        if (ran.isOutage === true) waitsAnHour(ran);
        else admits(ran, /429|limit|silent/);
      });

      test("breaks down after something was done: nothing is done", async () => {
        const broken: Step = { status: 400, body: { error: { message: "out of order" } } };
        admits(await turn([{ calls: [remember("a")] }, broken]), /out of order|400/);
        expect(lastResults()).toHaveLength(1);
      });
    });

    test("knows an outage: where nobody listens, nothing is replied and nothing done", async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      const home = temporaryHome();
      const provider = create({ url, baseUrl: `${url}/v1` }, { role: "teller", silenceMs: LIMIT_MS[kind], home });
      const signal = AbortSignal.timeout(LIMIT_MS[kind]);
      const ran = await run(turnOf({ messages: [messageOf(QUESTION)] }), { provider, signal, home });
      expect(ran).toMatchObject({ status: "failed", isOutage: true, effects: [] });
      expect(ran.problem).toMatchObject({ cause: "down", provider: name, host: new URL(url).host });
    });

    describe("answers in spite of an endpoint that", () => {
      test.each<[string, Step]>([
        ["was busy for a moment", { status: 429, headers: { "retry-after": "0" } }],
        ["was broken for a moment", { status: 503 }],
        ["broke the connection once", { reset: true }],
        ["broke off once", { cut: "Noth" }],
        ["was silent once", { say: "" }],
      ])("%s", async (_, step) => {
        answers(await turn([step, ok]));
        expect(asked()).toBe(2);
      });
    });

    test.skipIf(lacks("count cached tokens"))("counts what the endpoint counted, over all its answers", async () => {
      const { usage } = await turn([{ calls: [{ name: "list_tasks" }] }, ok]);
      expect(usage).toMatchObject({ inputTokens: 200, cachedTokens: 120, outputTokens: 14 });
    });

    describe("that is stopped", () => {
      test("hangs up, and says why", async () => {
        const controller = new AbortController();
        const waitThenStop = (): Step => {
          setImmediate(() => controller.abort("cancelled"));
          return { hang: "Noth" };
        };
        const ran = await turn(waitThenStop, { signal: controller.signal });
        expect(ran).toMatchObject({ status: "failed", failureReason: "cancelled" });
        if (!lacks("tell who hung up")) expect(await hangUps()).toEqual([true]);
      });

      test("keeps what it had said", async () => {
        const controller = new AbortController();
        const sayThenStop = ({ turn: round }: ModelRequest): Step => {
          if (round === 0) return { say: "This is already useful.", calls: [{ name: "list_tasks" }] };
          controller.abort("cancelled");
          return { hang: true };
        };
        const ran = await turn(sayThenStop, { signal: controller.signal });
        expect(ran.failureReason).toBe("cancelled");
        expect(replyOf(ran)).toBe("This is already useful.\n\nStopped.");
      });

      test("does not go on trying", async () => {
        const controller = new AbortController();
        const script = (): Step => {
          controller.abort("cancelled");
          return { status: 429, headers: { "retry-after": "30" } };
        };
        expect(await turn(script, { signal: controller.signal })).toMatchObject({ failureReason: "cancelled" });
        expect(asked()).toBe(1);
      });

      test("tells step by step what was said, what was called and what came of it", async () => {
        const runs = ({ results }: ModelRequest): Step =>
          results.length === 0 ? { calls: [{ shell: "echo counted $((6 * 7))" }] } : { say: "There are 42." };
        bench.model.script = { worker: runs };
        const home = temporaryHome();
        const { status, told } = await run(taskOf({ id: "t-000007.0.0", role: "worker", prompt: "count" }), {
          provider: create(bench.model, { role: "worker", silenceMs: LIMIT_MS[kind], home }),
          home,
          workDir: temporaryDirectory(),
        });
        expect(status).toBe("done");
        const [call, output, ...rest] = told.filter(({ type }) => type !== "thought");
        expect(call).toMatchObject({ type: "call", input: expect.stringContaining("echo counted $((6 * 7))") });
        expect(output).toMatchObject({ type: "output", ok: true, text: expect.stringContaining("counted 42") });
        expect(call).toHaveProperty("id", (output as { id: string }).id);
        expect(rest).toContainEqual(
          expect.objectContaining({ type: "said", text: expect.stringContaining("There are 42.") }),
        );
      });

      test("takes the command with it that it was running, and all that this had started", async () => {
        const controller = new AbortController();
        const [home, workDir] = [temporaryHome(), temporaryDirectory()];
        const command = "sleep 60 & setsid sleep 60 & touch started; wait";
        const runs = ({ results }: ModelRequest): Step =>
          results.length === 0 ? { calls: [{ shell: command }] } : { say: `It ended: ${results.join("\n")}` };
        bench.model.script = { worker: runs };
        const running = run(taskOf({ id: "t-000007.0.0", role: "worker", prompt: "wait" }), {
          provider: create(bench.model, { role: "worker", silenceMs: LIMIT_MS[kind], home }),
          signal: AbortSignal.any([controller.signal, AbortSignal.timeout(LIMIT_MS[kind])]),
          home,
          workDir,
        });
        const started = expect.poll(() => existsSync(join(workDir, "started")), { timeout: LIMIT_MS[kind] }).toBe(true);
        const ended = running.then((ran) => Promise.reject(new Error(`it ended before: ${JSON.stringify(ran)}`)));
        await Promise.race([started, ended]);
        controller.abort("cancelled");
        const ran = await running;
        expect(ran).toMatchObject({ status: "failed", failureReason: "cancelled", effects: [] });
        expect(await findMarked(ran.mark)).toEqual([]);
      });
    });

    describe("of the calls of a model", () => {
      test("makes those that are good, side by side, and gives the answers back", async () => {
        const ran = await turn([{ calls: [remember("a"), remember("b")] }, ok]);
        answers(ran);
        expect(remembered(ran)).toEqual(["a", "b"]);
        expect(lastResults()).toEqual(["t-000007.0", "t-000007.1"].map((id) => expect.stringContaining(`"${id}"`)));
      });

      test.each<[string, Step]>([
        ["has bad JSON", { calls: [{ name: "remember", raw: "{content: x}" }] }],
        ["names no tool", { calls: [{ name: "rm", args: { path: "/" } }] }],
        ["names a tool of another role", { calls: [{ name: "bash", args: { command: "touch done" } }] }],
        ["has wrong arguments", { calls: [{ name: "remember", args: { text: "x" } }] }],
      ])("never makes one that %s, and goes on", async (_, step) => {
        const ran = await turn([step, ok]);
        answers(ran);
        expect(ran.effects.map((effect) => effect.type)).toEqual(["reply"]);
      });

      test("never makes one of an answer that was cut off for its length", async () => {
        const torn = { name: "remember", raw: '{"content": "tor' };
        const ran = await turn([{ calls: [torn], finish: "length" }, ok]);
        expect(ran.effects.map((effect) => effect.type)).toEqual(["reply"]);
      });

      test("ends an endless loop of the same", async () => {
        admits(await turn(() => ({ calls: [{ name: "list_tasks" }] })), /said nothing|more than \d+ tools/);
      });
    });

    describe("with several turns", () => {
      /** Says what the user said, which tells the turns apart. */
      const echo = ({ prompt }: ModelRequest): Step => ({ say: `You said ${/word-\d/.exec(prompt)?.[0]}.` });

      test("at once gives each its own answer", async () => {
        const provider = create(bench.model, { role: "teller", silenceMs: LIMIT_MS[kind], home: temporaryHome() });
        const words = ["word-1", "word-2", "word-3"];
        const rans = await Promise.all(words.map((text) => turn(echo, { texts: [text], provider })));
        expect(rans.map(replyOf)).toEqual(words.map((word) => `You said ${word}.`));
      });

      test("never gives one the answer or the calls of another that was stopped", async () => {
        const provider = create(bench.model, { role: "teller", silenceMs: LIMIT_MS[kind], home: temporaryHome() });
        const controller = new AbortController();
        const callThenStop = ({ results }: ModelRequest): Step => {
          if (results.length === 0) return { say: "word-1", calls: [remember("word-1")] };
          setImmediate(() => controller.abort("cancelled"));
          return { hang: "word-1" };
        };
        await turn(callThenStop, { texts: ["word-1"], provider, signal: controller.signal });
        const ran = await turn(echo, { texts: ["word-2"], provider });
        expect(replyOf(ran)).toBe("You said word-2.");
        expect(remembered(ran)).toEqual([]);
        expect(bench.model.of("teller").at(-1)?.results).toEqual([]);
      });
    });
  });
}
