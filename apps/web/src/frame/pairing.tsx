/** The screen of a browser that the gateway does not know: how to get a code, and where to put it. */

import { doorWords } from "../i18n/door-words.ts";
import { busy, problem, redeem, typed } from "../model/redeem.ts";
import { codeIn, type PairOutcome } from "../model/session.ts";
import { Mark } from "../ui/icons.tsx";

const EXPLANATIONS: Record<Exclude<PairOutcome, "paired">, string> = {
  expired: doorWords.pairExpired,
  refused: doorWords.pairRefused,
  locked: doorWords.pairLocked,
  foreign: doorWords.pairForeign(location.origin + location.pathname),
  unreachable: doorWords.pairUnreachable,
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
        <h1>{doorWords.pairTitle}</h1>
        <p>{doorWords.pairText}</p>
        <pre>
          <code>{doorWords.pairCommand}</code>
        </pre>
        <p class="quiet">{doorWords.pairStart}</p>
        <form onSubmit={submit}>
          <label for="code">{doorWords.pairCode}</label>
          <div class="field">
            <input
              id="code"
              type="text"
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              value={typed.value}
              aria-invalid={problem.value !== undefined}
              aria-describedby="pair-problem"
              onInput={(event) => {
                typed.value = event.currentTarget.value;
              }}
            />
            <button type="submit" class="primary" disabled={busy.value || typed.value.trim() === ""}>
              {busy.value ? doorWords.pairing : doorWords.pair}
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
