/**
 * The embedded default: an assistant without a model, a key or a network. The same input gives the same answer, through
 * the same roles and tools as any model.
 */
import type { Provider } from "../../provider.ts";
import { judge } from "./evaluator.ts";
import { refuse } from "./improver.ts";
import { plan } from "./planner.ts";
import { sumUp } from "./summarizer.ts";
import { tell } from "./teller.ts";
import { work } from "./worker.ts";

export const offline: Provider = {
  name: "offline",
  run(run, signal) {
    switch (run.task.role) {
      case "teller":
        return tell(run);
      case "planner":
        return plan(run);
      case "worker":
        if (run.task.improve !== undefined) return refuse();
        if (run.task.evaluation !== undefined) return judge();
        return run.task.rollUp === undefined ? work(run, signal) : sumUp();
      case "reviewer":
        return refuse();
    }
  },
};
