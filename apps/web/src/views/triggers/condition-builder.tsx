/** Builds a condition of parts: groups of all or any of them, what must not hold, and what each waits for. */
import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { conditionWords, dayWord } from "../../i18n/condition-words.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { tasks } from "../../model/state.ts";
import {
  asType,
  type ConditionType,
  canBeLeaf,
  canNest,
  hasRoom,
  isLeaf,
  refusedFields,
  withOneMore,
  withoutPart,
  withPart,
} from "./condition-edit.ts";
import {
  type Atom,
  type Condition,
  EVALUATION_PROMPT_CHARS_MAX,
  PATH_CHARS_MAX,
  WEEKDAYS,
} from "./condition-schema.ts";
import "./condition-builder.css";

const GROUPS = ["and", "or", "not"] as const;
const LEAVES = ["file_exists", "file_changed", "task_done", "task_failed", "time", "llm_eval"] as const;
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

function isLeafType(type: ConditionType): boolean {
  return LEAVES.some((one) => one === type);
}

interface PartProps extends ConditionBuilderProps {
  whole: Condition;
  /** 1 is the whole. */
  level: number;
  /** Takes it out of its group; the last of a group stays. */
  remove?: (() => void) | undefined;
}

function Part({ condition, change, whole, level, remove }: PartProps) {
  const types: readonly ConditionType[] = canNest(level) || !isLeaf(condition) ? [...GROUPS, ...LEAVES] : LEAVES;
  return (
    <div class="part" data-type={condition.type}>
      <div class="part-top">
        <select
          aria-label={viewWords.conditionType}
          value={condition.type}
          onInput={(event) => {
            const type = types.find((one) => one === event.currentTarget.value);
            if (type !== undefined) change(asType(condition, type));
          }}
        >
          {types.map((type) => (
            <option key={type} value={type} disabled={isLeafType(type) && !canBeLeaf(condition)}>
              {viewWords.conditionTypes[type]}
            </option>
          ))}
        </select>
        {/* Fields of another kind are other fields: nothing of the old ones, nor their bounds, stays. */}
        {isLeaf(condition) && <Fields key={condition.type} atom={condition} change={change} />}
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
      {!isLeaf(condition) && <Parts condition={condition} change={change} whole={whole} level={level} />}
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
  const parts = condition.type === "not" ? [condition.condition] : condition.conditions;
  const count = useRef(parts.length);
  // What was added is filled in next; after what was taken out, the focus goes on to what has taken its place.
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
              change={(other) => change(withPart(condition, i, other))}
              whole={whole}
              level={level + 1}
              remove={
                parts.length === 1
                  ? undefined
                  : () => {
                      removed.current = i;
                      change(withoutPart(condition, i));
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
          disabled={!hasRoom(whole)}
          onClick={() => change(withOneMore(condition))}
        >
          {viewWords.addCondition[condition.type]}
        </button>
      )}
    </>
  );
}

interface AtomProps<T extends Atom["type"] = Atom["type"]> {
  atom: Extract<Atom, { type: T }>;
  change: (atom: Atom) => void;
}

function Fields({ atom, change }: AtomProps) {
  const refused = refusedFields(atom);
  switch (atom.type) {
    case "file_changed":
    case "file_exists":
      return (
        <>
          <TextField
            name={viewWords.path}
            placeholder="src/**/*.ts"
            charsMax={PATH_CHARS_MAX}
            value={atom.params.path}
            problem={refused.has("path") ? viewWords.refusedPath : undefined}
            onType={(path) => change({ ...atom, params: { ...atom.params, path } })}
          />
          {atom.type === "file_changed" && <FireOnInit atom={atom} change={change} />}
        </>
      );
    case "task_done":
    case "task_failed":
      return (
        <TextField
          name={viewWords.taskField}
          placeholder="t-000001.0.1"
          list={TASKS_ID}
          charsMax={SHORT_CHARS_MAX}
          value={atom.params.taskId}
          problem={refused.has("taskId") ? viewWords.refusedTask : undefined}
          onType={(taskId) => change({ ...atom, params: { taskId } })}
        />
      );
    case "llm_eval":
      return (
        <TextField
          name={viewWords.evaluationField}
          placeholder={viewWords.evaluationPlaceholder}
          charsMax={EVALUATION_PROMPT_CHARS_MAX}
          isProse
          value={atom.params.prompt}
          problem={refused.has("prompt") ? viewWords.refusedPrompt : undefined}
          onType={(prompt) => change({ ...atom, params: { prompt } })}
        />
      );
    case "time":
      return <TimeFields atom={atom} change={change} />;
  }
}

