/** A model's file tools while another thread swaps a directory on their way for a link. */
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { createToolBus } from "@mimikit/agent/bus";
import { readGuides } from "@mimikit/agent/skills/guides";
import { readSkillFile } from "@mimikit/agent/skills/skills";
import { ToolText } from "@mimikit/agent/tools/tool-text";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { expect, onTestFinished, test } from "vitest";
import { kernelTools } from "../../../../packages/agent/src/kernel/tools/index.ts";
import { contextOf, taskOf, temporaryDirectory } from "../../fixtures.ts";

/** Calls that meet the directory, and calls that meet the link: enough for dozens of hits where a tool follows the link. */
const MEETINGS = 100;

/** A workspace in which `path` is, by turns, a directory with a harmless file and a link to a directory outside. */
async function swapping(path: string, file = "harmless") {
  const base = temporaryDirectory();
  const [workDir, outside] = [join(base, "work"), join(base, "outside")];
  const home = join(workDir, ".mimikit");
  const runDir = join(home, "runs", "r");
  for (const dir of [runDir, outside, join(base, "spare"), join(workDir, path)]) mkdirSync(dir, { recursive: true });
  writeFileSync(join(workDir, path, file), "harmless");
  symlinkSync(outside, join(base, "link"));
  const data = { directory: join(workDir, path), link: join(base, "link"), spare: join(base, "spare") };
  const thread = new Worker(new URL("../../processes/swap.ts", import.meta.url), { workerData: data });
  onTestFinished(() => void thread.terminate());
  await once(thread, "message");
  const { signal } = new AbortController();
  const task = taskOf({ id: "t-000001.0.0", role: "worker" });
  const tools = kernelTools({ task, workDir, home, sandbox: "auto", runDir, environment: {}, signal }, []);
  const bus = createToolBus({ task, tools, reads: contextOf(), onCall: () => {} });
  const call = async (name: string, input: unknown): Promise<string> => {
    const answer = await bus.call(name, input);
    return answer.ok ? ToolText.parse(answer.data).text : `refused: ${answer.message}`;
  };
  return { workDir, outside, home, call, stop: () => thread.terminate() };
}

/** Calls until both the directory and the link were met often enough. @param call answers whether it was refused. */
async function meetBoth(call: () => Promise<boolean>): Promise<void> {
  for (let met = { refused: 0, done: 0 }; Math.min(met.refused, met.done) < MEETINGS; ) {
    const isRefused = await call();
    met = isRefused ? { ...met, refused: met.refused + 1 } : { ...met, done: met.done + 1 };
  }
}

const isGuarded = platform.entryOf !== null;
const isRefused = (answer: string) => answer.startsWith("refused");

test.runIf(isGuarded)("read nothing outside", async () => {
  const { outside, call } = await swapping("d", "token");
  writeFileSync(join(outside, "token"), "secret");
  const answers = new Set<string>();
  await meetBoth(async () => {
    const answer = await call("read_text_file", { path: "d/token" });
    if (!isRefused(answer)) answers.add(answer);
    return isRefused(answer);
  });
  expect([...answers]).toEqual(["harmless"]);
});

test.runIf(isGuarded).each([["d"], ["d/e"]])("write nothing outside, also where %s is swapped", async (path) => {
  const { workDir, outside, call, stop } = await swapping(path);
  for (const name of [`${path}/hook.yaml`, `${path}/new/hook.yaml`])
    await meetBoth(async () => isRefused(await call("write_text_file", { path: name, content: "run: evil" })));
  await stop();
  expect(readdirSync(outside)).toEqual([]);
  // A write that fails in between leaves no temporary file behind.
  const left = readdirSync(dirname(workDir), { recursive: true }).filter((name) => String(name).endsWith(".tmp"));
  expect(left).toEqual([]);
});

test.runIf(isGuarded)("edit nothing outside", async () => {
  const { outside, call } = await swapping("d", "profile");
  writeFileSync(join(outside, "profile"), "harmless");
  const edit = { path: "d/profile", oldText: "harmless", newText: "harmless" };
  const before = statSync(join(outside, "profile")).ino;
  await meetBoth(async () => isRefused(await call("edit_text_file", edit)));
  expect(statSync(join(outside, "profile")).ino).toBe(before);
  expect(readFileSync(join(outside, "profile"), "utf8")).toBe("harmless");
});

test.runIf(isGuarded)("neither do the files of a skill, and the guides of a workspace, come from outside", async () => {
  const { workDir, outside, home } = await swapping("skill/steps", "secret.md");
  writeFileSync(join(outside, "secret.md"), "secret");
  symlinkSync("skill/steps/secret.md", join(workDir, "AGENTS.md"));
  const skill = { path: join(workDir, "skill/SKILL.md") };
  const texts = new Set<string>();
  await meetBoth(async () => {
    const text = await readSkillFile(skill, "steps/secret.md").catch(() => "refused");
    texts.add(text);
    return isRefused(text);
  });
  await meetBoth(async () => {
    const { guides } = await readGuides(workDir, home);
    for (const { text } of guides) texts.add(text);
    return guides.length === 0;
  });
  expect([...texts].sort()).toEqual(["harmless", "refused"]);
});
