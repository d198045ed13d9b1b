/** Git's answers about this clone, and about news upstream. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { ROOT } from "@mimikit/runtime/home/programs";
import { proxyVariables } from "@mimikit/runtime/network/use-proxy";
import { execa } from "execa";
import { z } from "zod";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { plainLine } from "../io/print.ts";

const GIT_MS_MAX = 120_000;
/** The newest; the rest is only counted. */
const COMMITS_NAMED_MAX = 20;

export interface News {
  branch: string;
  /** The commit of now, and its version. */
  from: string;
  version: string;
  /** The commit upstream, and its version. */
  to: string;
  newVersion: string;
  /** How many commits there are in between; 0 where there is nothing new. */
  count: number;
  /** Their subjects, the newest first, at most 20. */
  subjects: string[];
}

/** Looks upstream. @throws Failure, in words, where a fast-forward is not possible. */
export async function fetchNews(): Promise<News> {
  const top = await ask("rev-parse", "--show-toplevel");
  if (top === null || realpathSync(top) !== realpathSync(ROOT))
    throw new Failure(
      "failed",
      t("{root} is no clone of a repository: install the new version as you have installed this one", { root: ROOT }),
    );
  const branch = await ask("symbolic-ref", "--quiet", "--short", "HEAD");
  if (branch === null)
    throw new Failure("failed", t("no branch is checked out here (detached HEAD): run  git switch <branch>"));
  const remote = await ask("config", `branch.${branch}.remote`);
  if (remote === null || (await ask("rev-parse", "--verify", "--quiet", "@{upstream}")) === null)
    throw new Failure(
      "failed",
      t("the branch {branch} follows no other: run  git branch --set-upstream-to=<remote>/<branch>", { branch }),
    );
  await run("fetch", "--quiet", remote);
  const [from, to] = [await run("rev-parse", "HEAD"), await run("rev-parse", "@{upstream}")];
  const isAhead = (await ask("merge-base", "--is-ancestor", to, from)) !== null;
  if (!isAhead && (await ask("merge-base", "--is-ancestor", from, to)) === null)
    throw new Failure(
      "failed",
      t("the branch {branch} and what it follows have both gone on: merge or rebase it by hand", { branch }),
    );
  const range = `${from}..${to}`;
  const log = await run("log", `--max-count=${COMMITS_NAMED_MAX}`, "--format=%s", range);
  return {
    branch,
    from,
    version: await versionAt(from),
    to: isAhead ? from : to,
    newVersion: await versionAt(isAhead ? from : to),
    count: Number(await run("rev-list", "--count", range)),
    subjects: log === "" ? [] : log.split("\n").map(plainLine),
  };
}

/** @throws Failure where files that git knows are changed. */
export async function assertClean(): Promise<void> {
  const changed = await run("status", "--porcelain", "--untracked-files=no");
  if (changed === "") return;
  const [first] = changed.split("\n");
  throw new Failure(
    "failed",
    t("files of this clone are changed ({first}): commit them, or put them aside with  git stash", {
      first: plainLine(first ?? ""),
    }),
  );
}

/** Runs git. @throws Failure with its words. */
export async function run(...words: string[]): Promise<string> {
  const { stdout, stderr, exitCode, timedOut, cause } = await git(words);
  if (exitCode === 0) return stdout;
  const reason = timedOut ? t("no end within {seconds} s", { seconds: GIT_MS_MAX / 1_000 }) : stderr || reasonOf(cause);
  throw new Failure("failed", t("git {words} failed: {reason}", { words: words[0] ?? "", reason: reasonOf(reason) }));
}

/** Git's answer; null if it says no. */
async function ask(...words: string[]): Promise<string | null> {
  const { stdout, exitCode, code } = await git(words);
  if (code === "ENOENT") throw new Failure("failed", t("git is needed for that: install it"));
  return exitCode === 0 ? stdout : null;
}

const git = (words: string[]) =>
  execa("git", words, {
    cwd: resolve(ROOT),
    env: { ...proxyVariables(true), GIT_TERMINAL_PROMPT: "0" },
    stdin: "ignore",
    timeout: GIT_MS_MAX,
    reject: false,
  });

async function versionAt(commit: string): Promise<string> {
  const text = await run("show", `${commit}:package.json`);
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
