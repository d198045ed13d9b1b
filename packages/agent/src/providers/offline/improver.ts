/** Without a model nothing is improved, and nothing is judged. */
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { ProviderEvent } from "../../provider.ts";

const NO_MODEL =
  "self-improvement needs a model, and the offline engine is none; docs/providers.md says how to set one up";

export async function* refuse(): AsyncGenerator<ProviderEvent> {
  yield { type: "failed", failureReason: "error", error: NO_MODEL, retryable: false, usage: NO_USAGE };
}
