/** The common part of providers with a vendor's own wire: the place of their model, by the settings. */

import type { Role } from "@mimikit/protocol/base/role";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { Config } from "@mimikit/runtime/config/config";
import { factsOf, keyNamesOf, keyOf, type ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { capabilitiesOf, type KnownCapabilities } from "../../kernel/capabilities.ts";
import type { Senses } from "../../prompt/media.ts";
import { effortOf, modelOf } from "../../provider.ts";
import { type ModelEndpoint, missingModel, RETRY_DELAYS_MS, shareWindow } from "./place.ts";

export interface NativeEndpoint extends ModelEndpoint {
  /** The maximum size of a request in tokens. */
  tokensMax: number;
  /** Tokens of the window that are kept for an answer. */
  outputTokensMax: number;
  senses: Senses;
}

/** A vendor. */
export interface Vendor {
  id: "anthropic" | "google";
  /** The common capabilities of its models, also of one that is not known yet. */
  known: KnownCapabilities;
}

type Settings = Pick<Config, "model" | "models" | "effort" | "efforts" | Vendor["id"]>;

/** The missing setting before `role` can have a model of the vendor; null if nothing is missing. */
export function missingForVendor(
  { id }: Vendor,
  role: Role,
  config: Settings,
  environment: ProviderEnvironment,
): string | null {
  if (modelOf(role, config) === undefined) return missingModel(id);
  if (keyOf(id, environment) !== undefined) return null;
  return sentence("lacks_key", { variable: keyNamesOf(id).join(" or "), provider: id });
}

/** The endpoint of `role`; nothing may be missing. */
export function nativeEndpointOf(
  vendor: Vendor,
  role: Role,
  config: Settings,
  environment: ProviderEnvironment,
): NativeEndpoint {
  const settings = config[vendor.id];
  const apiKey = keyOf(vendor.id, environment);
  const { ownBaseUrl = "" } = factsOf(vendor.id);
  const { baseUrl = ownBaseUrl, firstByteSec, idleSec } = settings;
  const model = modelOf(role, config) ?? "";
  const { contextWindow, reservedOutput, vision, audio } = capabilitiesOf(model, settings, vendor.known);
  const effort = effortOf(role, config);
  return {
    baseUrl: withVersion(baseUrl, ownBaseUrl),
    model,
    ...shareWindow(contextWindow, reservedOutput),
    senses: { vision, audio },
    firstByteMs: firstByteSec * 1_000,
    idleMs: idleSec * 1_000,
    retryDelaysMs: RETRY_DELAYS_MS,
    ...(effort !== undefined && { effort }),
    ...(apiKey !== undefined && { apiKey }),
  };
}

/** An address is taken with its version and without: `https://host` is `https://host/v1` where the vendor's own ends so. */
function withVersion(baseUrl: string, ownBaseUrl: string): string {
  const trimmed = baseUrl.replace(/(?<!\/)\/+$/, "");
  const version = /\/v[^/]+$/.exec(ownBaseUrl)?.[0] ?? "";
  return /\/v\d[^/]*$/.test(trimmed) ? trimmed : trimmed + version;
}
