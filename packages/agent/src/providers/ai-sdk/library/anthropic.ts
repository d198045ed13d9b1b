/** A file of its own in the bundles, which all programs share: scripts/build.mjs. */
export { createAnthropic } from "@ai-sdk/anthropic";
