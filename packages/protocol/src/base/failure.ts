/** Why a task failed (SPEC C4). */
import { z } from "zod";

export const FailureReason = z.enum([
  "error",
  "timeout",
  "killed",
  "interrupted",
  "poison",
  "cancelled",
  "budget",
  "invalid_result",
  "provider",
  "needs_approval",
]);
export type FailureReason = z.infer<typeof FailureReason>;
