/** Without a model nobody can sum up, and notes are never taken for orders. */
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { ProviderEvent } from "../../provider.ts";

const NO_MODEL =
  "memory can only be summed up by a model, and the offline engine is none; docs/providers.md says how to set one up";

/** The notes stay, and are tried again later: by then there may be a model. */
export async function* sumUp(): AsyncGenerator<ProviderEvent> {
  yield { type: "failed", failureReason: "error", error: NO_MODEL, retryable: false, usage: NO_USAGE };
}
