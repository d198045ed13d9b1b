/** The tools of a role's model, and the bus that every call goes through. */
import { ROLES } from "@mimikit/protocol/base/kind";
import { isAbove } from "@mimikit/protocol/base/skill";
import { createToolBus, type ToolBus } from "../bus.ts";
import type { Run } from "../provider.ts";
import { definitionOf } from "../roles/index.ts";
import { NO_EXTERNAL } from "../tools/external.ts";
import { toolsOf } from "../tools/index.ts";
import type { Tool } from "../tools/tool.ts";
import { kernelTools } from "./tools/index.ts";

export interface Toolset {
  /** Those of the next request: a server from outside may list its tools after the run has begun. */
  readonly tools: readonly Tool[];
  bus: ToolBus;
}

/** A Worker has the kernel's tools on a bus of its own, where nothing is staged; the others have those of their role. */
export function toolsetOf(run: Run, signal: AbortSignal): Toolset {
  const {
    task,
    context,
    workDir,
    home,
    sandbox,
    protect = [],
    runDir,
    environment,
    gate,
    onToolCall,
    external = NO_EXTERNAL,
    web,
  } = run;
  if (!ROLES[task.role].hasWorkspace) {
    const own = toolsOf(task.role, context.pools);
    return {
      get tools() {
        return [...own, ...external.offered];
      },
      bus: run.bus,
    };
  }
  const { levels } = definitionOf(task);
  const files = (context.evidence ?? []).flatMap(({ path, textPath }) => [path ?? [], textPath ?? []].flat());
  const sent = [...files, ...Object.values(context.longTexts)];
  const workspace = { task, workDir, home, sandbox, protect, sent, runDir, environment, signal, gate };
  const own = kernelTools(workspace, context.skills, web).filter(({ level }) => levels.includes(level));
  const highest = task.skill?.level;
  return {
    // A tool that the bus would refuse from the beginning is not offered.
    get tools() {
      return [...own, ...external.offered].filter(
        ({ level, keepsWithin }) => highest === undefined || keepsWithin || !isAbove(level, highest),
      );
    },
    bus: createToolBus({ task, tools: own, external, reads: context, gate, onCall: onToolCall }),
  };
}
