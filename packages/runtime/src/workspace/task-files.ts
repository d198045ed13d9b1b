/**
 * Which files a task has made and changed, as far as its records and the disk tell: the tools that name a file say so in the
 * transcript; of what a command names, a file that was written while the task ran counts.
 */
import { realpath } from "node:fs/promises";
import { improvementNumber } from "@mimikit/protocol/base/id";
import { tryJson } from "@mimikit/protocol/base/json";
import { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import type { TaskDetail } from "@mimikit/protocol/wire/api";
import type { FileEdit, TaskFile } from "@mimikit/protocol/wire/task-files";
import type { TranscriptLine } from "@mimikit/protocol/wire/transcript";
import { z } from "zod";
import { openReadable, type ReadablePlace, shownPath } from "./readable-file.ts";

/** Files of one task that are told of. */
export const TASK_FILES_MAX = 200;
/** Words of commands that are looked for on the disk, of one task. */
const COMMAND_WORDS_MAX = 400;

const WRITERS = ["write_text_file", "Write"];
const EDITORS = ["edit_text_file", "Edit", "MultiEdit", "NotebookEdit"];
const SHELLS = ["shell", "bash", "Bash"];
/** A call that is cut in the middle is no JSON any more, and names its file all the same. */
const NAMED_FILE = /"(?:path|file_path|notebook_path)"\s*:\s*("(?:[^"\\]|\\.)*")/;
/** The form of codex's text: `add a.md, update b.md`. */
const CHANGE = /(add|update|delete) (.+?)(?=, (?:add|update|delete) |$)/gs;
const CHANGES = { add: "made", update: "changed", delete: "deleted" } as const;
/** Separators of words in a shell. */
const BETWEEN_WORDS = /[\s"'`;|&<>()=]+/;

const Edit = z
  .object({ oldText: z.string(), newText: z.string() })
  .transform(({ oldText, newText }): FileEdit => ({ before: oldText, after: newText }))
  .or(
    z
      .object({ old_string: z.string(), new_string: z.string() })
      .transform(({ old_string, new_string }): FileEdit => ({ before: old_string, after: new_string })),
  );
const Edits = z
  .object({ edits: z.array(Edit) })
  .transform(({ edits }) => edits)
  .or(Edit.transform((edit) => [edit]));

type Call = Extract<TranscriptLine, { type: "call" }>;
type Named = Pick<TaskFile, "path" | "change" | "edits">;

/**
 * The files of a task, in the order in which it first named them, at most TASK_FILES_MAX. Throws what the disk throws.
 * @param nowMs where a task that runs has come to, milliseconds since the epoch.
 */
export async function filesOfTask(
  place: ReadablePlace,
  task: TaskDetail,
  lines: readonly TranscriptLine[],
  nowMs: number,
): Promise<TaskFile[]> {
  // An improvement works in a worktree of its own.
  if (improvementNumber(task.id) > 0) return [];
  const workDir = await realpath(place.workDir);
  const files = new Map<string, TaskFile>();
  const note = async ({ path, change, edits }: Named) => {
    const shown = shownPath(workDir, path);
    const known = files.get(shown);
    if (known === undefined && files.size >= TASK_FILES_MAX) return;
    const bytes = (await lookAt(place, path, task.id))?.bytes ?? null;
    const isNew = known?.change === "made" && change === "changed";
    files.set(shown, {
      path: shown,
      change: isNew ? "made" : change,
      bytes,
      edits: [...(known?.edits ?? []), ...edits],
    });
  };
  const outputs = new Map(lines.flatMap((line) => (line.type === "output" ? [[line.id, line]] : [])));
  for (const line of lines) {
    const output = line.type === "call" ? outputs.get(line.id) : undefined;
    if (line.type === "call" && output?.ok === true) for (const named of namedBy(line, output.text)) await note(named);
  }
  for (const named of await writtenByCommands(place, task, lines, nowMs)) await note(named);
  for (const named of namedByResult(task)) await note(named);
  // A file that was never readable is not listed; one that is gone is, if the task has said that it was there.
  return [...files.values()].filter(({ bytes, change, path }) => bytes !== null || isOfWorkspace(path, change));
}

function isOfWorkspace(path: string, change: TaskFile["change"]): boolean {
  return change !== "output" && !path.startsWith("/");
}

function* namedBy({ tool, input }: Call, output: string): Generator<Named> {
  if (tool === "file_change")
    for (const [, kind = "", path = ""] of input.matchAll(CHANGE))
      yield { path, change: CHANGES[kind as keyof typeof CHANGES], edits: [] };
  const path = z.string().safeParse(tryJson(NAMED_FILE.exec(input)?.[1] ?? "")).data;
  if (path === undefined) return;
  if (WRITERS.includes(tool)) yield { path, change: /^(file )?created/i.test(output) ? "made" : "changed", edits: [] };
  if (EDITORS.includes(tool)) yield { path, change: "changed", edits: Edits.safeParse(tryJson(input)).data ?? [] };
}

/** Files that a command names and that were written between the first start of the task and its end. */
async function writtenByCommands(
  place: ReadablePlace,
  task: TaskDetail,
  lines: readonly TranscriptLine[],
  nowMs: number,
): Promise<Named[]> {
  const starts = [task.startedAt, lines[0]?.at].flatMap((at) => (at === undefined ? [] : [Date.parse(at)]));
  const fromMs = Math.min(...starts);
  const toMs = task.completedAt === undefined ? nowMs : Date.parse(task.completedAt);
  const isMeanwhile = (ms: number) => ms >= fromMs && ms <= toMs;
  const commands = lines.flatMap((line) => (line.type === "call" && SHELLS.includes(line.tool) ? [line.input] : []));
  const words = new Set(commands.flatMap((command) => command.split(BETWEEN_WORDS)));
  const found: Named[] = [];
  for (const path of [...words].filter((word) => /^[^-$*].*/.test(word)).slice(0, COMMAND_WORDS_MAX)) {
    const file = await lookAt(place, path);
    if (file === null) continue;
    const isMade = isMeanwhile(file.madeMs);
    if (isMade || isMeanwhile(file.changedMs)) found.push({ path, change: isMade ? "made" : "changed", edits: [] });
  }
  return found;
}

function namedByResult({ resultType, result }: TaskDetail): Named[] {
  if (resultType === "code_change") {
    const { files = [] } = RESULT_SCHEMAS.code_change.safeParse(result).data ?? {};
    return files.map(({ path, action }) => ({ path, change: changeOf(action), edits: [] }));
  }
  const artifact = resultType === "text" ? RESULT_SCHEMAS.text.safeParse(result).data?.artifact : undefined;
  return artifact === undefined ? [] : [{ path: artifact, change: "output", edits: [] }];
}

/** In the words of a model. */
function changeOf(action: string): TaskFile["change"] {
  if (/^(add|creat|new|made)/i.test(action)) return "made";
  return /^(delet|remov)/i.test(action) ? "deleted" : "changed";
}

/** The properties of a readable file; null if there is none. */
async function lookAt(place: ReadablePlace, path: string, taskId?: string) {
  const file = await openReadable(place, path, taskId);
  await file?.handle.close();
  return file;
}
