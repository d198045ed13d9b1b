/** A provider of the kernel whose model speaks the wire of its vendor. */
import { runKernel } from "../../kernel/loop.ts";
import type { Provider } from "../../provider.ts";
import { counted, estimatedOf } from "../endpoint/counted.ts";
import type { WireName } from "../endpoint/list-models.ts";
import { naming } from "../endpoint/naming.ts";
import type { NativeEndpoint } from "../endpoint/native.ts";
import { persistent } from "../endpoint/persistent.ts";
import { sdkModel, type VendorWire } from "./sdk-model.ts";

export function createSdkProvider(
  name: Exclude<WireName, "chat">,
  endpoint: NativeEndpoint,
  wire: VendorWire,
): Provider {
  const { model, tokensMax, senses, retryDelaysMs } = endpoint;
  const kernel = {
    model: counted(naming(persistent(sdkModel(endpoint, wire), retryDelaysMs), name, endpoint), endpoint),
    toolCalls: true,
    senses: async () => senses,
  };
  return {
    name,
    model,
    run: (run, signal) => runKernel(run, { ...kernel, tokensMax: estimatedOf(tokensMax, endpoint) }, signal),
  };
}
