/** The README's first five minutes, word by word, in both languages, through the three real processes to a scheduled chain. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAIN = join(ROOT, "apps/cli/src/main.ts");
/** Each of some twenty commands is a process of its own, on a loaded machine. */
const STEPS_MS_MAX = 300_000;
const SECOND_MS = 1_000;

interface Readme {
  file: string;
  /** The heading above the block of commands. */
  heading: string;
  /** What the answers to its commands say. */
  greeting: string;
  chainDone: string;
  scheduled: RegExp;
  cancelled: string;
  remembered: string;
}

const READMES: readonly Readme[] = [
  {
    file: "README.md",
    heading: "## The first five minutes",
    greeting: "Hello! No language model is configured yet",
    chainDone: "All 2 tasks are done.",
    scheduled: /^I have scheduled this: .*run `ls` then `date`\. .*Its id is `(?<id>t-[\d.]+)`/m,
    cancelled: "it will not fire any more",
    remembered: "I like pnpm",
  },
  {
    file: "README.zh-CN.md",
    heading: "## 最初五分钟",
    greeting: "你好！还没有配置语言模型",
    chainDone: "2 个任务都完成了。",
    scheduled: /^已安排：.*运行 `ls` 然后 `date`。.*编号是 `(?<id>t-[\d.]+)`/m,
    cancelled: "它不会再触发",
    remembered: "我喜欢用 pnpm",
  },
];

/** The lines of the first block of commands below a heading. */
function commandsBelow({ file, heading }: Readme): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  const block = text.split(`${heading}\n`)[1]?.split("```sh\n")[1]?.split("\n```")[0] ?? "";
  return block.split("\n");
}

test.each(READMES)(
  "what $file says leads to a chain on a schedule, and back",
  { timeout: STEPS_MS_MAX },
  async (readme) => {
    const mimikit = await Instance.start({ hasClock: true });
    try {
      writeFileSync(join(mimikit.workDir, "README.md"), "one\ntwo\n");
      const env = { MIMIKIT_HOME: mimikit.home, MIMIKIT_WORK_DIR: mimikit.workDir, NODE: process.execPath, MAIN };
      /** A line of the README in a shell, where `npx mimikit` is the one of this checkout. */
      const say = async (line: string): Promise<string> => {
        const script = `npx() { shift; "$NODE" "$MAIN" "$@"; }\n${line}`;
        const { stdout, exitCode, stderr } = await execa("sh", ["-c", script], {
          cwd: mimikit.workDir,
          env,
          reject: false,
        });
        expect(exitCode, `${line}\n${stderr}`).toBe(0);
        return stdout;
      };
      const [hello = "", chain = "", reminder = "", schedule = "", list = "", explain = "", cancel = "", ...rest] =
        commandsBelow(readme);
      const [remember = "", search = "", undo = ""] = rest;

      expect(await say(hello)).toContain(readme.greeting);
      const report = await say(chain);
      expect(report).toContain(readme.chainDone);
      expect(report).toContain("2 README.md");
      await say(reminder);

      const { id = "" } = readme.scheduled.exec(await say(schedule))?.groups ?? {};
      expect(id).not.toBe("");
      const triggers = await mimikit.until("the schedule", async () => {
        const shown = await say(list);
        return shown.includes(id) ? shown : undefined;
      });
      expect(triggers.trim().split("\n")).toHaveLength(3);
      const withId = (line: string) => line.replace(/t-\d+\.\d+/, id);
      expect(await say(withId(explain))).toContain(id);

      const { next } = JSON.parse(await say(`npx mimikit triggers explain ${id} --json`)) as { next: string };
      mimikit.setClock(Date.parse(next) - Date.now() + SECOND_MS);
      const fired = await mimikit.until("the report of the chain", async () =>
        (await mimikit.replies()).filter(({ text }) => text.includes(readme.chainDone)).at(1),
      );
      expect(fired.text).toContain("README.md");

      expect(await say(withId(cancel))).toContain(readme.cancelled);
      await mimikit.until("its end", async () => ((await say(list)).includes(id) ? undefined : true));

      expect(await say(remember)).toContain(readme.remembered);
      expect(await say(search)).toContain(readme.remembered);
      const undone = await mimikit.until("what can be undone", async () => {
        const shown = (await say(undo)).split("\n").find((line) => line.includes(readme.remembered));
        return shown;
      });
      await say(`${undo.replace(/ *#.*$/, "")} ${undone.split(" ", 1)[0]}`);
      expect(readFileSync(join(mimikit.home, "memory.md"), "utf8")).not.toContain(readme.remembered);
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
