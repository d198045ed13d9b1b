/** The files of a task, for people: what it made and changed, and where its whole output is. */
import { z } from "zod";

/** Characters of a path in a question of the page or of a script. */
export const FILE_PATH_CHARS_MAX = 4_096;

/** One piece of a text file that an agent replaced by another. */
export const FileEdit = z.object({ before: z.string(), after: z.string() });
export type FileEdit = z.infer<typeof FileEdit>;

export const TaskFile = z.object({
  /** As `GET /api/files` takes it, an output together with the task: below the workspace, or absolute. */
  path: z.string(),
  change: z.enum(["made", "changed", "deleted", "output"]),
  /** null where it is not there any more. */
  bytes: z.number().int().nonnegative().nullable(),
  /** The replacements in it, in order, as far as the transcript has them. */
  edits: z.array(FileEdit),
});
export type TaskFile = z.infer<typeof TaskFile>;

/** `GET /api/tasks/{id}/files` */
export const TaskFilesAnswer = z.object({ files: z.array(TaskFile) });
export type TaskFilesAnswer = z.infer<typeof TaskFilesAnswer>;
