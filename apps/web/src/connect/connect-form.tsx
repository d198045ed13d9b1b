/** Connects one provider. A typed key is in the field alone, and gone from there once it is saved. */
import { ROLES as ROLE_FACTS, type Role } from "@mimikit/protocol/base/kind";
import type {
  ConnectAnswer,
  ConnectBody,
  ConnectionTest,
  LocalServer,
  OfferedModel,
  ProviderEntry,
} from "@mimikit/protocol/wire/connect";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { answererTitle } from "../i18n/answerer-of.ts";
import { connectWords } from "../i18n/connect-words.ts";
import { titleOf, words } from "../i18n/words.ts";
import { connection } from "../model/connection.ts";
import { status } from "../model/state.ts";
import { forgetKey, saveConnection, testConnection } from "./connect-calls.ts";
import { KeyField, SignIn } from "./credentials.tsx";
import { ModelField } from "./model-field.tsx";
import { TestOutcome } from "./test-outcome.tsx";

const ROLES = Object.keys(ROLE_FACTS) as Role[];

interface ConnectFormProps {
  entry: ProviderEntry;
  /** The server on this computer that was chosen. */
  found: LocalServer | undefined;
  isChecking: boolean;
  /** Asks the gateway again what there is. */
  check: () => void;
}

export function ConnectForm({ entry, found, isChecking, check }: ConnectFormProps) {
  const { id: provider, kind } = entry;
  const key = useRef<HTMLInputElement>(null);
  const offered = useSignal<readonly OfferedModel[]>((found?.models ?? []).map((id) => ({ id })));
  const model = useSignal(entry.model ?? (found?.models.length === 1 ? (found.models[0] ?? "") : ""));
  const address = useSignal(found?.baseUrl ?? (entry.baseUrl === entry.ownBaseUrl ? "" : (entry.baseUrl ?? "")));
  const roles = useSignal<readonly Role[]>(ROLES);
  const tested = useSignal<ConnectionTest | undefined>(undefined);
  const saved = useSignal<ConnectAnswer | undefined>(undefined);
  const does = useSignal<"test" | "save" | undefined>(undefined);
  /** A refusal, or what was done beside saving. */
  const said = useSignal<{ text: string; isRefusal: boolean } | undefined>(undefined);

  const wanted = (): ConnectBody => {
    const typed = key.current?.value.trim() ?? "";
    const baseUrl = address.value.trim() || entry.ownBaseUrl;
    const name = model.value.trim();
    return {
      provider,
      ...(baseUrl !== undefined && baseUrl !== entry.baseUrl && { baseUrl }),
      ...(typed !== "" && { key: typed }),
      ...(name !== "" && { model: name }),
    };
  };
  const begin = (what: "test" | "save") => {
    does.value = what;
    said.value = undefined;
    tested.value = undefined;
    saved.value = undefined;
  };
  const test = async () => {
    begin("test");
    const asked = await testConnection(wanted());
    does.value = undefined;
    if ("refusal" in asked) {
      said.value = { text: asked.refusal, isRefusal: true };
      return;
    }
    tested.value = asked.answer;
    if (asked.answer.models.length > 0) offered.value = asked.answer.models;
  };
  const save = async () => {
    begin("save");
    const asked = await saveConnection({
      ...wanted(),
      ...(roles.value.length < ROLES.length && { roles: [...roles.value] }),
    });
    does.value = undefined;
    if ("refusal" in asked) {
      said.value = { text: asked.refusal, isRefusal: true };
      return;
    }
    if (key.current !== null) key.current.value = "";
    saved.value = asked.answer;
    check();
  };
  const forget = async () => {
    const asked = await forgetKey(provider);
    said.value =
      "refusal" in asked
        ? { text: asked.refusal, isRefusal: true }
        : { text: connectWords.keyForgotten, isRefusal: false };
    check();
  };
  const isOff = does.value !== undefined || connection.value.state !== "connected";
  const hasModel = model.value.trim() !== "";
  return (
    <form
      class="connect-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {kind === "program" && <SignIn entry={entry} isChecking={isChecking} check={check} />}
      <KeyField entry={entry} field={key} forget={() => void forget()} />
      <AddressField
        entry={entry}
        value={address.value}
        change={(text) => {
          address.value = text;
        }}
      />
      <div class="form-actions">
        <button type="button" class="link" disabled={isOff} onClick={() => void test()}>
          {does.value === "test" ? connectWords.testing : connectWords.test}
        </button>
        <span class="quiet">{connectWords.testHint}</span>
      </div>
      <TestOutcome
        title={entry.title[words.language]}
        outcome={tested.value}
        choose={(name) => {
          model.value = name;
        }}
      />
      <ModelField
        models={offered.value}
        value={model.value}
        hint={kind === "program" ? connectWords.ownModel : connectWords.modelHint}
        change={(name) => {
          model.value = name;
        }}
      />
      <Roles
        chosen={roles.value}
        change={(next) => {
          roles.value = next;
        }}
      />
      {said.value?.isRefusal === true && (
        <p class="field-problem" role="alert">
          {said.value.text}
        </p>
      )}
      <div class="form-actions">
        <button
          type="submit"
          class="primary"
          disabled={isOff || roles.value.length === 0 || (kind !== "program" && !hasModel)}
        >
          {does.value === "save" ? connectWords.saving : connectWords.save}
        </button>
        <span role="status">
          {said.value?.isRefusal === false && said.value.text}
          {saved.value !== undefined && <AnswersNow saved={saved.value} roles={roles.value} />}
        </span>
      </div>
    </form>
  );
}

interface AddressFieldProps {
  entry: ProviderEntry;
  value: string;
  change: (address: string) => void;
}

/** Where it is: told at once where that is not known, and else on demand. */
function AddressField({ entry: { kind, ownBaseUrl }, value, change }: AddressFieldProps) {
  const field = (
    <label class="connect-field">
      {connectWords.address}
      <input
        type="text"
        inputMode="url"
        class="mono"
        spellcheck={false}
        autocomplete="off"
        maxLength={2_048}
        placeholder={ownBaseUrl}
        value={value}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </label>
  );
  if (kind === "local" || (kind === "endpoint" && ownBaseUrl === undefined)) return field;
  return (
    <details open={value !== ""}>
      <summary>{connectWords.otherAddress}</summary>
      <p class="quiet">{connectWords.addressHint}</p>
      {field}
    </details>
  );
}

function Roles({ chosen, change }: { chosen: readonly Role[]; change: (roles: readonly Role[]) => void }) {
  return (
    <fieldset class="connect-roles">
      <legend>{connectWords.answersFor}</legend>
      {ROLES.map((role) => (
        <label key={role}>
          <input
            type="checkbox"
            checked={chosen.includes(role)}
            onInput={({ currentTarget: { checked } }) =>
              change(ROLES.filter((one) => (one === role ? checked : chosen.includes(one))))
            }
          />
          {titleOf(role)}
        </label>
      ))}
    </fieldset>
  );
}

/** The saved connection, and whether it is in use already: the status, in the gateway's own words, says that. */
function AnswersNow({ saved: { providers, models }, roles }: { saved: ConnectAnswer; roles: readonly Role[] }) {
  const now = status.value;
  const counts = roles.every((role) => now?.providers[role] === providers[role] && now.models[role] === models[role]);
  if (!counts) return <>{connectWords.saved}</>;
  const names = new Set(roles.map((role) => answererTitle(providers[role], models[role])));
  return <span class="good">{connectWords.answersNow([...names].join(", "))}</span>;
}
