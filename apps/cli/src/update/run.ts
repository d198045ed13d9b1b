/** The commands that an update is made of, each a program of its own. Processes that an update starts are marked, and so ended with it. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { proxyVariables } from "@mimikit/runtime/network/use-proxy";
import { execa } from "execa";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { UPDATER_VARIABLE } from "../processes/pm2.ts";

/** A command of Mimikit; `up` waits for a minute. */
const COMMAND_MS_MAX = 180_000;
/** Packages are fetched and installed. */
const NPM_MS_MAX = 15 * 60_000;
/** Of what npm says when it fails. */
const NPM_LINES_MAX = 3;
/** Lines before one that says that the reason is above. */
const REASON_LINES_MAX = 4;

/** The `mimikit` command of a version, in its folder. */
export const CLI = "apps/cli/bin/mimikit.mjs";

const MARK = { [UPDATER_VARIABLE]: String(process.pid) };

/** @returns what the program printed on stdout. @throws Failure with the last line that it said on stderr. */
export async function runNode(words: string[], timeoutMs = COMMAND_MS_MAX): Promise<string> {
  // The Node of a package may have gone with it.
  const node = existsSync(process.execPath) ? process.execPath : "node";
  const { stdout, stderr, exitCode, timedOut, cause } = await execa(node, words, {
    // The start of a clone fetches packages.
    env: { ...proxyVariables(true), ...MARK },
    stdin: "ignore",
    timeout: timeoutMs,
    reject: false,
  });
  if (exitCode === 0) return stdout;
  const [script = "", command] = words;
  const reason = timedOut
    ? t("no end within {seconds} s", { seconds: timeoutMs / 1_000 })
    : lastWordsIn(stderr) || reasonOf(cause);
  throw new Failure("failed", `${command ?? basename(script)}: ${reasonOf(reason).replace(/^mimikit: /, "")}`);
}

/** The last line; with the lines before it where it says that the reason is above: nobody else prints those. */
function lastWordsIn(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const isAbove = / is above$/.test(lines.at(-1) ?? "");
  return lines.slice(isAbove ? -1 - REASON_LINES_MAX : -1).join("\n");
}

/** @returns what npm printed on stdout. @throws Failure with its words. */
export async function runNpm(words: string[], cwd: string): Promise<string> {
  // npm's variables for a script, about itself and its package, are not about this one.
  const ofScript =
    /^(npm_(lifecycle|package|command|node_execpath|execpath|config_(global|prefix|local_prefix))|NODE_ENV$)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofScript.test(name)));
  const further = [
    "--no-global",
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
  ];
  const { stdout, stderr, exitCode, timedOut, cause, code } = await execa("npm", [...words, ...further], {
    cwd,
    env: { ...env, ...proxyVariables(true), ...MARK },
    extendEnv: false,
    stdin: "ignore",
    timeout: NPM_MS_MAX,
    reject: false,
  });
  if (exitCode === 0) return stdout;
  if (code === "ENOENT") throw new Failure("failed", t("npm is needed for that: install it"));
  const said = stderr.split("\n").flatMap((line) => /^npm (?:error|ERR!) (?!A complete log)(.+)/.exec(line)?.[1] ?? []);
  const reason = timedOut
    ? t("no end within {seconds} s", { seconds: NPM_MS_MAX / 1_000 })
    : said.slice(0, NPM_LINES_MAX).join(" · ") || reasonOf(cause);
  throw new Failure("failed", t("npm {words} failed: {reason}", { words: words[0] ?? "", reason }));
}
