/**
 * The main job with a model, whoever works with it: from the message over a plan of two chained tasks to one report, and
 * a worker pool that dies in the middle of it. One script for every provider.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listProcesses } from "@mimikit/runtime/process/process-table";
import { afterEach, describe, expect, test } from "vitest";
import type { ScriptedModel } from "./aimock.ts";
import { Instance, ROLE_NAMES } from "./instance.ts";
import { type ModelRequest, ModelServer, type Script, type Step } from "./model-server.ts";

/** The key that a provider shows to its endpoint, and that must never appear anywhere else. */
export const KEY = "sk-end-to-end-secret-key";

/** The text between the tags of a section of the prompt; empty when it is not there. */
export function section(name: string, { prompt }: ModelRequest): string {
  return new RegExp(`^<M:${name}>\n(.*?)\n^</M:${name}>`, "ms").exec(prompt)?.[1] ?? "";
}

export const call = (name: string, args: object): Step => ({ calls: [{ name, args }] });

/** The id that a tool has answered with, however its client has wrapped the answer. */
function idIn(result: string): string {
  return /\bt-[\d.]+\d/.exec(result)?.[0] ?? "";
}

/** A Teller that delegates what it is asked and reports what comes back, and a Planner that makes a chain of two. */
export const CHAIN: Script = {
  teller: (request) => {
    const results = section("results", request);
    if (results !== "") return { say: `This came of it:\n\n${results}` };
    return request.turn === 0
      ? call("delegate", { prompt: "Count what the first step says." })
      : { say: "I am on it." };
  },
  planner: ({ results }) => {
    const [first] = results;
    if (first === undefined) return call("delegate", { title: "Say it", prompt: "the first step" });
    if (results.length > 1) return { say: "" };
    const condition = { type: "task_done", params: { taskId: idIn(first) } };
    return call("delegate", { title: "Count it", prompt: "the second step", condition });
  },
  worker: (request) => {
    if (section("task", request).includes("the first step")) {
      // A command that was cut off has a result too, in a conversation that goes on: it is run again.
      const said = request.results.find((result) => result.includes("one two three"));
      const command = "touch started; until [ -e go ]; do sleep 0.05; done; echo one two three";
      return said === undefined ? { calls: [{ shell: command }] } : { say: `It says: ${said}` };
    }
    const words = /one two three/.exec(section("upstream", request))?.[0].split(" ").length;
    return { say: `It has ${words} words.` };
  },
};

export interface Player {
  provider: string;
  /** The settings with which an instance uses this provider with the scripted model. */
  settings(model: Pick<ModelServer, "url" | "baseUrl">): Record<string, string>;
  /** Whose server the model is on; our own when not given. Another's keeps keys to itself, where it does not say how it shows them. */
  server?: { name: string; start(script: Script): Promise<ScriptedModel>; shownKey?: string };
}

