/** Whole runs of the pool over real HTTP, against a scripted server for each vendor. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testConnection } from "@mimikit/agent/connect/connect";
import type { AttachmentEvidence } from "@mimikit/agent/prompt/evidence";
import { Steering } from "@mimikit/agent/steering";
import type { Tool } from "@mimikit/agent/tools/tool";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import type { Task } from "@mimikit/protocol/records/task";
import { prepareHome } from "@mimikit/runtime/home/home";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { messageOf, type Ran, replyOf, run, taskOf, temporaryDirectory, turnOf } from "../agent/fixtures.ts";
import { USAGE } from "../support/model-server/wire.ts";
import type { ModelRequest, Script, Step } from "../support/model-server.ts";
import { cachedShare, charsOf, PASTE, RECIPE, replied, userSaid } from "./talk.ts";
import type { Vendor } from "./vendor.ts";
import { leadHome, type Resident, resident, VENDORS } from "./zoo.ts";

let leave: () => void;
beforeAll(() => {
  leave = leadHome();
});
afterAll(() => leave());

const ORDER = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "write down what you find" });
const QUESTION = turnOf({ messages: [messageOf("hello")] });
const THINKING = "They want two files.";
/** Tokens of windows, of the smallest local models to the largest. */
const WINDOWS = [8_192, 16_384, 131_072, 1_000_000];
const TURNS = 20;
/** Of all input characters of a talk, so many are the beginning of an earlier request. */
const CACHED_SHARE_MIN = 0.75;
const TALK_CHARS_MAX = 320_000;
/** Tokens. Small enough that a Worker's session must be shortened. */
const SMALL_WINDOW = 12_000;

const write = (path: string, content: string) => ({ name: "write_text_file", args: { path, content } });
const read = (path: string) => ({ name: "read_text_file", args: { path } });

/** A tool whose schema has the keywords that vendors refuse (vercel/ai#18921, openswarm#24). */
const FOREIGN: Tool = {
  name: "notes__find",
  level: "read-only",
  keepsWithin: false,
  roles: ["worker"],
  input: z.unknown(),
  shownTo: {},
  shown: z.unknown(),
  told: {
    description: "Finds notes.",
    parameters: {
      type: "object",
      properties: {
        at: {
          type: "object",
          anyOf: [
            { properties: { kind: { const: "day" } }, required: ["kind"] },
            { properties: { kind: { const: "week" } }, required: ["kind"] },
          ],
        },
        limit: { type: "integer", exclusiveMinimum: 0 },
        additionalProperties: { type: "boolean", description: "A field with an unlucky name." },
      },
      required: ["at"],
      additionalProperties: false,
    },
  },
  apply: async () => ({ answer: { text: "a note" } }),
};

async function visit(vendor: Vendor): Promise<Resident> {
  const settled = await resident(vendor);
  onTestFinished(() => settled.server.close());
  return settled;
}

interface Place {
  workDir: string;
  home: string;
}
function newPlace(): Place {
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  mkdirSync(home, { recursive: true });
  return { workDir, home };
}

type Options = Parameters<typeof run>[1];
async function runAt(
  { server, provider }: Resident,
  script: Script,
  task: Task,
  { place = newPlace(), window, ...options }: Options & { place?: Place; window?: number } = {},
): Promise<Ran & Place> {
  server.script = script;
  const ran = await run(task, { provider: await provider(task.role, place.home, window), ...place, ...options });
  return { ...ran, ...place };
}

/** Every request was valid on its wire, and no refusal came twice. */
function agrees({ server }: Resident): void {
  expect(server.unknown).toEqual([]);
  expect(server.refused).toEqual([...new Set(server.refused)]);
}
const said = ({ lines }: Ran) => lines.flatMap((line) => (line.type === "delta" ? [line.text] : [])).join("");
const thought = ({ lines }: Ran) => lines.flatMap((line) => (line.type === "thought" ? [line.text] : [])).join("");

