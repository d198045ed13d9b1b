/** Chooses who answers the next message, or all from now on: one of the providers that are connected, with any of its models. */

import type { AnswerBy } from "@mimikit/protocol/records/inbox";
import type { OfferedModel, ProviderEntry, ProvidersAnswer } from "@mimikit/protocol/wire/connect";
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { connectWords } from "../i18n/connect-words.ts";
import { overviewWords } from "../i18n/overview-words.ts";
import { words } from "../i18n/words.ts";
import { connection } from "../model/connection.ts";
import { addressOf } from "../model/place.ts";
import { status } from "../model/state.ts";
import { useAnswer } from "../model/use-answer.ts";
import { saveConnection, testConnection } from "./connect-calls.ts";
import { ModelField } from "./model-field.tsx";
import "./connect.css";

interface AnswererChoiceProps {
  /** The provider of the next message; undefined: as the settings say. */
  next: Signal<AnswerBy | undefined>;
  close: () => void;
}

export function AnswererChoice({ next, close }: AnswererChoiceProps) {
  const { answer } = useAnswer<ProvidersAnswer>("api/providers");
  const chosen = useSignal(next.value?.provider ?? status.value?.providers.teller);
  if (answer === undefined) return <p class="quiet">{words.looking}</p>;
  const connected = answer.providers.filter(({ missing }) => missing === null);
  const entry = connected.find(({ id }) => id === chosen.value);
  return (
    <div class="connect answerer-choice">
      <fieldset class="connect-roles">
        <legend>{words.whoAnswers}</legend>
        {connected.map(({ id, title, model }) => (
          <label key={id}>
            <input
              type="radio"
              name="answerer"
              checked={id === chosen.value}
              onInput={() => {
                chosen.value = id;
              }}
            />
            {title[words.language]} <span class="quiet">{model}</span>
          </label>
        ))}
      </fieldset>
      {entry !== undefined && <Model key={entry.id} entry={entry} next={next} close={close} />}
      <a href={addressOf("settings", "connect")} onClick={close}>
        {overviewWords.connectModel}
      </a>
    </div>
  );
}

function Model({ entry, next, close }: AnswererChoiceProps & { entry: ProviderEntry }) {
  const { id: provider, kind } = entry;
  const offered = useSignal<readonly OfferedModel[]>([]);
  const model = useSignal((next.value?.provider === provider ? next.value.model : undefined) ?? entry.model ?? "");
  const refusal = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (kind === "offline") return;
    // Only lists: without a model nothing is asked of any.
    void testConnection({ provider }).then((asked) => {
      if ("answer" in asked) offered.value = asked.answer.models;
    });
  }, []);
  const name = model.value.trim();
  const chosen: AnswerBy = { provider, ...(name !== "" && kind !== "offline" && { model: name }) };
  const save = async () => {
    const asked = await saveConnection({ ...chosen, roles: ["teller"] });
    refusal.value = "refusal" in asked ? asked.refusal : undefined;
    if ("refusal" in asked) return;
    next.value = undefined;
    close();
  };
  return (
    <form
      class="connect-form"
      onSubmit={(event) => {
        event.preventDefault();
        next.value = chosen;
        close();
      }}
    >
      {kind !== "offline" && (
        <ModelField
          models={offered.value}
          value={model.value}
          hint={kind === "program" ? connectWords.ownModel : connectWords.modelHint}
          change={(text) => {
            model.value = text;
          }}
        />
      )}
      {refusal.value !== undefined && (
        <p class="field-problem" role="alert">
          {refusal.value}
        </p>
      )}
      <div class="form-actions">
        <button type="submit" class="primary">
          {connectWords.forNext}
        </button>
        <button
          type="button"
          class="link"
          disabled={connection.value.state !== "connected"}
          onClick={() => void save()}
        >
          {connectWords.forGood}
        </button>
      </div>
    </form>
  );
}
