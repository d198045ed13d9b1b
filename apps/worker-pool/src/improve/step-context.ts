/** Where a step of self-improvement is at work. */
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { Git } from "./git.ts";

export interface StepContext {
  /** The state directory; its real path. */
  home: string;
  /** The user's workspace. */
  workDir: string;
  /** The folder of the run. */
  runDir: string;
  /** Marks every child process. */
  environment: Record<string, string>;
}

/** git in the user's workspace. */
export function gitOf({ workDir, environment }: Pick<StepContext, "workDir" | "environment">): Git {
  return new Git(workDir, environment[MARK_VARIABLE] ?? "");
}