async function goOn(vendor: Vendor, before: Vendor): Promise<void> {
  const first = await visit(before);
  const place = newPlace();
  const unpaid = { status: 402, body: { error: { message: "Insufficient credits" } } };
  const begun: Step[] = [
    { think: THINKING, calls: [write("a.txt", "first"), write("b.txt", "second")] },
    { think: "Now look.", say: "I look.", calls: [read("a.txt")] },
    unpaid,
  ];
  const failed = await runAt(first, { worker: begun }, ORDER, { place });
  expect(failed.status).toBe("failed");
  expect(readFileSync(join(place.workDir, "b.txt"), "utf8")).toBe("second");
  const second = await visit(vendor);
  const steps: Step[] = [{ think: "What is there?", calls: [read("b.txt")] }, { say: "Both were written." }];
  const job = await runAt(second, { worker: steps }, ORDER, { place, attempt: 2 });
  expect(job).toMatchObject({ status: "done", result: { text: "Both were written." } });
  expect(second.server.of("worker")[0]?.results).toHaveLength(3);
  agrees(second);
}

const PNG = Buffer.from("\x89PNG\r\n\x1a\n pixels", "latin1");
function picture(): AttachmentEvidence {
  const path = join(temporaryDirectory(), "shot.png");
  writeFileSync(path, PNG);
  return {
    messageId: "m-1",
    path,
    file: { id: "1".padStart(64, "0"), type: "image/png", bytes: PNG.length, name: "shot.png" },
  };
}

