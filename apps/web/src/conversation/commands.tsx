/** The commands of the chat, as a list above the message field that appears when a line begins with a slash. */
import { SLASH_COMMANDS } from "@mimikit/protocol/wire/slash-command";
import { signal } from "@preact/signals";
import { words } from "../i18n/words.ts";

export const COMMANDS_ID = "commands";

type Choice = (typeof SLASH_COMMANDS)[number];

/** The place of the selected command among those that are shown; the first, whenever the draft changes. */
export const selected = signal(0);
/** The draft for which the list was closed; a change opens it again. */
const closedFor = signal<string | undefined>(undefined);

/** The commands that a draft may become: none, unless it is the beginning of one. */
export function choices(draft: string): readonly Choice[] {
  const typed = /^\/([a-z]*)$/i.exec(draft)?.[1]?.toLowerCase();
  if (typed === undefined || draft === closedFor.value) return [];
  return SLASH_COMMANDS.filter(({ name }) => name.startsWith(typed));
}

/** Selects the next command, or the one before; the list has no end. */
export function move(by: 1 | -1, length: number): void {
  selected.value = (selected.value + by + length) % length;
}

/** The draft has changed: the list shows what fits, from its top. */
export function openList(): void {
  closedFor.value = undefined;
  selected.value = 0;
}

/** Closes the list until the draft is another. */
export function closeList(draft: string): void {
  closedFor.value = draft;
}

export function optionId(i: number): string {
  return `command-${i}`;
}

interface CommandListProps {
  list: readonly Choice[];
  onChoose: (name: Choice["name"], takes: Choice["takes"]) => void;
}

export function CommandList({ list, onChoose }: CommandListProps) {
  if (list.length === 0) return null;
  return (
    <div class="commands" id={COMMANDS_ID} role="listbox" aria-label={words.commands}>
      {list.map(({ name, takes }, i) => (
        <button
          key={name}
          type="button"
          role="option"
          id={optionId(i)}
          tabIndex={-1}
          aria-selected={i === selected.value}
          onClick={() => onChoose(name, takes)}
        >
          <code class="typed">
            /{name}
            {takes === "text" && ` ${words.commandText}`}
          </code>
          <span class="why">{words.command(name)}</span>
        </button>
      ))}
    </div>
  );
}
