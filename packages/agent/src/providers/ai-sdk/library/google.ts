/** A file of its own in the bundles, which all programs share: scripts/build.mjs. */
export { createGoogle } from "@ai-sdk/google";
