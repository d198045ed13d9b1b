/** Anthropic's Messages, with signed thinking and marks for its cache. */
import type { Model } from "../../kernel/model.ts";
import type { Provider } from "../../provider.ts";
import { createSdkProvider } from "../ai-sdk/create.ts";
import { sdkModel, type VendorWire } from "../ai-sdk/sdk-model.ts";
import type { NativeEndpoint } from "../endpoint/native.ts";

export function createAnthropic(endpoint: NativeEndpoint): Provider {
  return createSdkProvider("anthropic", endpoint, wireOf(endpoint));
}

/** Its model alone. */
export function anthropicModel(endpoint: NativeEndpoint): Model {
  return sdkModel(endpoint, wireOf(endpoint));
}

function wireOf(endpoint: NativeEndpoint): VendorWire {
  const { baseUrl, apiKey = "", model, outputTokensMax } = endpoint;
  return {
    cacheMark: { anthropic: { cacheControl: { type: "ephemeral" } } },
    outputTokensMax,
    connect: async (fetch) => {
      const { createAnthropic: connect } = await import("../ai-sdk/library/anthropic.ts");
      return connect({ baseURL: baseUrl, apiKey, fetch })(model);
    },
  };
}
