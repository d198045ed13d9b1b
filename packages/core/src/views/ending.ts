/** The ending of a task in a line: the gist of its result, and the files that it names. */
import { RESULT_SCHEMAS, type Result } from "@mimikit/protocol/records/result";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";

const GIST_CHARS = 160;
const PATHS_MAX = 10;
const PATH_CHARS_MAX = 200;
/** A word with a suffix: `letters/heating.md`, `notes.txt`. */
const PATH = /^[^\s/\\:*?"'<>|][^\s\\:*?"'<>|]*\.[a-z][a-z0-9]{0,5}$/i;
/** Signs around a path in a sentence. */
const AROUND_PATHS = /[\s`"'“”‘’「」()[\]{}<>,;，；。、：|*]+/;

export interface Ending {
  gist?: string | undefined;
  /** Words that look like paths in the workspace; whether there are such files is not known. */
  paths: string[];
}

export function endingOf({ resultType, result, task }: Pick<Result, "resultType" | "result" | "task">): Ending {
  const { text, files = [] } = saidBy(resultType, result);
  const gist = text.split("\n").find((line) => line.trim() !== "");
  const paths = [...files, ...pathsIn(text), ...pathsIn(task.prompt)];
  return {
    ...(gist !== undefined && { gist: shortened(gist.trim()) }),
    paths: [...new Set(paths)].filter((path) => path.length <= PATH_CHARS_MAX).slice(0, PATHS_MAX),
  };
}

function saidBy(resultType: Result["resultType"], result: unknown): { text: string; files?: string[] } {
  switch (resultType) {
    case "text":
      return { text: RESULT_SCHEMAS.text.safeParse(result).data?.text ?? "" };
    case "plan":
      return { text: RESULT_SCHEMAS.plan.safeParse(result).data?.note ?? "" };
    case "summary":
      return { text: RESULT_SCHEMAS.summary.safeParse(result).data?.summary ?? "" };
    case "analysis":
      return { text: RESULT_SCHEMAS.analysis.safeParse(result).data?.findings.join("\n") ?? "" };
    case "code_change": {
      const change = RESULT_SCHEMAS.code_change.safeParse(result).data;
      const summary = change?.files.map((file) => file.summary).join("; ") ?? "";
      return { text: change?.commitMessage ?? summary, files: change?.files.map(({ path }) => path) ?? [] };
    }
    default:
      return { text: "" };
  }
}

function pathsIn(text: string): string[] {
  return text
    .split(AROUND_PATHS)
    .map((word) => word.replace(/^\.\//, "").replace(/[.:!?]$/, ""))
    .filter((word) => PATH.test(word) && !word.includes("//") && !word.split("/").includes(".."));
}

function shortened(text: string): string {
  return text.length <= GIST_CHARS ? text : `${beginningOf(text, GIST_CHARS - 1)}…`;
}
