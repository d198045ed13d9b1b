/** How the page connects models (docs/api.md). A key goes through here once, and is kept nowhere. */
import type {
  ConnectAnswer,
  ConnectBody,
  ConnectionTest,
  ConnectionTestBody,
  ProviderEntry,
} from "@mimikit/protocol/wire/connect";
import { ask, type CallOutcome } from "../model/call.ts";

/** A model may take its time with its first word. */
const TEST_MS_MAX = 120_000;

/** Lists the models and makes one tiny call. */
export function testConnection(body: ConnectionTestBody): Promise<CallOutcome<ConnectionTest>> {
  return ask("POST", "api/providers/test", body, TEST_MS_MAX);
}

/** Saves who answers. */
export function saveConnection(body: ConnectBody): Promise<CallOutcome<ConnectAnswer>> {
  return ask("POST", "api/providers/connect", body);
}

/** Forgets the key that is kept of a provider. @returns the provider as it is then. */
export function forgetKey(provider: string): Promise<CallOutcome<ProviderEntry>> {
  return ask("POST", "api/providers/forget-key", { provider });
}

/** Providers that are left alone for a while, because they could not be reached, are asked again at once. */
export function tryNow(): Promise<CallOutcome<unknown>> {
  return ask("POST", "api/providers/try-now", {});
}