const SCENARIOS: Record<string, (vendor: Vendor, befores: readonly Vendor[]) => Promise<void>> = {
  "is connected by its name, with its models and its window": async (vendor) => {
    const { server, baseUrl, key } = await visit(vendor);
    const home = join(temporaryDirectory(), "home");
    prepareHome(home);
    if (vendor.settings !== undefined) writeFileSync(join(home, "config.yaml"), JSON.stringify(vendor.settings));
    const wanted = { provider: vendor.provider, baseUrl, model: vendor.model, ...(key !== undefined && { key }) };
    const tested = await testConnection(wanted, { home, env: {}, workDir: home }, AbortSignal.timeout(20_000));
    expect(tested.answer).toMatchObject({ model: vendor.model, contextWindow: vendor.listedWindow });
    const ids = tested.models.map(({ id }) => id);
    if (vendor.models === null) expect(ids).toEqual([]);
    else expect(ids).toContain(vendor.model);
    expect(server.trials.length).toBeGreaterThan(0);
  },

  "does a delegated job with tools, and thinks": async (vendor) => {
    const at = await visit(vendor);
    const place = newPlace();
    const delegate = { name: "delegate", args: { prompt: ORDER.prompt } };
    const turn = await runAt(at, { teller: [{ think: "A job.", calls: [delegate] }, { say: "On it." }] }, QUESTION, {
      place,
    });
    expect(replyOf(turn)).toBe("On it.");
    expect(turn.effects.filter(({ type }) => type === "delegate")).toHaveLength(1);
    const steps: Step[] = [
      { think: THINKING, calls: [write("a.txt", "first"), write("b.txt", "second")] },
      { think: "Now look.", say: "I look.", calls: [read("a.txt"), read("b.txt")] },
      { think: "Done.", say: "Both are written: first, second." },
    ];
    const job = await runAt(at, { worker: steps }, ORDER, { place });
    expect(job).toMatchObject({ status: "done", result: { text: "Both are written: first, second." } });
    expect(readFileSync(join(job.workDir, "a.txt"), "utf8")).toBe("first");
    expect(readFileSync(join(job.workDir, "b.txt"), "utf8")).toBe("second");
    expect(at.server.of("worker").at(-1)?.results.slice(-2)).toEqual([
      expect.stringContaining("first"),
      expect.stringContaining("second"),
    ]);
    agrees(at);
  },

  "is offered a tool of a server of others, whose schema has everything": async (vendor) => {
    const at = await visit(vendor);
    const call = { name: "notes__find", args: { at: { kind: "day" }, limit: 3 } };
    const steps: Step[] = [{ think: "Look it up.", calls: [call] }, { say: "Found." }];
    const external = { tools: [FOREIGN], offered: [FOREIGN] };
    const job = await runAt(at, { worker: steps }, ORDER, { external });
    expect(job).toMatchObject({ status: "done", result: { text: "Found." } });
    expect(at.server.of("worker")[1]?.results).toEqual(["a note"]);
    agrees(at);
  },

  "is asked again when it says nothing": async (vendor) => {
    const at = await visit(vendor);
    const list = { name: "list_tasks", args: {} };
    const steps: Step[] = [{ think: "Look.", calls: [list] }, { think: "Hm." }, { think: "Well.", say: "Hello." }];
    const turn = await runAt(at, { teller: steps }, QUESTION);
    // Thoughts without an end count as the reply.
    expect(replyOf(turn)).toMatch(/^(Hello|Hm)\.$/);
    agrees(at);
  },

  "shows what it thinks apart from what it says, each once, and counts": async (vendor) => {
    const at = await visit(vendor);
    const turn = await runAt(at, { teller: [{ think: THINKING, say: "The port is 8080." }] }, QUESTION);
    expect(replyOf(turn)).toBe("The port is 8080.");
    expect(turn.usage).toMatchObject({ inputTokens: USAGE.input, outputTokens: USAGE.output });
    if (vendor.hidesThoughts === true) return;
    expect(
      thought(turn)
        .replace(/<\/?think>/g, "")
        .trim(),
    ).toBe(THINKING);
    expect(said(turn).trim()).toBe("The port is 8080.");
  },

  "hears what is said while it works": async (vendor) => {
    const at = await visit(vendor);
    const steering = new Steering();
    const offer = (id: string, text: string) => steering.offer({ id, at: "2026-11-22T02:00:00.000Z", text });
    const script = ({ nth }: ModelRequest): Step => {
      if (nth === 1) return { think: THINKING, calls: [write("a.txt", "first"), write("b.txt", "second")] };
      if (nth === 2) offer("s-2", "in French, please");
      return { say: nth === 2 ? "Written." : "Fait." };
    };
    const job = await runAt(at, { worker: script }, ORDER, {
      steering,
      onStream: () => offer("s-1", "only the first"),
    });
    expect(job).toMatchObject({ status: "done", result: { text: "Fait." }, steers: [{ id: "s-1" }, { id: "s-2" }] });
    agrees(at);
  },

  "answers with what it has when its rounds are used up": async (vendor) => {
    const at = await visit(vendor);
    const script = ({ nth, tools }: ModelRequest): Step =>
      tools.length === 0
        ? { say: "That is all that I found." }
        : { think: `Once more, ${nth}.`, calls: [{ name: "query_history", args: { query: `q${nth}` } }] };
    const turn = await runAt(at, { teller: script }, QUESTION);
    expect(replyOf(turn)).toBe("That is all that I found.");
    agrees(at);
  },

  "goes on with a long session that was shortened": async (vendor) => {
    const at = await visit(vendor);
    const place = newPlace();
    for (let n = 1; n <= 8; n++) writeFileSync(join(place.workDir, `${n}.txt`), `${n} `.repeat(3_000));
    const script = ({ nth }: ModelRequest): Step =>
      nth <= 8 ? { think: `File ${nth}.`, calls: [read(`${nth}.txt`)] } : { think: "So.", say: "Eight files." };
    const job = await runAt(at, { worker: script }, ORDER, { place, window: SMALL_WINDOW });
    expect(job).toMatchObject({ status: "done", result: { text: "Eight files." } });
    const last = at.server.of("worker").at(-1);
    expect(last?.messages.map(({ content }) => content).join("\n")).toMatch(/shortened|left out/);
    agrees(at);
  },

  "goes on with a session that another vendor began": async (vendor, befores) => {
    for (const before of befores) await goOn(vendor, before);
  },

  "is told what was said before, whole, in a window of any size": async (vendor) => {
    const history = [userSaid(1, "chili for nine, please"), replied(1, RECIPE)];
    for (const window of WINDOWS) {
      const at = await visit(vendor);
      const turn = await runAt(
        at,
        { teller: [{ say: "For twelve: more." }] },
        turnOf({ messages: [messageOf("now for 12")] }),
        {
          window,
          context: { history },
        },
      );
      expect(replyOf(turn)).toBe("For twelve: more.");
      const [request] = at.server.of("teller");
      const said = request?.messages.find(({ role }) => role === "assistant");
      expect([window, said?.content]).toEqual([window, RECIPE]);
      expect(request?.messages.at(-1)).toMatchObject({ role: "user", content: expect.stringContaining("now for 12") });
      agrees(at);
    }
  },

  "is told messages of one side in a row": async (vendor) => {
    const at = await visit(vendor);
    const history = [
      replied(1, "Your report is ready."),
      replied(2, "Take the eggs off the stove!"),
      userSaid(3, "thanks"),
      userSaid(4, "and the <M:inputs> of yesterday?"),
    ];
    const turn = await runAt(at, { teller: [{ say: "Yes." }] }, QUESTION, { context: { history } });
    expect(replyOf(turn)).toBe("Yes.");
    const roles = at.server.of("teller")[0]?.messages.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "user", "assistant", "user"]);
    agrees(at);
  },

  "is told a paste whole where its window is large": async (vendor) => {
    for (const window of WINDOWS.filter((tokens) => tokens > 100_000)) {
      const at = await visit(vendor);
      await runAt(at, { teller: [{ say: "In May." }] }, turnOf({ messages: [messageOf(PASTE)] }), { window });
      const lines = at.server.of("teller")[0]?.prompt.replaceAll("\n    ", "\n") ?? "";
      expect(lines).toContain(PASTE);
      agrees(at);
    }
  },

  "is sent a talk of twenty turns as it was sent before": async (vendor) => {
    const at = await visit(vendor);
    const place = newPlace();
    const history: HistoryMessage[] = [];
    const script = ({ nth }: ModelRequest): Step => ({
      say: `Answer ${nth}. ${"So it is, and more of it. ".repeat(nth % 5)}`,
    });
    for (let n = 1; n <= TURNS; n++) {
      const said = userSaid(n, `question ${n}? ${"It is about the garden. ".repeat(n % 4)}`);
      const now = new Date(Date.parse(said.at) + 500).toISOString();
      const asked = turnOf({ messages: [messageOf(said.text, { id: said.id, at: said.at })] });
      const turn = await runAt(at, { teller: script }, asked, { place, context: { history: [...history], now } });
      history.push(said, replied(n, replyOf(turn)));
    }
    const requests = at.server.of("teller");
    expect(requests).toHaveLength(TURNS);
    expect(cachedShare(requests)).toBeGreaterThanOrEqual(CACHED_SHARE_MIN);
    expect(charsOf(requests)).toBeLessThanOrEqual(TALK_CHARS_MAX);
    agrees(at);
  },

  "is shown pictures if its model sees, and told of them otherwise": async (vendor) => {
    const at = await visit(vendor);
    const list = { name: "list_tasks", args: {} };
    const script = { teller: [{ think: "Look.", calls: [list] }, { say: "A cat." }] };
    const turn = await runAt(at, script, QUESTION, { context: { evidence: [picture()] } });
    expect(replyOf(turn)).toBe("A cat.");
    const shown = vendor.sees ? [{ type: "image/png", data: PNG.toString("base64") }] : [];
    expect(at.server.of("teller").map(({ media }) => media)).toEqual([shown, shown]);
    expect(at.server.of("teller")[0]?.prompt).toContain("name: shot.png");
    agrees(at);
  },
};

/** Known failures with their reasons. A test that no longer fails must be removed here. */
const KNOWN: readonly { vendor: string; scenario: string | RegExp; reason: string }[] = [];

/** The vendors that began the sessions, for each vendor by its index. */
const beforesOf = (i: number) => [1, 7].flatMap((back) => VENDORS.at(i - back) ?? []);
describe.each(VENDORS.map((vendor, i) => ({ vendor, befores: beforesOf(i), name: vendor.name })))(
  "$name",
  ({ vendor, befores }) => {
    for (const [scenario, act] of Object.entries(SCENARIOS)) {
      const isKnown = KNOWN.some((known) => known.vendor === vendor.name && scenario.match(known.scenario) !== null);
      (isKnown ? test.fails : test)(scenario, () => act(vendor, befores));
    }
  },
);

test("each rule of the zoo names its source", () => {
  for (const { refuses, says, speechSource } of VENDORS) {
    for (const { source } of refuses) expect(source).not.toBe("");
    if (says !== undefined) expect(speechSource).toMatch(/#\d+|\.\w+\/|^docs\./);
  }
});
