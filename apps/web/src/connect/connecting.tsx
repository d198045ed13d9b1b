/** The connected provider: one of the list, or a server that answers on this computer. */
import type { LocalAnswer, LocalServer, ProviderEntry, ProvidersAnswer } from "@mimikit/protocol/wire/connect";
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { connectWords } from "../i18n/connect-words.ts";
import { words } from "../i18n/words.ts";
import { useAnswer } from "../model/use-answer.ts";
import { ConnectForm } from "./connect-form.tsx";

const KINDS = ["endpoint", "local", "program"] as const;

/** Servers are looked for when this is shown, never before. */
export function Connecting() {
  const id = useId();
  const version = useSignal(0);
  const { answer, isLooking } = useAnswer<ProvidersAnswer>("api/providers", version.value);
  const local = useAnswer<LocalAnswer>("api/providers/local");
  const chosen = useSignal("");
  const field = useRef<HTMLSelectElement>(null);
  const isThere = answer !== undefined;
  useEffect(() => {
    // A user who has opened the card goes on with its first field.
    if (isThere) field.current?.focus();
  }, [isThere]);
  if (answer === undefined) return <p class="quiet">{words.looking}</p>;
  const servers = local.answer?.servers ?? [];
  const found = servers.find((server) => addressed(server) === chosen.value);
  const entry = answer.providers.find((one) => one.id === (found?.provider ?? chosen.value));
  return (
    <>
      <div class="connect-field">
        <label for={id}>{connectWords.provider}</label>
        <select
          id={id}
          ref={field}
          value={chosen.value}
          onInput={({ currentTarget }) => {
            chosen.value = currentTarget.value;
          }}
        >
          <option value="">{connectWords.choose}</option>
          {servers.length > 0 && (
            <optgroup label={connectWords.found}>
              {servers.map((server) => (
                <option key={addressed(server)} value={addressed(server)}>
                  {connectWords.foundServer(titleIn(answer, server.provider), server.baseUrl, server.models.length)}
                </option>
              ))}
            </optgroup>
          )}
          {KINDS.map((kind) => (
            <optgroup key={kind} label={connectWords.kinds[kind]}>
              {answer.providers
                .filter((provider) => provider.kind === kind)
                .map((provider) => (
                  <option key={provider.id} value={provider.id}>
                    {provider.id === "openai" ? connectWords.openai : titleOf(provider)}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
        <p class="quiet" role="status">
          {local.isLooking ? connectWords.isLooking : servers.length === 0 && connectWords.noneFound}
        </p>
      </div>
      {entry !== undefined && (
        <ConnectForm
          key={chosen.value}
          entry={entry}
          found={found}
          isChecking={isLooking}
          check={() => {
            version.value++;
          }}
        />
      )}
    </>
  );
}

/** Names a server that was found, and no provider. */
function addressed({ provider, baseUrl }: LocalServer): string {
  return `${provider} ${baseUrl}`;
}

function titleOf({ title }: ProviderEntry): string {
  return title[words.language];
}

function titleIn({ providers }: ProvidersAnswer, id: string): string {
  const entry = providers.find((one) => one.id === id);
  return entry === undefined ? id : titleOf(entry);
}