/** Declares the tests of the main job with one provider. */
export function describeMainJob({ provider, settings, server }: Player): void {
  const opened: { dispose(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.dispose();
  });

  async function start(script: Script): Promise<{ mimikit: Instance; model: ScriptedModel }> {
    const model = server === undefined ? await ModelServer.start(script) : await server.start(script);
    opened.push({ dispose: () => model.close() });
    const mimikit = await Instance.start({ env: settings(model) });
    opened.unshift(mimikit);
    return { mimikit, model };
  }

  describe(`the main job with ${provider}${server === undefined ? "" : ` at ${server.name}`}`, () => {
    test("goes from the message over a plan of two chained tasks to one report", async () => {
      const { mimikit, model } = await start(CHAIN);
      expect((await mimikit.ready()).providers).toEqual({
        teller: provider,
        planner: provider,
        worker: provider,
        reviewer: provider,
      });
      writeFileSync(join(mimikit.workDir, "go"), "");
      const id = await mimikit.send("Say something and count it.");
      const interim = await mimikit.replyTo(id);
      expect(interim.text).toBe("I am on it.");
      const report = await mimikit.replyWith("This came of it");
      expect(report.text).toContain("one two three");
      expect(report.text).toContain("It has 3 words.");
      const plan = interim.taskIds?.[0] ?? "";
      expect(report.taskIds).toEqual([`${plan}.0`, `${plan}.1`]);
      expect((await mimikit.task(`${plan}.1`)).usage).toMatchObject({ inputTokens: 100, outputTokens: 7 });
      await mimikit.drained();
      expect(model.unknown).toEqual([]);
      const shown = server === undefined ? KEY : (server.shownKey ?? "REDACTED");
      expect(model.requests.every(({ headers }) => JSON.stringify(headers).includes(shown))).toBe(true);
      expect(await strays(mimikit)).toEqual([]);
      // Their temporary files come and go as long as the roles run.
      await mimikit.stop();
      expect(stateOf(mimikit)).not.toContain(KEY);
    });

    // A death is the same with another's server for the same wire.
    if (server !== undefined) return;

    test("survives kill -9 of the worker pool in the middle of a command: nothing lost, nothing doubled, no orphan", async () => {
      const { mimikit, model } = await start(CHAIN);
      const id = await mimikit.send("Say something and count it.");
      await mimikit.until("the command", () => existsSync(join(mimikit.workDir, "started")) || undefined);
      await mimikit.kill("workers");
      await mimikit.ready();
      writeFileSync(join(mimikit.workDir, "go"), "");
      await mimikit.replyWith("It has 3 words.");
      await mimikit.drained();
      const replies = await mimikit.replies();
      expect(replies.filter((reply) => reply.answers?.includes(id))).toHaveLength(1);
      expect(replies.filter((reply) => reply.text.includes("This came of it"))).toHaveLength(1);
      expect((await mimikit.tasks()).filter((task) => task.role === "worker")).toHaveLength(2);
      expect(model.of("worker").some(isToldOfAnEarlierAttempt)).toBe(true);
      expect(await mimikit.children()).toEqual([]);
      expect(await strays(mimikit)).toEqual([]);
    });

    test("survives it in the middle of an answer too: the message has one reply, and one plan", async () => {
      let isKilled = false;
      const { mimikit, model } = await start({
        ...CHAIN,
        teller: (request) => {
          const isCalled = request.results.length > 0;
          if (isCalled && !isKilled) return { hang: "I am" };
          return typeof CHAIN.teller === "function" ? CHAIN.teller(request) : { say: "" };
        },
      });
      writeFileSync(join(mimikit.workDir, "go"), "");
      const id = await mimikit.send("Say something and count it.");
      await mimikit.until("the answer", () => (model.of("teller").length === 2 ? true : undefined));
      isKilled = true;
      await mimikit.kill("workers");
      await mimikit.replyWith("It has 3 words.");
      const replies = await mimikit.replies();
      expect(replies.filter((reply) => reply.answers?.includes(id))).toHaveLength(1);
      expect((await mimikit.tasks()).filter((task) => task.role === "planner")).toHaveLength(1);
    });
  });
}

/** In its prompt, or in what it is told where its conversation goes on. */
function isToldOfAnEarlierAttempt(request: ModelRequest): boolean {
  const told = request.messages.filter((message) => message.role === "user").slice(1);
  return section("attempt", request) !== "" || told.some(({ content }) => /earlier attempt|interrupted/.test(content));
}

/** The state directory as one text. */
function stateOf({ home }: Instance): string {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
}

/** The processes that know this instance's directories and are none of its roles: whatever mark they carry or lack. */
async function strays(mimikit: Instance): Promise<string[]> {
  const { home, workDir } = mimikit;
  const roles = ROLE_NAMES.map((role) => mimikit.pidOf(role));
  return (await listProcesses())
    .filter(({ pid }) => !roles.includes(pid))
    .filter(({ args, environment }) =>
      [...args, ...environment.values()].some((text) => text.includes(home) || text.includes(workDir)),
    )
    .map(({ args }) => args.join(" "));
}
