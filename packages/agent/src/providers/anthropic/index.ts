/** Anthropic's Messages, with signed thinking and marks for its cache. */
import type { Provider } from "../../provider.ts";
import { createSdkProvider } from "../ai-sdk/create.ts";
import type { NativeEndpoint } from "../endpoint/native.ts";
import { hintsOf } from "../endpoint/place.ts";

export function createAnthropic(endpoint: NativeEndpoint): Provider {
  const { baseUrl, apiKey = "", model, outputTokensMax } = endpoint;
  return createSdkProvider("anthropic", endpoint, {
    hints: hintsOf("anthropic"),
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    outputTokensMax,
    connect: async (fetch) => {
      const { createAnthropic: connect } = await import("@ai-sdk/anthropic");
      return connect({ baseURL: baseUrl, apiKey, fetch })(model);
    },
  });
}
