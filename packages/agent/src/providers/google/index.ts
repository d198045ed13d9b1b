/** Google's Gemini, whose calls carry signatures. */
import type { Model } from "../../kernel/model.ts";
import type { Provider } from "../../provider.ts";
import { createSdkProvider } from "../ai-sdk/create.ts";
import { sdkModel, type VendorWire } from "../ai-sdk/sdk-model.ts";
import type { NativeEndpoint } from "../endpoint/native.ts";

/** The models that tell what they think. One that does not think by itself refuses to be asked for it. */
const TELLS_THOUGHTS = /^gemini-(2\.5-(pro|flash)|[3-9])(?!-lite)(?!.*(image|tts|live|audio))/;

export function createGoogle(endpoint: NativeEndpoint): Provider {
  return createSdkProvider("google", endpoint, wireOf(endpoint));
}

/** Its model alone. */
export function googleModel(endpoint: NativeEndpoint): Model {
  return sdkModel(endpoint, wireOf(endpoint));
}

function wireOf(endpoint: NativeEndpoint): VendorWire {
  const { baseUrl, apiKey = "", model, effort } = endpoint;
  return {
    ...(TELLS_THOUGHTS.test(model) &&
      effort !== "none" && { options: { google: { thinkingConfig: { includeThoughts: true } } } }),
    connect: async (fetch) => {
      const { createGoogle: connect } = await import("../ai-sdk/library/google.ts");
      return connect({ baseURL: baseUrl, apiKey, fetch })(model);
    },
  };
}
