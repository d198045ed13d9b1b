/**
 * git as a child of the pool, which touches nothing of the user's: no hook, no monitor, no upkeep and no filter program
 * runs, no prompt is shown, nothing is fetched, and no index is refreshed by the way. A Worker's files in a worktree are
 * data: git is told where the repository is, and never finds it out from there.
 */
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { hasCode } from "@mimikit/store/disk/error-code";
import { execa } from "execa";

/** Seconds that one call of git may take. */
const GIT_SEC_MAX = 120;
const OUTPUT_BYTES_MAX = 16 * 1_048_576;
const REASON_CHARS_MAX = 500;
/** The part of our environment that git sees. Of the variables that steer git, none. */
const ENVIRONMENT_ALLOWED = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "XDG_CONFIG_HOME"];
/** The committer; never the user. */
export const COMMITTER_NAME = "Mimikit";
export const COMMITTER_EMAIL = "mimikit@localhost";

const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "commit.gpgSign=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
  "submodule.recurse=false",
  "protocol.allow=never",
];

/** The workspace cannot be improved, or git refuses; the message is for the owner. */
export class Unimprovable extends Error {}

/** Where a repository and its tree are. */
export interface GitPlace {
  gitDir: string;
  workTree: string;
}

export interface GitCall {
  input?: string;
  /** A file that standard output goes to. */
  outputTo?: string;
  /** Exit codes that are answers, beside 0. */
  allow?: readonly number[];
  /** Programs of the user's that change files as they come and go (`filter.*`), which a checkout of his own needs. */
  withFilters?: boolean;
}

export interface GitAnswer {
  code: number;
  text: string;
}

export class Git {
  readonly cwd: string;
  private readonly mark: string;
  private readonly place: GitPlace | undefined;
  private filtersOff: readonly string[] | undefined;

  /**
   * @param mark of the run, so that no call of a dead pool outlives it by long (docs/file-protocol.md R6).
   * @param place not given: git finds it out from `cwd`, which must be the user's own tree.
   */
  constructor(cwd: string, mark: string, place?: GitPlace) {
    this.cwd = cwd;
    this.mark = mark;
    this.place = place;
  }

  /** The same in a tree that is not the user's. */
  at(place: GitPlace): Git {
    return new Git(place.workTree, this.mark, place);
  }

  /** The output without its last line break. Throws `Unimprovable` with what git said. */
  async text(args: readonly string[], call: GitCall = {}): Promise<string> {
    return (await this.run(args, call)).text;
  }

  async run(args: readonly string[], call: GitCall = {}): Promise<GitAnswer> {
    const filters = call.withFilters === true ? [] : await this.withoutFilters();
    return this.call([...filters, ...args], call);
  }

  private async call(args: readonly string[], call: GitCall): Promise<GitAnswer> {
    const { input, outputTo, allow = [] } = call;
    const inherited = ENVIRONMENT_ALLOWED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value] as const];
    });
    const ended = await execa("git", [...SETTINGS.flatMap((each) => ["-c", each]), ...args], {
      cwd: this.cwd,
      extendEnv: false,
      env: {
        ...Object.fromEntries(inherited),
        [MARK_VARIABLE]: this.mark,
        GIT_OPTIONAL_LOCKS: "0",
        GIT_TERMINAL_PROMPT: "0",
        GIT_NO_LAZY_FETCH: "1",
        GIT_AUTHOR_NAME: COMMITTER_NAME,
        GIT_AUTHOR_EMAIL: COMMITTER_EMAIL,
        GIT_COMMITTER_NAME: COMMITTER_NAME,
        GIT_COMMITTER_EMAIL: COMMITTER_EMAIL,
        ...(this.place !== undefined && { GIT_DIR: this.place.gitDir, GIT_WORK_TREE: this.place.workTree }),
      },
      reject: false,
      timeout: GIT_SEC_MAX * 1_000,
      maxBuffer: OUTPUT_BYTES_MAX,
      ...(input === undefined ? { stdin: "ignore" as const } : { input }),
      ...(outputTo !== undefined && { stdout: { file: outputTo } }),
    });
    if (hasCode(ended, "ENOENT")) throw new Unimprovable("git is not installed, or the workspace is gone");
    const { exitCode } = ended;
    if (exitCode === undefined || (exitCode !== 0 && !allow.includes(exitCode))) {
      const said = ended.stderr?.trim() || ended.shortMessage || "no reason given";
      throw new Unimprovable(
        `git ${args.find((each) => /^[a-z]/.test(each) && !each.includes("="))}: ${said.slice(0, REASON_CHARS_MAX)}`,
      );
    }
    return { code: exitCode, text: (ended.stdout ?? "").replace(/\n$/, "") };
  }

  /** The filters that the user has set up are programs of his, and may be named by a path in the tree: a Worker's file. */
  private async withoutFilters(): Promise<readonly string[]> {
    if (this.filtersOff !== undefined) return this.filtersOff;
    const { text } = await this.call(["config", "--name-only", "-z", "--get-regexp", "^filter\\."], { allow: [1] });
    const names = new Set(text.split("\0").flatMap((key) => /^filter\.(.+)\.[a-z]+$/is.exec(key)?.[1] ?? []));
    this.filtersOff = [...names].flatMap((name) =>
      ["clean=", "smudge=", "process=", "required=false"].flatMap((each) => ["-c", `filter.${name}.${each}`]),
    );
    return this.filtersOff;
  }
}
