/** Everything that can be seen or done, one key away: Ctrl+K or ⌘K from anywhere on the page. */
import { signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { words } from "../i18n/words.ts";
import { go, isPaletteOpen } from "../model/place.ts";
import { session } from "../model/session.ts";
import { Lens } from "../ui/icons.tsx";
import type * as Entries from "./palette-entries.ts";
import type { PaletteEntry } from "./palette-entries.ts";
import "./palette.css";

const isApple = /^(Mac|iP)/.test(navigator.platform);

addEventListener("keydown", (event) => {
  if (event.key === "?" && isFree(event)) return go("keys");
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
  if (session.value !== "paired") return;
  event.preventDefault();
  isPaletteOpen.value = !isPaletteOpen.value;
});

/** Nothing that takes text has the key, and nothing is over the page. */
function isFree({ target, defaultPrevented }: KeyboardEvent): boolean {
  const isTaken = (target as Element).closest?.("input, textarea, select, dialog, :popover-open") !== null;
  return session.value === "paired" && !defaultPrevented && !isTaken;
}

/** Opens the palette for those who do not know the key, and teaches it. */
export function PaletteButton() {
  return (
    <button
      type="button"
      class="palette-button"
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={() => {
        isPaletteOpen.value = true;
      }}
    >
      <Lens />
      <span class="label">{words.openPalette}</span>
      <kbd>{isApple ? "⌘K" : "Ctrl K"}</kbd>
    </button>
  );
}

/** The entries that can be found; loaded when the palette is first opened, while its user types on. */
const entriesFor = signal<typeof Entries.entriesFor | undefined>(undefined);
const hasFailed = signal(false);

async function loadEntries(): Promise<void> {
  try {
    entriesFor.value = (await import("./palette-entries.ts")).entriesFor;
  } catch (error) {
    // No connection, or another build has taken the place of this one: the browser says which.
    console.warn(error);
    hasFailed.value = true;
  }
}

export function Palette() {
  return isPaletteOpen.value ? <PaletteDialog /> : null;
}

const LIST_ID = "palette-list";
const optionId = (i: number) => `palette-${i}`;

function PaletteDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal("");
  const selected = useSignal(0);
  /** Enter came before there was a list: then it means the first of it. */
  const isDecided = useRef(false);
  const list = entriesFor.value?.(typed.value.trim()) ?? [];
  const close = () => {
    isPaletteOpen.value = false;
  };
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    close();
    // Once the dialog is gone, so that what the action focuses can have the focus.
    requestAnimationFrame(entry.act);
  };
  // Before the next key arrives: what is typed now must not go into the message field.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    if (entriesFor.value === undefined) void loadEntries();
    // The chosen entry may have moved the focus already, or removed the element that had it.
    return () => {
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, []);
  useLayoutEffect(() => {
    document.getElementById(optionId(selected.value))?.scrollIntoView({ block: "nearest" });
  }, [selected.value]);
  useLayoutEffect(() => {
    if (isDecided.current) choose(list[0]);
  }, [list.length]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" && list.length > 0) selected.value = (selected.value + 1) % list.length;
    else if (event.key === "ArrowUp" && list.length > 0)
      selected.value = (selected.value + list.length - 1) % list.length;
    else if (event.key === "Enter" && entriesFor.value === undefined) isDecided.current = true;
    else if (event.key === "Enter") choose(list[selected.value]);
    else return;
    event.preventDefault();
  };
  return (
    // A click on the dialog itself is a click on what is behind it. Escape is built in.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the dialog closes on Escape by itself
    <dialog
      class="palette"
      ref={dialog}
      aria-label={words.openPalette}
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      <div class="palette-box">
        <input
          type="text"
          role="combobox"
          aria-label={words.openPalette}
          aria-expanded={list.length > 0}
          aria-controls={LIST_ID}
          aria-autocomplete="list"
          aria-activedescendant={list.length > 0 ? optionId(selected.value) : undefined}
          placeholder={words.palettePlaceholder}
          autocomplete="off"
          spellcheck={false}
          value={typed.value}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            selected.value = 0;
            isDecided.current = false;
          }}
        />
        <div class="palette-list" id={LIST_ID} role="listbox" aria-label={words.openPalette}>
          {list.map((entry, i) => (
            <button
              key={entry.id}
              type="button"
              role="option"
              id={optionId(i)}
              tabIndex={-1}
              aria-selected={i === selected.value}
              onClick={() => choose(entry)}
            >
              <span class="name">{entry.name}</span>
              <span class="why">{entry.hint}</span>
            </button>
          ))}
        </div>
        <p class="palette-hint" role={hasFailed.value ? "alert" : undefined}>
          {hasFailed.value ? words.openingFailed : words.paletteHint}
        </p>
      </div>
    </dialog>
  );
}
