/** The credentials that a provider asks for: a key, or the login of a program. */
import type { ProviderEntry } from "@mimikit/protocol/wire/connect";
import type { RefObject } from "preact";
import { useId } from "preact/hooks";
import { connectWords } from "../i18n/connect-words.ts";

interface KeyFieldProps {
  entry: ProviderEntry;
  /** The key stands in the field and nowhere else. */
  field: RefObject<HTMLInputElement | null>;
  forget: () => void;
}

export function KeyField({ entry, field, forget }: KeyFieldProps) {
  const id = useId();
  const { key, kind, keyPage, needsKey } = entry;
  const variable = key?.from === "variable" ? key.variable : undefined;
  const isKept = key?.from === "secrets.json";
  const fields = (
    <div class="connect-field">
      <label for={id}>{needsKey ? connectWords.key : connectWords.optionalKey}</label>
      <input
        id={id}
        ref={field}
        type="password"
        class="mono"
        autocomplete="off"
        spellcheck={false}
        maxLength={4_096}
        disabled={variable !== undefined}
        aria-describedby={`${id}-about`}
      />
      <p id={`${id}-about`} class="quiet">
        {variable !== undefined && connectWords.keyLocked(variable)}
        {isKept && (
          <>
            {connectWords.keyKept}{" "}
            <button type="button" class="link" onClick={forget}>
              {connectWords.forgetKey}
            </button>
          </>
        )}
        {key === null && keyPage !== undefined && (
          <a href={keyPage} target="_blank" rel="noreferrer">
            {connectWords.keyPage}
          </a>
        )}
      </p>
    </div>
  );
  if (kind === "endpoint") return fields;
  return (
    <details open={key !== null}>
      <summary>{connectWords.orKey}</summary>
      {fields}
    </details>
  );
}

interface SignInProps {
  entry: ProviderEntry;
  isChecking: boolean;
  check: () => void;
}

/** The program's own login, on the computer where it is: no page can do that. */
export function SignIn({ entry: { login, missing }, isChecking, check }: SignInProps) {
  return (
    <div class="connect-field">
      {missing !== null && login !== undefined && (
        <>
          <p>{connectWords.signIn}</p>
          <pre>
            <code>{login}</code>
          </pre>
        </>
      )}
      <p>
        <span role="status" class={missing === null ? "good" : "quiet"}>
          {isChecking ? connectWords.checking : missing === null ? connectWords.isReady : connectWords.lacks(missing)}
        </span>{" "}
        <button type="button" class="link" disabled={isChecking} onClick={check}>
          {connectWords.checkAgain}
        </button>
      </p>
    </div>
  );
}
