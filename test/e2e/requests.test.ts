/**
 * Requests to a model, counted in bytes and compared. A provider's cache ends at the first byte that differs from an
 * earlier request, so what stays the same must stand before what changes.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Role } from "@mimikit/protocol/base/role";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { InstanceOptions } from "../support/instance.ts";
import { CHAIN, KEY } from "../support/main-job.ts";
import type { ModelRequest, ModelServer, Script } from "../support/model-server.ts";
import { modelSettings, startWithModel } from "../support/start-with-model.ts";

/** Bytes of the first request of a "hello": rules, tools and question. OpenAI's wire takes 12 KB, Anthropic's a little more. */
const HELLO_BYTES_MAX = 12_500;
/** Bytes of a short turn's request behind what the request before it began with: the newest messages, tags, and the clock. */
const CHANGED_BYTES_MAX = 1_000;

/** The parts of a request, the least changing first. Sections of one group may stand in any order. */
const GROUPS = [
  ["persona", "profile", "workspace", "skills"],
  ["summary", "history"],
  [
    "memory",
    "backlog",
    "tasks",
    "triggers",
    "questions",
    "results",
    "events",
    "attachments",
    "texts",
    "upstream",
    "attempt",
    "environment",
  ],
  ["inputs", "origin", "request", "task"],
];

const WIRES = {
  openai: modelSettings,
  anthropic: ({ url }: ModelServer) => ({
    MIMIKIT_PROVIDER: "anthropic",
    MIMIKIT_ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    MIMIKIT_MODEL: "scripted",
  }),
};

const Body = z.looseObject({ tools: z.unknown(), system: z.unknown(), messages: z.array(z.unknown()) });

describe.each(["openai", "anthropic"] as const)("with %s", (wire) => {
  const start = (script: Script, options?: InstanceOptions) => startWithModel(script, options, WIRES[wire]);

  test("a hello is a short request, and the next ones begin as the ones before them did", async () => {
    const { mimikit, model } = await start({ teller: ({ nth }) => ({ say: `Answer ${nth}.` }) });
    for (const text of ["hello", "and how are you?", "good to hear"]) await mimikit.replyTo(await mimikit.send(text));
    const [first, second, third] = model.of("teller");
    expect(first?.bytes).toBeLessThanOrEqual(HELLO_BYTES_MAX);

    const sent = [first, second, third].map(asCached);
    const [hello = "", next = "", last = ""] = sent;
    // The first user message is now one of the conversation.
    expect(next.startsWith(upTo("// Where and when", hello))).toBe(true);
    const said = upTo("// Where and when", next);
    expect(last.startsWith(said.slice(0, said.indexOf("Answer 1.") + "Answer 1.".length))).toBe(true);
    expect(said).toContain("Answer 1.");
    expect(changedBytes(hello, next)).toBeLessThanOrEqual(CHANGED_BYTES_MAX);
    expect(changedBytes(next, last)).toBeLessThanOrEqual(CHANGED_BYTES_MAX);
  });

  test("every role is told first what seldom changes, then the conversation, then the rest; a run adds to the end alone", async () => {
    const prepare = async (home: string) => {
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, "agent_persona.md"), "Be brief.\n");
      writeFileSync(join(home, "rules.md"), "Never push.\n");
    };
    const { mimikit, model } = await start(CHAIN, { prepare });
    writeFileSync(join(mimikit.workDir, "go"), "");
    await mimikit.send("Say something and count it.");
    await mimikit.replyWith("This came of it");

    const shown = (role: Role) => new Set(model.of(role).flatMap(sectionsOf));
    expect([...shown("teller")]).toEqual(expect.arrayContaining(["persona", "results", "environment", "inputs"]));
    expect([...shown("planner")]).toEqual(expect.arrayContaining(["skills", "environment", "request"]));
    expect([...shown("worker")]).toEqual(
      expect.arrayContaining(["workspace", "skills", "upstream", "environment", "task"]),
    );
    for (const request of model.requests) {
      const groups = sectionsOf(request).map((name) => GROUPS.findIndex((names) => names.includes(name)));
      expect(groups).not.toContain(-1);
      expect([request.role, groups]).toEqual([request.role, groups.toSorted((a, b) => a - b)]);
      expect(request.system).toMatch(/^You are the Mimikit runtime \w+\.\n\n.*<M:rules>\n {4}Never push\.\n/s);
    }
    for (const role of ["teller", "planner", "worker"] as const) {
      const goesOn = model.of(role).find(({ turn }) => turn === 1);
      const begun = model.of(role).find(({ turn, prompt }) => turn === 0 && prompt === goesOn?.prompt);
      expect(asCached(goesOn).startsWith(asCached(begun))).toBe(true);
    }
    if (wire === "anthropic") for (const { body } of model.requests) expectMarks(body);
  });
});

/** A request as the vendor's cache reads it, to its newest message: tools, rules, messages, and no marks of where a cache is to end. */
function asCached(request: ModelRequest | undefined): string {
  if (request === undefined) throw new Error("this request was not made");
  if (request.wire === "chat-completions") return upTo('],"stream":true', JSON.stringify(request.body));
  const { tools, system, messages } = Body.parse(request.body);
  const text = JSON.stringify({ tools, system, messages }, (name, value) =>
    name === "cache_control" ? undefined : value,
  );
  return text.slice(0, -"]}".length);
}

function upTo(end: string, text: string): string {
  const at = text.indexOf(end);
  if (at < 0) throw new Error(`there is no ${end} in ${text}`);
  return text.slice(0, at);
}

/** How many bytes of `next` stand behind what both begin with. */
function changedBytes(before: string, next: string): number {
  let same = 0;
  while (same < before.length && before[same] === next[same]) same++;
  return Buffer.byteLength(next.slice(same));
}

function sectionsOf({ prompt }: ModelRequest): string[] {
  return [...prompt.matchAll(/^<M:(\w+)>$/gm)].map(([, name = ""]) => name);
}

/** Marks behind the rules, behind the conversation before the question, if there is one, and behind the newest message. */
function expectMarks(body: unknown): void {
  const { system, messages } = Body.parse(body);
  const mark = { cache_control: { type: "ephemeral" } };
  expect(system).toEqual([expect.objectContaining(mark)]);
  const newest = z
    .object({ content: z.array(z.unknown()) })
    .parse(messages.at(-1))
    .content.at(-1);
  expect(newest).toMatchObject(mark);
  const question = messages.findLastIndex((message) => JSON.stringify(message).includes("<M:environment>"));
  if (question > 0) expect(JSON.stringify(messages[question - 1])).toContain("cache_control");
  expect(JSON.stringify(body).match(/"cache_control"/g)).toHaveLength(question > 0 ? 3 : 2);
}