function FireOnInit({ atom, change }: AtomProps<"file_changed">) {
  const { fireOnInit, ...params } = atom.params;
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={fireOnInit === true}
        onInput={(event) =>
          change({ ...atom, params: event.currentTarget.checked ? { ...params, fireOnInit: true } : params })
        }
      />
      {viewWords.fireOnInit}
    </label>
  );
}

function TimeFields({ atom, change }: AtomProps<"time">) {
  const { weekdays = [] } = atom.params;
  const refused = refusedFields(atom);
  const set = (name: "after" | "before" | "timezone" | "weekdays", value: string | typeof weekdays) => {
    const { [name]: _, ...others } = atom.params;
    change({ ...atom, params: value.length === 0 ? others : { ...others, [name]: value } });
  };
  const together = atom.params.after === undefined ? viewWords.refusedNoTime : viewWords.refusedSameTime;
  return (
    <>
      <fieldset class="weekdays">
        <legend>{viewWords.onDays}</legend>
        {WEEKDAYS.map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={weekdays.includes(day)}
              onInput={() =>
                set(
                  "weekdays",
                  WEEKDAYS.filter((one) => (one === day) !== weekdays.includes(one)),
                )
              }
            />
            {dayWord(day)}
          </label>
        ))}
      </fieldset>
      {(["after", "before"] as const).map((bound) => (
        <TextField
          key={bound}
          name={viewWords.timeBounds[bound]}
          placeholder={bound === "after" ? "09:00" : "17:30"}
          value={atom.params[bound] ?? ""}
          isShort
          charsMax={SHORT_CHARS_MAX}
          problem={refused.has(bound) ? viewWords.refusedBound : undefined}
          onType={(text) => set(bound, text)}
        />
      ))}
      <TextField
        name={viewWords.timezoneField}
        placeholder={viewWords.timezonePlaceholder}
        charsMax={SHORT_CHARS_MAX}
        value={atom.params.timezone ?? ""}
        problem={refused.has("timezone") ? viewWords.refusedTimezone : undefined}
        onType={(text) => set("timezone", text)}
      />
      {refused.has("params") && (
        <p class="field-problem" role="alert">
          {together}
        </p>
      )}
    </>
  );
}

interface TextFieldProps {
  name: string;
  placeholder: string;
  value: string;
  /** What is wrong with it; shown once somebody has been there. */
  problem: string | undefined;
  onType: (text: string) => void;
  charsMax: number;
  list?: string;
  isProse?: boolean;
  isShort?: boolean;
}

function TextField({ name, placeholder, value, problem, onType, charsMax, list, isProse, isShort }: TextFieldProps) {
  const wasLeft = useSignal(false);
  const fieldId = useId();
  const problemId = useId();
  const isTold = problem !== undefined && (wasLeft.value || value !== "");
  const field = {
    id: fieldId,
    class: isProse ? "" : "mono",
    placeholder,
    value,
    maxLength: charsMax,
    "aria-invalid": isTold,
    "aria-describedby": isTold ? problemId : undefined,
    onBlur: () => {
      wasLeft.value = true;
    },
  };
  return (
    <label for={fieldId} class={isShort ? "short" : "wide"}>
      {name}
      {isProse ? (
        <textarea {...field} rows={2} onInput={(event) => onType(event.currentTarget.value)} />
      ) : (
        <input
          {...field}
          type="text"
          list={list}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => onType(event.currentTarget.value)}
        />
      )}
      {isTold && (
        <small id={problemId} class="field-problem">
          {problem}
        </small>
      )}
    </label>
  );
}
