/** The command line at a terminal of its own, as people have it before them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";
import { onTestFailed, onTestFinished } from "vitest";
import { CLI } from "../support/programs.ts";
import type { CliPlace } from "./run-cli.ts";

/** util-linux' `script` gives a program a terminal of its own. */
export const hasTerminals =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true;
if (!hasTerminals) process.stdout.write("nothing is tested at a terminal: there is no `script` of util-linux\n");

/** Variables that would change the output: settings of an instance, and those that turn colours on or off. */
const OF_ANOTHER_PLACE = /^(MIMIKIT_.*|NO_COLOR|FORCE_COLOR|NODE_DISABLE_COLORS|CI)$/;

export interface Terminal {
  type(keys: string): void;
  /** Resolves when the text is shown after what was waited for before; styles and cursor movements do not count. */
  shows(text: string): Promise<void>;
  /** Everything that was shown so far, as the terminal got it. */
  raw(): string;
  ended(): Promise<number | null>;
}

/** Starts `mimikit <words>` at a terminal of 100 columns and 40 rows. */
export function openTerminal(place: CliPlace, words: readonly string[], env: Record<string, string> = {}): Terminal {
  const inherited = Object.entries(process.env).filter(([name]) => !OF_ANOTHER_PLACE.test(name));
  const line = `stty cols 100 rows 40; exec '${process.execPath}' '${CLI}' ${words.join(" ")}`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    env: {
      ...Object.fromEntries(inherited),
      TERM: "xterm-256color",
      MIMIKIT_HOME: place.home,
      MIMIKIT_WORK_DIR: place.workDir,
      ...env,
    },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let raw = "";
  let seen = 0;
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    raw += data;
  });
  const exit = once(child, "exit");
  let awaited = "";
  onTestFailed(() => console.log(`"${awaited}" was waited for last; shown was:\n${JSON.stringify(raw.slice(-2_000))}`));
  return {
    type: (keys) => child.stdin.write(keys),
    async shows(text) {
      awaited = text;
      for (;;) {
        const plain = stripVTControlCharacters(raw);
        const at = plain.indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        await Promise.race([once(child.stdout, "data"), exit]);
        const isOver = child.exitCode !== null || child.signalCode !== null;
        if (isOver && !stripVTControlCharacters(raw).includes(text, seen))
          throw new Error(`it ended without showing "${text}":\n${raw.slice(-2_000)}`);
      }
    },
    raw: () => raw,
    ended: async () => {
      const [code] = (await exit) as [number | null];
      return code;
    },
  };
}
