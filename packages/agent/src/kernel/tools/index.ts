/** The tools of a Worker that a plain model endpoint answers for (SPEC I2). They work at once: nothing is staged. */
import type { SkillSummary } from "@mimikit/protocol/base/skill";
import type { Tool } from "../../tools/tool.ts";
import { bashTool } from "./bash.ts";
import { editTextFileTool } from "./edit-text-file.ts";
import { readSkillTool } from "./read-skill.ts";
import { readTextFileTool } from "./read-text-file.ts";
import type { Workspace } from "./workspace.ts";
import { writeTextFileTool } from "./write-text-file.ts";

/** The tools of one run. Without skills there is none that reads them. */
export function kernelTools(workspace: Workspace, skills: readonly SkillSummary[]): Tool[] {
  return [
    readTextFileTool(workspace),
    writeTextFileTool(workspace),
    editTextFileTool(workspace),
    bashTool(workspace),
    ...(skills.length > 0 ? [readSkillTool(workspace, skills)] : []),
  ];
}
