/** The screen of a browser that the gateway does not know: how to get a code, and where to put it. */

import { words } from "../i18n/words.ts";
import { busy, problem, redeem, typed } from "../model/redeem.ts";
import { codeIn, type PairOutcome } from "../model/session.ts";
import { Mark } from "../ui/icons.tsx";

const EXPLANATIONS: Record<Exclude<PairOutcome, "paired">, string> = {
  expired: words.pairExpired,
  refused: words.pairRefused,
  locked: words.pairLocked,
  unreachable: words.pairUnreachable,
};

export function Pairing() {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const code = codeIn(typed.value);
    if (code !== "" && !busy.value) void redeem(code);
  };
  return (
    <main class="pairing">
      <div class="card">
        <Mark />
        <h1>{words.pairTitle}</h1>
        <p>{words.pairText}</p>
        <pre>
          <code>{words.pairCommand}</code>
        </pre>
        <p class="quiet">{words.pairStart}</p>
        <form onSubmit={submit}>
          <label for="code">{words.pairCode}</label>
          <div class="field">
            <input
              id="code"
              type="text"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              placeholder={words.pairPlaceholder}
              value={typed.value}
              aria-invalid={problem.value !== undefined}
              aria-describedby="pair-problem"
              onInput={(event) => {
                typed.value = event.currentTarget.value;
              }}
            />
            <button type="submit" class="primary" disabled={busy.value || typed.value.trim() === ""}>
              {busy.value ? words.pairing : words.pair}
            </button>
          </div>
          <p id="pair-problem" class="problem" role="alert">
            {problem.value && EXPLANATIONS[problem.value]}
          </p>
        </form>
      </div>
    </main>
  );
}
