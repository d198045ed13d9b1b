/** The to-do list: the checkboxes of backlog.md, which the assistant edits too. */
import type { BacklogBody, BacklogEntry } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Empty } from "../first-run/empty.tsx";
import { firstWords } from "../i18n/first-words.ts";
import { viewWords } from "../i18n/view-words.ts";
import { words } from "../i18n/words.ts";
import { call } from "../model/call.ts";
import { connection } from "../model/connection.ts";
import { sendCommand } from "../model/send-command.ts";
import { ChangesOf, changes, lookForChanges } from "./changes.tsx";
import "./kept.css";

/** The gateway's limit. */
const ITEM_CHARS_MAX = 500;

export function Backlog() {
  const items = useSignal<readonly BacklogEntry[] | undefined>(undefined);
  const typed = useSignal("");
  const isAtWork = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  /** The row of what was ticked off or removed just now. */
  const acted = useRef<number | undefined>(undefined);
  const isConnected = connection.value.state === "connected";
  const isLocked = isAtWork.value || !isConnected;
  const look = async () => {
    items.value = (await call<{ items: BacklogEntry[] }>("GET", "api/backlog"))?.items ?? items.value;
    return items.value;
  };
  // A change that is undone in the list of changes makes another list here.
  useEffect(() => {
    if (isConnected) void look();
  }, [changes.value, isConnected]);
  useEffect(() => field.current?.focus(), []);
  // A user who goes by keyboard stays where they were: at that row, or at the one that has come into its place.
  useEffect(() => {
    if (isLocked || acted.current === undefined) return;
    const buttons = list.current?.querySelectorAll("button") ?? [];
    (buttons[acted.current] ?? buttons[buttons.length - 1] ?? field.current)?.focus();
    acted.current = undefined;
  }, [isLocked]);
  const edit = async (op: BacklogBody["op"], item: string) => {
    isAtWork.value = true;
    try {
      const isAccepted = await sendCommand("api/backlog", { op, item } satisfies BacklogBody, look);
      await lookForChanges();
      return isAccepted;
    } finally {
      isAtWork.value = false;
    }
  };
  const add = async () => {
    const item = typed.value.trim();
    if (item === "" || isLocked) return;
    // It is cleared at once, so that what is typed meanwhile stays; what was refused comes back where nothing new was typed.
    typed.value = "";
    if (await edit("add", item)) field.current?.focus();
    else if (typed.value === "") typed.value = item;
  };
  return (
    <div class="kept">
      <form
        class="kept-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <input
          ref={field}
          type="text"
          aria-label={viewWords.backlogAdd}
          placeholder={viewWords.backlogPlaceholder}
          maxLength={ITEM_CHARS_MAX}
          autocomplete="off"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="primary" disabled={isLocked || typed.value.trim() === ""}>
          {viewWords.add}
        </button>
      </form>
      {items.value === undefined && <p class="quiet">{words.looking}</p>}
      {items.value?.length === 0 && (
        <Empty action={firstWords.firstBacklog} does={() => field.current?.focus()}>
          <p>{viewWords.backlogTeach}</p>
        </Empty>
      )}
      <ul ref={list} aria-busy={isAtWork.value}>
        {items.value?.map((entry, row) => (
          <li key={entry.number} class="item" data-done={entry.done}>
            <Item
              entry={entry}
              name={nameOf(entry, items.value ?? [])}
              isLocked={isLocked}
              edit={(op, item) => {
                acted.current = row;
                return edit(op, item);
              }}
            />
          </li>
        ))}
      </ul>
      <ChangesOf what="backlog" />
    </div>
  );
}

interface ItemProps {
  entry: BacklogEntry;
  /** The name of the item in a command. */
  name: string;
  isLocked: boolean;
  edit: (op: BacklogBody["op"], item: string) => Promise<boolean>;
}

/** Its text, which stays right when the file is edited; its number where the text means another one or is refused. */
function nameOf({ item, number }: BacklogEntry, items: readonly BacklogEntry[]): string {
  const isUnique = items.filter((one) => one.item === item).length === 1;
  return isUnique && item.trim() !== "" && item.length <= ITEM_CHARS_MAX ? item : String(number);
}

/** An item that is done stays done; to take that back is a change like any other. */
function Item({ entry: { item, done }, name, isLocked, edit }: ItemProps) {
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={done}
          disabled={done || isLocked}
          onClick={(event) => {
            // It is ticked when it is done, and not before.
            event.preventDefault();
            void edit("done", name);
          }}
        />
        <span>{item}</span>
      </label>
      <button
        type="button"
        class="link"
        disabled={isLocked}
        aria-label={viewWords.removeOf(item)}
        onClick={() => void edit("remove", name)}
      >
        {viewWords.remove}
      </button>
    </>
  );
}
