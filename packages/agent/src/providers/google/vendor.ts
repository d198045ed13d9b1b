/** What is known of Google before anybody asks it. Light: whoever only shows who answers loads this too. */
import type { Vendor } from "../endpoint/native.ts";

export const GOOGLE: Vendor = {
  id: "google",
  known: { vision: true, audio: true, contextWindow: 1_000_000 },
};
