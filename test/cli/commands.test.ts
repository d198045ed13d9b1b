/** What holds for every command. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { allCommands, helpOf } from "../../scripts/command-page.ts";
import { runCli } from "./run-cli.ts";

const MAIN = join(import.meta.dirname, "../../apps/cli/src/main.ts");

function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-commands-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test("every command says in its --help what it is for, with examples whose options there are", async () => {
  const listed = readFileSync(MAIN, "utf8");
  const commands = await allCommands();
  const helps = new Map<string, string>();
  for (const command of commands) helps.set(command.name, await helpOf(command));
  for (const command of commands) {
    const help = helps.get(command.name) ?? "";
    expect(listed, `${command.name} is in the list of commands`).toMatch(new RegExp(`^  ${command.name},$`, "m"));
    expect(help).toContain(command.summary);
    expect(command.examples.length, `${command.name} has examples`).toBeGreaterThan(0);
    expect(command.examples.some(([line]) => line.includes(`mimikit ${command.name}`))).toBe(true);
    for (const [line, meaning] of command.examples) {
      expect(meaning).not.toBe("");
      // Where one thing is piped into another, the last is what it is about; words of people are no options.
      const [, name = "", rest = ""] = /.*\bmimikit (\w+)(.*)$/.exec(line) ?? [];
      expect([...helps.keys()], line).toContain(name);
      for (const [option] of rest.replace(/'[^']*'/g, "").matchAll(/(?<= )--?[a-z][a-z-]*/g))
        expect(helps.get(name), line).toMatch(new RegExp(`${option}\\b`));
    }
    for (const text of help.split("\n")) expect(text.length, `${command.name}: ${text}`).toBeLessThanOrEqual(100);
  }
});

test("an unknown command or option is wrong usage, in one line on stderr", async () => {
  const place = { home: join(temporaryDirectory(), "home"), workDir: tmpdir() };
  const said = await runCli(place, ["audit", "tail", "--frobnicate"]);
  expect(said).toMatchObject({ code: 2, out: "" });
  expect(said.error).toMatch(/^mimikit: .*frobnicate.*\n$/);
});

test("Tab completes commands and options in bash", async () => {
  const dir = temporaryDirectory();
  const mimikit = join(dir, "mimikit");
  writeFileSync(mimikit, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(mimikit, 0o755);
  const { out: script } = await runCli({ home: join(dir, "home"), workDir: dir }, ["completion", "bash"]);
  writeFileSync(join(dir, "completion.sh"), script);
  // SHELL is what somebody logs in with, which need not be the shell that asks.
  const completed = execFileSync(
    "bash",
    [
      "-c",
      `. ./completion.sh
      for line in "mimikit aud" "mimikit audit tail --fol"; do
        COMP_WORDS=($line); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _mimikit; echo "\${COMPREPLY[*]}"
      done`,
    ],
    { cwd: dir, encoding: "utf8", env: { ...process.env, SHELL: "/bin/zsh", PATH: `${dir}:${process.env.PATH}` } },
  );
  expect(completed).toBe("audit\n--follow\n");
});
