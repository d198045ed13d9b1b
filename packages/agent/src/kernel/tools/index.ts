/** The tools of a Worker that a plain model endpoint answers for (SPEC I2). They work at once: nothing is staged. */
import type { SkillSummary } from "@mimikit/protocol/base/skill";
import type { Tool } from "../../tools/tool.ts";
import type { Web } from "../../web/web.ts";
import { bashTool } from "./bash.ts";
import { editTextFileTool } from "./edit-text-file.ts";
import { readSkillTool } from "./read-skill.ts";
import { readTextFileTool } from "./read-text-file.ts";
import { webFetchTool } from "./web-fetch.ts";
import { webSearchTool } from "./web-search.ts";
import type { Workspace } from "./workspace.ts";
import { writeTextFileTool } from "./write-text-file.ts";

/** The tools of one run. Without skills there is none that reads them, and none for what of the web is not set up. */
export function kernelTools(workspace: Workspace, skills: readonly SkillSummary[], web?: Web): Tool[] {
  const { reach = null, search = null } = web ?? {};
  return [
    readTextFileTool(workspace),
    writeTextFileTool(workspace),
    editTextFileTool(workspace),
    bashTool(workspace),
    ...(skills.length > 0 ? [readSkillTool(workspace, skills)] : []),
    ...(search === null ? [] : [webSearchTool(workspace, search)]),
    ...(reach === null ? [] : [webFetchTool(workspace, reach)]),
  ];
}
