/** An ended task is ordered once more, as it was or in other words; the page goes to the new one as soon as it is there. */
import type { TaskDetail } from "@mimikit/protocol/wire/api";
import { useEffect, useRef, useState } from "preact/hooks";
import { viewWords } from "../../i18n/view-words.ts";
import { ask } from "../../model/call.ts";
import { connection } from "../../model/connection.ts";
import { newId } from "../../model/outbox.ts";
import { go } from "../../model/place.ts";
import { notice, tasks } from "../../model/state.ts";

export function Again({ detail: { id, prompt, title } }: { detail: TaskDetail }) {
  // The same words under one key, however often they are ordered; other words are another order.
  const last = useRef<{ key: string; text: string | undefined }>({ key: newId(), text: undefined });
  const [text, setText] = useState<string>();
  const [ordered, setOrdered] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const isThere = ordered !== undefined && tasks.value.has(ordered);
  useEffect(() => {
    if (isThere) go("tasks", ordered);
  }, [isThere, ordered]);
  const order = async () => {
    setAsking(true);
    const changed: { text?: string } = text === undefined || text.trim() === prompt.trim() ? {} : { text: text.trim() };
    if (last.current.text !== changed.text) last.current = { key: newId(), text: changed.text };
    const path = `api/tasks/${encodeURIComponent(id)}/again`;
    const asked = await ask<{ id: string }>("POST", path, changed, undefined, last.current.key);
    setAsking(false);
    if ("answer" in asked) setOrdered(asked.answer.id);
    else notice.value = asked.refusal;
  };
  if (ordered !== undefined) return <p role="status">{viewWords.againOrdered}</p>;
  const isOff = isAsking || connection.value.state !== "connected";
  if (text === undefined)
    return (
      <p class="again">
        <button
          type="button"
          class="option"
          disabled={isOff}
          aria-label={viewWords.againOf(title)}
          onClick={() => void order()}
        >
          {viewWords.again}
        </button>
        <button type="button" class="link" disabled={isOff} onClick={() => setText(prompt)}>
          {viewWords.againChanged}
        </button>
      </p>
    );
  return (
    <form
      class="again"
      onSubmit={(event) => {
        event.preventDefault();
        void order();
      }}
    >
      <label>
        {viewWords.againText}
        <textarea rows={5} required value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <p>
        <button type="submit" class="option" disabled={isOff || text.trim() === ""}>
          {viewWords.again}
        </button>
        <button type="button" class="link" onClick={() => setText(undefined)}>
          {viewWords.againNot}
        </button>
      </p>
    </form>
  );
}
