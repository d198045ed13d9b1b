/** The name of a model: typed freely, or found in the list of those that there are. */
import type { OfferedModel } from "@mimikit/protocol/wire/connect";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { connectWords } from "../i18n/connect-words.ts";

/** Some endpoints have hundreds. */
const SHOWN_MAX = 50;

interface ModelFieldProps {
  models: readonly OfferedModel[];
  value: string;
  hint: string;
  change: (model: string) => void;
}

export function ModelField({ models, value, hint, change }: ModelFieldProps) {
  const id = useId();
  const isOpen = useSignal(false);
  /** None until the arrows have said which: Enter saves what is typed. */
  const selected = useSignal(-1);
  const wanted = value.trim().toLowerCase();
  // The chosen model is in the field: beside it, all others can be chosen.
  const isChosen = models.some((model) => model.id === value);
  const found = models.filter((model) => isChosen || model.id.toLowerCase().includes(wanted));
  const shown = isOpen.value ? found.slice(0, SHOWN_MAX) : [];
  const close = () => {
    isOpen.value = false;
    selected.value = -1;
  };
  const choose = (model: string) => {
    change(model);
    close();
  };
  const move = (by: number) => {
    isOpen.value = true;
    const count = Math.max(1, Math.min(found.length, SHOWN_MAX));
    selected.value = (Math.max(selected.value, by > 0 ? -1 : 0) + by + count) % count;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const chosen = shown[selected.value];
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter" && chosen !== undefined) choose(chosen.id);
    else if (event.key === "Escape" && shown.length > 0) close();
    else return;
    event.preventDefault();
  };
  return (
    <div class="connect-field">
      <label for={id}>{connectWords.model}</label>
      <input
        id={id}
        type="text"
        class="mono"
        role="combobox"
        spellcheck={false}
        autocomplete="off"
        maxLength={200}
        value={value}
        aria-autocomplete="list"
        aria-expanded={shown.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={shown[selected.value] === undefined ? undefined : `${id}-${selected.value}`}
        aria-describedby={`${id}-hint`}
        onKeyDown={onKeyDown}
        onFocus={() => {
          isOpen.value = true;
        }}
        onBlur={close}
        onInput={({ currentTarget }) => {
          change(currentTarget.value);
          selected.value = -1;
          isOpen.value = true;
        }}
      />
      <div
        id={`${id}-list`}
        class="connect-models"
        role="listbox"
        aria-label={connectWords.models}
        hidden={shown.length === 0}
      >
        {shown.map((model, i) => (
          <div
            key={model.id}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === selected.value}
            ref={(element) => {
              if (i === selected.value) element?.scrollIntoView({ block: "nearest" });
            }}
            // The field keeps the focus.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(model.id);
            }}
          >
            <span class="mono">{model.id}</span> <span class="quiet">{connectWords.offered(model)}</span>
          </div>
        ))}
      </div>
      <p id={`${id}-hint`} class="quiet">
        {isOpen.value && found.length > SHOWN_MAX ? connectWords.more(found.length - SHOWN_MAX) : hint}
      </p>
    </div>
  );
}
