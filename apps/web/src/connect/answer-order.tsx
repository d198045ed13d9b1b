/** The order of providers: the user's, its fallbacks, and those that are skipped for a while because they could not be reached. */
import type { ProvidersAnswer } from "@mimikit/protocol/wire/connect";
import { useSignal } from "@preact/signals";
import { providerTitle } from "../i18n/answerer-of.ts";
import { connectWords } from "../i18n/connect-words.ts";
import { momentText, words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { connection } from "../model/connection.ts";
import { addressOf } from "../model/place.ts";
import { status } from "../model/state.ts";
import { useAnswer } from "../model/use-answer.ts";
import { tryNow } from "./connect-calls.ts";
import "./connect.css";

export function AnswerOrder() {
  const version = useSignal(0);
  const said = useSignal("");
  // The present provider and the problems are news of which providers can be reached.
  const { providers, problems } = status.value ?? {};
  const { answer } = useAnswer<ProvidersAnswer>("api/providers", JSON.stringify([version.value, providers, problems]));
  if (answer === undefined) return <p class="quiet">{words.looking}</p>;
  const ids = [...new Set(Object.values(answer.order).flat())];
  const rows = ids.flatMap((id) => answer.providers.find((provider) => provider.id === id) ?? []);
  const isOneOpen = rows.some(({ state }) => state === "open");
  const again = async () => {
    const asked = await tryNow();
    said.value = "refusal" in asked ? asked.refusal : connectWords.tried;
    version.value++;
  };
  return (
    <section class="connect">
      <h3>{connectWords.order}</h3>
      <p>{connectWords.orderText}</p>
      <ol class="connect-order">
        {rows.map(({ id, state = "closed", retryAt, reason, api, learnt = [] }) => (
          <li key={id} data-circuit={state}>
            {providerTitle(id)}{" "}
            <span class={state === "open" ? "bad" : "quiet"}>
              {connectWords.stateOf[state]}
              {retryAt !== undefined && `, ${connectWords.triedAt(momentText(retryAt, nowMs.value))}`}
              {api !== undefined && `, ${connectWords.askedOver(api)}`}
            </span>
            {learnt.map((line) => (
              <p key={line} class="quiet connect-said">
                {line}
              </p>
            ))}
            {reason !== undefined && <p class="quiet connect-said">{reason}</p>}
          </li>
        ))}
      </ol>
      <div class="form-actions">
        {isOneOpen && (
          <button
            type="button"
            class="link"
            disabled={connection.value.state !== "connected"}
            onClick={() => void again()}
          >
            {connectWords.tryNow}
          </button>
        )}
        <a href={addressOf("settings", "outage")}>{connectWords.changeOrder}</a>
        <span role="status">{said.value}</span>
      </div>
    </section>
  );
}
