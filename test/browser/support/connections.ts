/** Providers as the gateway would describe them, with only what a test cares about spelled out. */
import type { ProviderEntry, ProvidersAnswer } from "@mimikit/protocol/wire/connect";
import type { ScriptedGateway } from "./scripted-gateway.ts";

export function providerEntry(change: Partial<ProviderEntry> & Pick<ProviderEntry, "id">): ProviderEntry {
  return {
    title: { en: change.id, zh: change.id },
    kind: "endpoint",
    needsKey: true,
    key: null,
    missing: "a key",
    answersFor: [],
    ...change,
  };
}

/** The providers on the card: an endpoint, a server of one's own, a program. */
export const PROVIDERS = [
  providerEntry({
    id: "openai",
    title: { en: "OpenAI", zh: "OpenAI" },
    ownBaseUrl: "https://api.example/v1",
    baseUrl: "https://api.example/v1",
    keyPage: "https://example.com/keys",
  }),
  providerEntry({
    id: "ollama",
    title: { en: "Ollama", zh: "Ollama" },
    kind: "local",
    needsKey: false,
    ownBaseUrl: "http://127.0.0.1:11434/v1",
    baseUrl: "http://127.0.0.1:11434/v1",
    missing: "a model",
  }),
  providerEntry({
    id: "codex",
    title: { en: "Codex", zh: "Codex" },
    kind: "program",
    needsKey: false,
    login: "mimikit connect codex",
    missing: "a login",
  }),
];

/** @param changes by id. */
export function describeProviders(
  gateway: ScriptedGateway,
  changes: Record<string, Partial<ProviderEntry>> = {},
  order: readonly string[] = ["offline"],
): void {
  const providers = PROVIDERS.map((entry) => ({ ...entry, ...changes[entry.id] }));
  const byRole = { teller: [...order], planner: [...order], worker: [...order], reviewer: [...order] };
  gateway.answers.set("/api/providers", { providers, order: byRole } satisfies ProvidersAnswer);
}
