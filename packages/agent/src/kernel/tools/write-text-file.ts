/** Creates or replaces a text file of the workspace. */
import { z } from "zod";
import { TEXT_FILE_BYTES_MAX, writeTextFile } from "../../skills/text-file.ts";
import { tool } from "../../tools/tool.ts";
import { Path } from "./read-text-file.ts";
import { resolveInside, type Workspace, wantedOutside } from "./workspace.ts";

export const writeTextFileTool = (workspace: Workspace) =>
  tool({
    name: "write_text_file",
    level: "local-write",
    roles: [workspace.task.role],
    input: z
      .strictObject({ path: Path, content: z.string().max(TEXT_FILE_BYTES_MAX) })
      .describe("Creates a text file, or replaces all of it; missing directories are created."),
    wants: ({ path, content }) => wantedOutside("write", path, (real) => `write ${real}\n\n${content}`, workspace),
    run: async ({ path, content }, { place }) => {
      const { isNew } = await writeTextFile(await resolveInside("write", path, workspace, place), content);
      return { text: `${isNew ? "created" : "replaced"} ${path} (${Buffer.byteLength(content)} bytes)` };
    },
  });
