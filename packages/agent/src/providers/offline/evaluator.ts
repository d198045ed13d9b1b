/** Without a model nobody can judge a condition that is put in words, and nothing is guessed. */
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { ProviderEvent } from "../../provider.ts";

const NO_MODEL =
  "a condition in words can only be judged by a model, and the offline engine is none; docs/providers.md says how to set one up";

/** It is tried again when the next batch is due: by then there may be a model. */
export async function* judge(): AsyncGenerator<ProviderEvent> {
  yield { type: "failed", failureReason: "error", error: NO_MODEL, retryable: false, usage: NO_USAGE };
}
