/** How much a model may do without asking, and the commands that were allowed for good. */
import type { ApprovalsAnswer } from "@mimikit/protocol/wire/api";
import { signal } from "@preact/signals";
import { autonomyWords } from "../../i18n/autonomy-words.ts";
import { momentText } from "../../i18n/words.ts";
import { call } from "../../model/call.ts";
import { nowMs } from "../../model/clock.ts";
import { connection } from "../../model/connection.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { AutonomyChoice, useAutonomy } from "./autonomy-choice.tsx";

const removed = signal<ReadonlySet<string>>(new Set());

export function Autonomy() {
  const setting = useAutonomy();
  const { answer } = useAnswer<ApprovalsAnswer>("api/approvals");
  // The command is durable when it is answered; the list follows within a moment.
  const remove = async (id: string) => {
    const accepted = await call("DELETE", `api/approvals/${id}`);
    if (accepted !== undefined) removed.value = new Set([...removed.value, id]);
  };
  const approvals = answer?.approvals.filter(({ id }) => !removed.value.has(id)) ?? [];
  return (
    <section>
      <h3>{autonomyWords.title}</h3>
      {setting !== undefined && <AutonomyChoice setting={setting} />}
      {approvals.length > 0 && <p>{autonomyWords.allowed}</p>}
      <ul class="devices">
        {approvals.map(({ id, prefix, reaches, at, holds }) => (
          <li key={id}>
            <code>{prefix.join(" ")} …</code>
            <span class="quiet">
              {holds ? reaches.map((reach) => autonomyWords.reaches[reach]).join(", ") : autonomyWords.holdsNoMore}
            </span>
            <time class="quiet" dateTime={at}>
              {momentText(at, nowMs.value)}
            </time>
            <button
              type="button"
              class="link"
              disabled={connection.value.state !== "connected"}
              aria-label={autonomyWords.askAgainFor(prefix.join(" "))}
              onClick={() => void remove(id)}
            >
              {autonomyWords.askAgain}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
