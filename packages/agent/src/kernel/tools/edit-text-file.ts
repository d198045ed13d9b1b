/** Replaces one place of a text file of the workspace, which must be named without doubt. */
import { encodeText, Unencodable } from "@mimikit/store/text/encode-text";
import { z } from "zod";
import { readTextFile, TEXT_FILE_BYTES_MAX, type TextFile, writeTextFile } from "../../skills/text-file.ts";
import { tool } from "../../tools/tool.ts";
import { Path } from "./read-text-file.ts";
import { replaceOnce } from "./replace-once.ts";
import { resolveInside, type Workspace, wantedOutside } from "./workspace.ts";

export const editTextFileTool = (workspace: Workspace) =>
  tool({
    name: "edit_text_file",
    level: "local-write",
    roles: [workspace.task.role],
    input: z
      .strictObject({
        path: Path,
        oldText: z
          .string()
          .min(1)
          .max(TEXT_FILE_BYTES_MAX)
          .describe("Exactly as it stands in the file, and only once."),
        newText: z.string().max(TEXT_FILE_BYTES_MAX),
      })
      .describe("Replaces one piece of a text file by another."),
    wants: ({ path, oldText, newText }) =>
      wantedOutside("write", path, (real) => `edit ${real}\n\n${oldText}\n\n→\n\n${newText}`, workspace),
    run: async ({ path, oldText, newText }, { place }) => {
      const real = await resolveInside("write", path, workspace, place);
      const file = await readTextFile(real);
      const edited = replaceOnce(file.text, oldText, newText);
      if (edited === "none") throw new Error(`oldText does not occur in ${path}; read the file and quote it exactly`);
      if (edited === "several")
        throw new Error(`oldText occurs more than once in ${path}; quote more of what stands around it`);
      await writeTextFile(real, bytesOf(edited.text, file, path));
      return { text: `edited ${path}` };
    },
  });

/**
 * The text in the encoding of its file, where that is certain: the same bytes come out if nothing is changed.
 * @throws an error for people otherwise.
 */
function bytesOf(edited: string, file: TextFile, path: string): Buffer {
  try {
    if (encodeText(file.text, file).equals(file.bytes)) return encodeText(edited, file);
  } catch (error) {
    if (!(error instanceof Unencodable)) throw error;
    throw new Error(`${path} is written in ${file.encoding}, and ${error.message}: use other words, or the shell`);
  }
  throw new Error(
    `${path} is not changed: it is not whole text in ${file.encoding}, so other parts of it would change; use the shell`,
  );
}
