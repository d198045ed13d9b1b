/** The facts about Google before it is asked. Light: showing the providers loads this too. */
import type { Vendor } from "../endpoint/native.ts";

export const GOOGLE: Vendor = {
  id: "google",
  known: { vision: true, audio: true, contextWindow: 1_000_000 },
};
