/**
 * git as a child of the pool, which runs no program that a repository names: a Worker may have written its settings. No hook, monitor,
 * signature check, maintenance, filter or merge driver runs, except the filters of the user's global settings where a checkout needs
 * them. No prompt is shown, nothing is fetched, and no index is refreshed by the way. A Worker's files in a worktree are
 * data: git is told where the repository is, and never finds it out from there.
 */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
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
  "status.submoduleSummary=false",
  "log.showSignature=false",
  "merge.verifySignatures=false",
  "protocol.allow=never",
];

const FILTER_OFF = [
  ["clean", ""],
  ["smudge", ""],
  ["process", ""],
  ["required", "false"],
] as const;
const TEXT_MERGE = "git merge-file --marker-size=%L %A %O %B";

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
  /** The filters of the user's global settings run (`filter.*`), because the call is a checkout in his own tree. */
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
  private programs: Promise<{ own: readonly string[]; off: readonly string[] }> | undefined;

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
    this.programs ??= this.findPrograms();
    const { own, off } = await this.programs;
    return this.call([...(call.withFilters === true ? own : off), ...args], call);
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
        `git ${args.find((each) => /^[a-z]/.test(each) && !each.includes("="))}: ${beginningOf(said, REASON_CHARS_MAX)}`,
      );
    }
    return { code: exitCode, text: (ended.stdout ?? "").replace(/\n$/, "") };
  }

  /**
   * The options that decide which filters and merge drivers run: `off` none, `own` the filters of the user's global settings, as they
   * are there. A merge driver is replaced by git's own merge of texts.
   */
  private async findPrograms(): Promise<{ own: string[]; off: string[] }> {
    const pattern = "^(filter|merge)\\..+\\.[a-z]+$";
    const { text } = await this.call(["config", "--show-scope", "-z", "--get-regexp", pattern], { allow: [1] });
    const fields = text.split("\0");
    const values = new Map<string, { isGlobal: boolean; value: string }>();
    const filters = new Set<string>();
    const drivers = new Set<string>();
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [key = "", value = "true"] = (fields[at + 1] ?? "").split(/\n(.*)/s);
      const [, section = "", name = ""] = /^(filter|merge)\.(.+)\.[a-z]+$/is.exec(key) ?? [];
      (section === "filter" ? filters : drivers).add(name);
      const isGlobal = fields[at] === "global" || fields[at] === "system";
      if (isGlobal || !values.has(key)) values.set(key, { isGlobal, value });
    }
    const keys = [...filters].flatMap((name) =>
      FILTER_OFF.map(([key, value]) => [`filter.${name}.${key}`, value] as const),
    );
    const merges = [...drivers].map((name) => [`merge.${name}.driver`, TEXT_MERGE] as const);
    // An empty `process` keeps git from `smudge` as well, so what nobody has set stays unset.
    const own = keys.flatMap(([key, value]) => {
      const set = values.get(key);
      return set === undefined ? [] : [[key, set.isGlobal ? set.value : value] as const];
    });
    const options = (pairs: readonly (readonly [string, string])[]) =>
      pairs.flatMap(([key, value]) => ["-c", `${key}=${value}`]);
    return { own: options([...own, ...merges]), off: options([...keys, ...merges]) };
  }
}
