/** What the model of a role may call, and the bus that every call goes through. */
import { createToolBus, type ToolBus } from "../bus.ts";
import type { Run } from "../provider.ts";
import { definitionOf } from "../roles/index.ts";
import type { Tool } from "../tool.ts";
import { toolsOf } from "../tools/index.ts";
import { kernelTools } from "./tools/index.ts";

export interface Toolset {
  tools: readonly Tool[];
  bus: ToolBus;
}

/** A Worker has the kernel's tools on a bus of its own, where nothing is staged; the others have those of their role. */
export function toolsetOf(run: Run, signal: AbortSignal): Toolset {
  const { task, context, workDir, home, sandbox, runDir, environment, onToolCall } = run;
  if (task.role !== "worker") return { tools: toolsOf(task.role), bus: run.bus };
  const { levels } = definitionOf(task);
  const tools = kernelTools({ task, workDir, home, sandbox, runDir, environment, signal }).filter(({ level }) =>
    levels.includes(level),
  );
  return { tools, bus: createToolBus({ task, tools, reads: context, onCall: onToolCall }) };
}
