/** Builds a condition of parts: groups of all or any of them, what must not hold, and what each waits for. */
import { type ConditionField, ROWS, WEEKDAYS } from "@mimikit/protocol/triggers/atoms";
import {
  type Atom,
  CONDITION_DEPTH_MAX,
  CONDITION_LEAVES_MAX,
  type Condition,
  EVALUATION_PROMPT_CHARS_MAX,
  isAtom,
  isRefused,
  leavesOf,
  PATH_CHARS_MAX,
  partsOf,
  refusedTogether,
  type Weekday,
} from "@mimikit/protocol/triggers/condition";
import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { conditionWords, dayWord, inLanguage } from "../../i18n/condition-words.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { tasks } from "../../model/state.ts";
import { asType, emptyPart, LEAVES, withField, withParts } from "./condition-edit.ts";
import { Weekdays } from "./weekdays.tsx";
import "./condition-builder.css";

const GROUPS = ["and", "or", "not"] as const;
const TASKS_ID = "tasks-to-wait-for";
const TASKS_OFFERED_MAX = 50;
/** Of ids, moments and zones. */
const SHORT_CHARS_MAX = 128;

interface ConditionBuilderProps {
  condition: Condition;
  change: (condition: Condition) => void;
}

export function ConditionBuilder({ condition, change }: ConditionBuilderProps) {
  return (
    <fieldset class="condition">
      <legend>{viewWords.conditionField}</legend>
      <Part condition={condition} change={change} whole={condition} level={1} />
      <p class="upcoming" role="status" data-condition-words>
        <b>{viewWords.whenSo(conditionWords(condition))}</b>
      </p>
      <datalist id={TASKS_ID}>
        {[...tasks.value.values()].slice(-TASKS_OFFERED_MAX).map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </datalist>
    </fieldset>
  );
}

interface PartProps extends ConditionBuilderProps {
  whole: Condition;
  /** 1 is the whole. */
  level: number;
  /** Takes it out of its group; the last of a group stays. */
  remove?: (() => void) | undefined;
}

function Part({ condition, change, whole, level, remove }: PartProps) {
  const groups = level < CONDITION_DEPTH_MAX || !isAtom(condition) ? GROUPS : [];
  return (
    <div class="part" data-type={condition.type}>
      <div class="part-top">
        <select
          aria-label={viewWords.conditionType}
          value={condition.type}
          onInput={(event) => change(asType(condition, event.currentTarget.value as Condition["type"]))}
        >
          {groups.map((type) => (
            <option key={type} value={type}>
              {viewWords.groups[type]}
            </option>
          ))}
          {/* In place of several parts, all but one of them would be lost. */}
          {LEAVES.map((type) => (
            <option key={type} value={type} disabled={leavesOf(condition).length > 1}>
              {inLanguage(ROWS[type].label)}
            </option>
          ))}
        </select>
        {/* Fields of another kind are other fields: nothing of the old ones, nor their bounds, stays. */}
        {isAtom(condition) && <Fields key={condition.type} atom={condition} change={change} />}
        {remove !== undefined && (
          <button
            type="button"
            class="link"
            aria-label={viewWords.removeOf(conditionWords(condition))}
            onClick={remove}
          >
            {viewWords.remove}
          </button>
        )}
      </div>
      {!isAtom(condition) && <Parts condition={condition} change={change} whole={whole} level={level} />}
    </div>
  );
}

function Parts({
  condition,
  change,
  whole,
  level,
}: Omit<PartProps, "remove" | "condition"> & { condition: Exclude<Condition, Atom> }) {
  const list = useRef<HTMLUListElement>(null);
  const parts = partsOf(condition);
  const count = useRef(parts.length);
  // An added part is filled in next; after a removed one, the focus goes on to the part that has taken its place.
  const removed = useRef(0);
  useLayoutEffect(() => {
    const by = parts.length - count.current;
    count.current = parts.length;
    const children = list.current?.children;
    if (by === 1) children?.[parts.length - 1]?.querySelector("select")?.focus();
    if (by === -1) children?.[Math.min(removed.current, parts.length - 1)]?.querySelector("select")?.focus();
  }, [parts.length]);
  return (
    <>
      <ul class="parts" ref={list}>
        {parts.map((part, i) => (
          <li key={i}>
            <Part
              condition={part}
              change={(other) => change(withParts(condition, parts.with(i, other)))}
              whole={whole}
              level={level + 1}
              remove={
                parts.length === 1
                  ? undefined
                  : () => {
                      removed.current = i;
                      change(withParts(condition, parts.toSpliced(i, 1)));
                    }
              }
            />
          </li>
        ))}
      </ul>
      {condition.type !== "not" && (
        <button
          type="button"
          class="link add-part"
          disabled={leavesOf(whole).length >= CONDITION_LEAVES_MAX}
          onClick={() => change(withParts(condition, [...parts, emptyPart()]))}
        >
          {viewWords.addCondition[condition.type]}
        </button>
      )}
    </>
  );
}

function Fields({ atom, change }: { atom: Atom; change: (atom: Atom) => void }) {
  const params: Record<string, unknown> = atom.params;
  const together = refusedTogether(atom);
  // Days are chosen before times are typed.
  const inOrder = Object.entries(ROWS[atom.type].fields).sort(
    ([, a], [, b]) => Number(b.kind === "weekdays") - Number(a.kind === "weekdays"),
  );
  return (
    <>
      {inOrder.map(([name, field]) => (
        <FieldOf
          key={name}
          field={field}
          value={params[name]}
          change={(value) => change(withField(atom, name, value))}
        />
      ))}
      {together !== undefined && (
        <p class="field-problem" role="alert">
          {inLanguage(together)}
        </p>
      )}
    </>
  );
}

interface FieldProps {
  field: ConditionField;
  value: unknown;
  change: (value: unknown) => void;
}

function FieldOf({ field, value, change }: FieldProps) {
  if (field.kind === "weekdays")
    return <Weekdays days={WEEKDAYS} chosen={(value ?? []) as Weekday[]} wordOf={dayWord} change={change} />;
  if (field.kind !== "flag") return <TextField field={field} value={value} change={change} />;
  return (
    <label class="check">
      <input type="checkbox" checked={value === true} onInput={(event) => change(event.currentTarget.checked)} />
      {inLanguage(field.label)}
    </label>
  );
}

/** The mistake in it is shown once the field has been visited. */
function TextField({ field, value, change }: FieldProps) {
  const wasLeft = useSignal(false);
  const fieldId = useId();
  const problemId = useId();
  const { kind, label, placeholder, refused } = field;
  const isTold = isRefused(field, value) && (wasLeft.value || value !== undefined);
  const isProse = kind === "question";
  const isCount = kind === "count";
  const input = {
    id: fieldId,
    class: isProse ? "" : "mono",
    placeholder: inLanguage(placeholder),
    value: String(value ?? ""),
    maxLength: kind === "path" ? PATH_CHARS_MAX : isProse ? EVALUATION_PROMPT_CHARS_MAX : SHORT_CHARS_MAX,
    "aria-invalid": isTold,
    "aria-describedby": isTold ? problemId : undefined,
    onBlur: () => {
      wasLeft.value = true;
    },
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      change(isCount && value !== "" ? Number(value) : value),
  };
  return (
    <label for={fieldId} class={kind === "bound" || isCount ? "short" : "wide"}>
      {inLanguage(label)}
      {isProse ? (
        <textarea {...input} rows={2} />
      ) : (
        <input
          {...input}
          type={isCount ? "number" : "text"}
          list={kind === "task" ? TASKS_ID : undefined}
          spellcheck={false}
          autocomplete="off"
        />
      )}
      {isTold && (
        <small id={problemId} class="field-problem">
          {inLanguage(refused)}
        </small>
      )}
    </label>
  );
}
