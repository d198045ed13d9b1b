/**
 * The README's first five minutes, word by word, in both languages, through the three real processes to a scheduled chain;
 * and what the offline engine itself proposes. All of it in a workspace where nothing is.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { ANSWERED_BADLY } from "../support/answered-badly.ts";
import { Instance } from "../support/instance.ts";
import { CLI } from "../support/programs.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Each of some thirty commands is a process of its own, on a loaded machine. */
const STEPS_MS_MAX = 300_000;
const SECOND_MS = 1_000;

interface Readme {
  file: string;
  /** The heading above the block of commands. */
  heading: string;
  /** The answers to its commands. */
  greeting: string;
  /** A model is connected without a terminal, too. */
  withoutTerminal: string;
  chainDone: string;
  scheduled: RegExp;
  remembered: string;
  /** The example in its help. */
  example: RegExp;
}

const READMES: readonly Readme[] = [
  {
    file: "README.md",
    heading: "## The first five minutes",
    greeting: "Hello! No language model is configured yet",
    withoutTerminal: "On the page, *Settings* connects one too.",
    chainDone: "Both are done.",
    scheduled: /^I have scheduled this: .*run `ls` then `date`\. .*Its id is `(?<id>t-[\d.]+)`/m,
    remembered: "I like pnpm",
    example: /For example: (.+)/,
  },
  {
    file: "README.zh-CN.md",
    heading: "## 最初五分钟",
    greeting: "你好！还没有配置语言模型",
    withoutTerminal: "在页面上，*设置*里也可以连接。",
    chainDone: "两个都完成了。",
    scheduled: /^已安排：.*运行 `ls` 然后 `date`。.*编号是 `(?<id>t-[\d.]+)`/m,
    remembered: "我喜欢用 pnpm",
    example: /例如：(.+)/,
  },
];

/** The lines of the first block of commands below a heading. */
function commandsBelow({ file, heading }: Readme): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const block = text.split(`${heading}\n`)[1]?.split("```sh\n")[1]?.split("\n```")[0] ?? "";
  return block.split("\n");
}

/** A line in a shell of the workspace, where `./mimikit` is the one of this checkout; it must end well. */
async function say({ home, workDir }: Instance, line: string): Promise<string> {
  const script = `mimikit() { "$NODE" "$CLI" "$@"; }\n${line.replaceAll("./mimikit ", "mimikit ")}`;
  const env = { MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir, NODE: process.execPath, CLI };
  const { stdout, exitCode, stderr } = await execa("sh", ["-c", script], { cwd: workDir, env, reject: false });
  expect(exitCode, `${line}\n${stderr}`).toBe(0);
  expect(stdout, line).not.toMatch(ANSWERED_BADLY);
  return stdout;
}

test.each(READMES)(
  "what $file says leads, line by line as it stands there, to a chain on a schedule, and back",
  { timeout: STEPS_MS_MAX },
  async (readme) => {
    const mimikit = await Instance.start({ hasClock: true });
    try {
      const [hello = "", chain = "", reminder = "", schedule = "", list = "", explain = "", end = "", ...rest] =
        commandsBelow(readme);
      const [remember = "", search = "", undo = ""] = rest;

      const greeted = await say(mimikit, hello);
      for (const text of [readme.greeting, readme.withoutTerminal]) expect(greeted).toContain(text);
      expect(await say(mimikit, chain)).toContain(readme.chainDone);
      await say(mimikit, reminder);

      const { id = "" } = readme.scheduled.exec(await say(mimikit, schedule))?.groups ?? {};
      expect(id).not.toBe("");
      const triggers = await mimikit.until("the schedule", async () => {
        const shown = await say(mimikit, list);
        return shown.includes(id) ? shown : undefined;
      });
      expect(triggers.trim().split("\n")).toHaveLength(3);
      expect(await say(mimikit, explain)).toContain(id);

      const shown = await say(mimikit, `./mimikit triggers explain ${id} --json`);
      const { next } = JSON.parse(shown) as { next: string };
      mimikit.setClock(Date.parse(next) - Date.now() + SECOND_MS);
      const fired = await mimikit.until("the report of the chain", async () =>
        (await mimikit.replies()).filter(({ text }) => text.includes(readme.chainDone)).at(1),
      );
      expect(fired.text).not.toMatch(ANSWERED_BADLY);

      await say(mimikit, end);
      await mimikit.until("its end", async () => ((await say(mimikit, list)).includes(id) ? undefined : true));

      expect(await say(mimikit, remember)).toContain(readme.remembered);
      expect(await say(mimikit, search)).toContain(readme.remembered);
      const undone = await mimikit.until("what can be undone", async () =>
        (await say(mimikit, undo)).split("\n").find((line) => line.includes(readme.remembered)),
      );
      await say(mimikit, `${undo.replace(/ *#.*$/, "")} ${undone.split(" ", 1)[0]}`);
      expect(readFileSync(join(mimikit.home, "memory.md"), "utf8")).not.toContain(readme.remembered);
    } finally {
      await mimikit.dispose();
    }
  },
);

test.each(READMES)(
  "what the engine of $file proposes in its greeting and its help works as it stands there",
  { timeout: STEPS_MS_MAX },
  async (readme) => {
    const mimikit = await Instance.start();
    try {
      const ask = (text: string) => say(mimikit, `./mimikit ask '${text}'`);
      const greeting = await say(mimikit, commandsBelow(readme)[0] ?? "");
      const steps = /```text\n(.+?)\n```/s.exec(greeting)?.[1]?.split("\n") ?? [];
      expect(steps).toHaveLength(4);
      const answers: string[] = [];
      for (const step of steps) answers.push(await ask(step));
      expect(answers[0]).toContain(readme.chainDone);
      expect(answers[2]).toMatch(readme.scheduled);
      expect(await ask(readme.example.exec(answers[3] ?? "")?.[1] ?? "")).toContain(readme.chainDone);
    } finally {
      await mimikit.dispose();
    }
  },
);

test.each(READMES)("$file names no script that npm does not have here", ({ file }) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
  const named = [...readFileSync(join(ROOT, file), "utf8").matchAll(/\bnpm (start|stop|test)\b|\bnpm run ([\w:]+)/g)];
  expect(named.length).toBeGreaterThan(0);
  for (const [said, short, long] of named) expect(Object.keys(scripts), said).toContain(short ?? long);
});
