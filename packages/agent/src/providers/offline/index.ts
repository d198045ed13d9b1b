/**
 * The embedded default: an assistant without a model, a key or a network. The same input gives the same answer, through
 * the same roles and tools as any model.
 */
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { isImprovement } from "@mimikit/protocol/records/task";
import type { Provider, ProviderEvent } from "../../provider.ts";
import { plan } from "./planner.ts";
import { tell } from "./teller.ts";
import { work } from "./worker.ts";

export const offline: Provider = {
  name: "offline",
  run(run, signal) {
    const { task } = run;
    if (isImprovement(task)) return refuse("self-improvement needs a model");
    switch (task.kind) {
      case "turn":
      case "announcement":
        return tell(run);
      case "plan":
        return plan(run);
      case "work":
        return work(run, signal);
      // Nothing is guessed, and notes are never taken for orders. It is tried again later: by then there may be a model.
      case "evaluation":
        return refuse("a condition in words can only be judged by a model");
      case "roll-up":
        return refuse("memory can only be summed up by a model");
      default:
        return refuse(`the ${run.task.role} needs a model`);
    }
  },
};

async function* refuse(need: string): AsyncGenerator<ProviderEvent> {
  const error = `${need}, and the offline engine is none; docs/providers.md says how to set one up`;
  yield { type: "failed", failureReason: "error", error, retryable: false, usage: NO_USAGE };
}
