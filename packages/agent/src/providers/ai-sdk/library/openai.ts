/** A file of its own in the bundles, which all programs share: scripts/build.mjs. Its Responses alone, without what it makes of it. */
export { OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
