/** Where a model that speaks Chat Completions is and how to talk to it. Light: showing the providers loads this too. */

import type { PresetId } from "@mimikit/protocol/base/provider";
import type { Role } from "@mimikit/protocol/base/role";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { Config } from "@mimikit/runtime/config/config";
import { factsOf, keyNamesOf, keyOf, type ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { capabilitiesOf, familyWindowOf, type KnownCapabilities, knownOf } from "../../kernel/capabilities.ts";
import { effortOf, modelOf } from "../../provider.ts";
import { type ModelEndpoint, missingModel, RETRY_DELAYS_MS, shareWindow } from "../endpoint/place.ts";

/** Providers that are asked over Chat Completions. */
export type ChatId = PresetId | "openai";

export interface Endpoint extends ModelEndpoint {
  id: ChatId;
  /** The state directory, which remembers what the endpoint refuses; the process alone does if not given. */
  home?: string;
  /** The setting; `auto` if not given. */
  api?: ApiSetting;
  /** The maximum size of a request in tokens. */
  tokensMax: number;
  /** Tokens of the window that are kept for an answer; the endpoint's own limit if not given. */
  outputTokensMax?: number;
  /** Whether the model can call tools, as most can; one that cannot writes action tags. */
  toolCalls?: boolean;
  /** The capabilities in the settings; the rest is detected when it matters. */
  configured?: KnownCapabilities;
}

export type ApiSetting = Config["openai"]["api"];

export type ModelSettings = Pick<Config, ChatId | "model" | "models" | "effort" | "efforts">;

/** The missing setting before `role` can have a model there; null if nothing is missing. */
export function missingSetting(
  id: ChatId,
  role: Role,
  config: ModelSettings,
  environment: ProviderEnvironment,
): string | null {
  if (modelOf(role, config) === undefined) return missingModel(id);
  const { isLocal, ownBaseUrl, baseUrlVariable = `${id}.baseUrl` } = factsOf(id);
  const { baseUrl } = config[id];
  if (baseUrl === undefined && ownBaseUrl === undefined)
    return sentence("lacks_address", { variable: baseUrlVariable });
  // Another address may need none: a proxy, a server of one's own.
  const isOpen = isLocal === true || (baseUrl !== undefined && ownBaseUrl !== undefined);
  if (isOpen || keyOf(id, environment) !== undefined) return null;
  const needs = { variable: keyNamesOf(id).join(" or "), provider: id };
  if (ownBaseUrl === undefined) return sentence("lacks_key", needs);
  return sentence("lacks_address_or_key", { ...needs, address: baseUrlVariable });
}

/** The endpoint of `role`; nothing may be missing. */
export function endpointOf(
  role: Role,
  config: ModelSettings,
  environment: ProviderEnvironment,
  id: ChatId = "openai",
): Endpoint {
  const { api, firstByteSec, idleSec, contextWindow, reservedOutput, toolCalls, vision, audio } = config.openai;
  const { ownBaseUrl = "", keyHeader, isStrict, isLocal } = factsOf(id);
  const { baseUrl = ownBaseUrl } = config[id];
  const configured = { contextWindow, reservedOutput, toolCalls, vision, audio };
  const apiKey = keyOf(id, environment);
  const model = modelOf(role, config) ?? "";
  const effort = effortOf(role, config);
  const family = { contextWindow: isLocal === true ? undefined : familyWindowOf(model) };
  const can = capabilitiesOf(model, configured, knownOf(model), family);
  return {
    id,
    home: environment.home,
    api,
    baseUrl,
    model,
    ...shareWindow(can.contextWindow, can.reservedOutput),
    toolCalls: can.toolCalls,
    configured,
    firstByteMs: firstByteSec * 1_000,
    idleMs: idleSec * 1_000,
    retryDelaysMs: RETRY_DELAYS_MS,
    ...(effort !== undefined && { effort }),
    ...(apiKey !== undefined && { apiKey }),
    ...(keyHeader !== undefined && { keyHeader }),
    ...(isStrict !== undefined && { isStrict }),
  };
}
