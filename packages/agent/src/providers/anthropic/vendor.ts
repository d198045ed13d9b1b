/** What is known of Anthropic before anybody asks it. Light: whoever only shows who answers loads this too. */
import type { Vendor } from "../endpoint/native.ts";

export const ANTHROPIC: Vendor = {
  id: "anthropic",
  baseUrl: "https://api.anthropic.com/v1",
  known: { vision: true, contextWindow: 200_000 },
};
