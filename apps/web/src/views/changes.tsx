/** Recent changes, by the user or by a model, and how to undo them; asked for again whenever the view opens. */

import type { ChangeView } from "@mimikit/protocol/wire/api";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Empty } from "../first-run/empty.tsx";
import { firstWords } from "../i18n/first-words.ts";
import { viewWords } from "../i18n/view-words.ts";
import { momentText, words } from "../i18n/words.ts";
import { call } from "../model/call.ts";
import { nowMs } from "../model/clock.ts";
import { connection } from "../model/connection.ts";
import { addressOf } from "../model/place.ts";
import { sendCommand } from "../model/send-command.ts";
import { CodedText } from "../ui/coded-text.tsx";
import "./changes.css";

export const changes = signal<readonly ChangeView[] | undefined>(undefined);
/** The changes that are being undone just now. */
const wanted = signal<ReadonlySet<string>>(new Set());

export function Changes() {
  useEffect(() => void lookForChanges(), []);
  const list = changes.value;
  return (
    <div class="changes">
      {list === undefined && <p class="quiet">{words.looking}</p>}
      {list?.length === 0 && (
        <Empty action={firstWords.firstMemory} does={addressOf("memory")}>
          <p>{viewWords.noChanges}</p>
        </Empty>
      )}
      <ChangeList list={list ?? []} />
    </div>
  );
}

/** The changes of one kind of thing, beside that thing; nothing while there are none. */
export function ChangesOf({ what }: { what: ChangeView["what"] }) {
  useEffect(() => void lookForChanges(), []);
  const list = changes.value?.filter((change) => change.what === what) ?? [];
  if (list.length === 0) return null;
  return (
    <section>
      <h3>{viewWords.lately}</h3>
      <ChangeList list={list} />
    </section>
  );
}

function ChangeList({ list }: { list: readonly ChangeView[] }) {
  return (
    <ul>
      {list.map((change) => (
        <li key={change.id} class="change" data-change={change.id} data-state={change.state}>
          <ChangeRow change={change} />
        </li>
      ))}
    </ul>
  );
}

function ChangeRow({ change: { id, at, what, op, by, title, state, problem } }: { change: ChangeView }) {
  const isWanted = wanted.value.has(id);
  return (
    <>
      <p class="change-title">
        <CodedText text={title} />
      </p>
      <p class="change-facts" role="status">
        {viewWords.whatChanged(what, op)} · {viewWords.changedBy(by)} ·{" "}
        <time dateTime={at}>{momentText(at, nowMs.value)}</time>
        {state === "undone" && ` · ${viewWords.undone}`}
        {state === "open" && isWanted && ` · ${viewWords.undoing}`}
        {state === "gone" && problem !== undefined && ` · ${viewWords.cannotUndo(problem)}`}
        {state === "open" && !isWanted && problem !== undefined && ` · ${viewWords.notUndone(problem)}`}
      </p>
      {state === "open" && (
        <button
          type="button"
          class="link"
          disabled={isWanted || connection.value.state !== "connected"}
          aria-label={viewWords.undoOf(title)}
          onClick={() => void undo(id)}
        >
          {viewWords.undo}
        </button>
      )}
    </>
  );
}

/** Takes a change back and looks until that is done, or long enough; what is refused, the user is told. */
async function undo(id: string): Promise<void> {
  wanted.value = new Set([...wanted.value, id]);
  try {
    const isAccepted = await sendCommand("api/undo", { id }, async () => {
      await lookForChanges();
      return changes.value?.find((change) => change.id === id)?.state;
    });
    if (!isAccepted) await lookForChanges();
  } finally {
    wanted.value = new Set([...wanted.value].filter((each) => each !== id));
  }
}

/** Asks for the list again. */
export async function lookForChanges(): Promise<void> {
  const said = await call<{ changes: ChangeView[] }>("GET", "api/changes");
  if (said !== undefined) changes.value = said.changes;
}
