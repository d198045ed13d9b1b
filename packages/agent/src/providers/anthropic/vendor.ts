/** The facts about Anthropic before it is asked. Light: showing the providers loads this too. */
import type { Vendor } from "../endpoint/native.ts";

export const ANTHROPIC: Vendor = {
  id: "anthropic",
  known: { vision: true, contextWindow: 200_000 },
};
