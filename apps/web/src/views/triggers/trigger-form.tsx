/** Makes a trigger, or changes one: what, and when in words; it shows the next moments before anything is saved. */
import { ATOMS } from "@mimikit/protocol/triggers/atoms";
import type { TriggerDetail } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { inLanguage } from "../../i18n/condition-words.ts";
import { cronWords } from "../../i18n/cron-words.ts";
import { TARGETS, viewWords, type WeekdayIndex } from "../../i18n/view-words.ts";
import { momentText } from "../../i18n/words.ts";
import { nowMs } from "../../model/clock.ts";
import { connection } from "../../model/connection.ts";
import { type Preview, previewSchedule, saveTrigger } from "../../model/trigger-calls.ts";
import { Select } from "../../ui/select.tsx";
import { ConditionBuilder } from "./condition-builder.tsx";
import {
  changesOf,
  cronOf,
  draftOf,
  emptyDraft,
  isComplete,
  KINDS,
  orderOf,
  type TriggerDraft,
  UNITS_SEC,
  whenOf,
} from "./trigger-draft.ts";
import { Weekdays } from "./weekdays.tsx";

/** A pause in the typing of this length is when the next moments are asked for. */
const PAUSE_MS = 250;
/** The gateway's limits. */
const PROMPT_CHARS_MAX = 100_000;
const TITLE_CHARS_MAX = 200;
const WEEK: readonly WeekdayIndex[] = [1, 2, 3, 4, 5, 6, 0];
const MISSED = ["latest", "all", "none"] as const;
const PATH = ATOMS.file_changed.fields.path;

interface TriggerFormProps {
  /** The trigger that is changed; none for a new one. */
  trigger: TriggerDetail | undefined;
  onDone: () => void;
}

interface FieldProps {
  draft: TriggerDraft;
  change: (change: Partial<TriggerDraft>) => void;
}

export function TriggerForm({ trigger, onDone }: TriggerFormProps) {
  const openedMs = useRef(nowMs.peek()).current;
  const draft = useSignal(trigger === undefined ? emptyDraft(openedMs) : draftOf(trigger, openedMs));
  const problem = useSignal<string | undefined>(undefined);
  const isSaving = useSignal(false);
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  const change = (fields: Partial<TriggerDraft>) => {
    draft.value = { ...draft.value, ...fields };
    problem.value = undefined;
  };
  const isReady = isComplete(draft.value) && connection.value.state === "connected" && !isSaving.value;
  const save = async () => {
    const order = trigger === undefined ? orderOf(draft.value) : changesOf(draft.value, trigger, openedMs);
    if (Object.keys(order).length === 0) return onDone();
    isSaving.value = true;
    problem.value = await saveTrigger(order, trigger?.id);
    isSaving.value = false;
    if (problem.value === undefined) onDone();
  };
  const title = trigger === undefined ? viewWords.newTrigger : viewWords.editTrigger;
  return (
    <form
      class="trigger-form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void save();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.isComposing) return;
        event.preventDefault();
        onDone();
      }}
    >
      <h3>{title}</h3>
      <label>
        {viewWords.what}
        <textarea
          ref={first}
          rows={2}
          maxLength={PROMPT_CHARS_MAX}
          placeholder={viewWords.whatPlaceholder}
          value={draft.value.prompt}
          onInput={(event) => change({ prompt: event.currentTarget.value })}
        />
      </label>
      <div class="form-row">
        <label>
          {viewWords.when}
          <Select
            options={KINDS[trigger?.type ?? "new"]}
            textOf={(kind) => viewWords.kinds[kind]}
            chosen={draft.value.kind}
            onChoose={(kind) => change({ kind })}
          />
        </label>
        <WhenFields draft={draft.value} change={change} />
      </div>
      <Upcoming draft={draft.value} />
      <More draft={draft.value} change={change} />
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <div class="form-actions">
        <button type="submit" class="primary" disabled={!isReady}>
          {trigger === undefined ? viewWords.create : viewWords.save}
        </button>
        <button type="button" class="link" onClick={onDone}>
          {viewWords.cancel}
        </button>
      </div>
    </form>
  );
}

/** The fields of the kind that is chosen. */
function WhenFields({ draft, change }: FieldProps) {
  switch (draft.kind) {
    case "daily":
      return <Time draft={draft} change={change} />;
    case "weekly":
      return (
        <>
          <Weekdays
            days={WEEK}
            chosen={draft.weekdays}
            wordOf={viewWords.weekday}
            change={(weekdays) => change({ weekdays })}
          />
          <Time draft={draft} change={change} />
        </>
      );
    case "monthly":
      return (
        <>
          <label>
            {viewWords.dayOfMonth}
            <input
              type="number"
              min={1}
              max={31}
              required
              value={draft.dayOfMonth}
              onInput={(event) => change({ dayOfMonth: event.currentTarget.valueAsNumber || 1 })}
            />
          </label>
          <Time draft={draft} change={change} />
        </>
      );
    case "interval":
      return <Interval draft={draft} change={change} />;
    case "cron":
      return (
        <label class="wide">
          {viewWords.cronField}
          <input
            type="text"
            class="mono"
            spellcheck={false}
            title={viewWords.cronHint}
            value={draft.cron}
            onInput={(event) => change({ cron: event.currentTarget.value })}
          />
          <small class="quiet">
            {viewWords.cronHint} · {draft.timezone}
          </small>
        </label>
      );
    case "once":
      return (
        <label>
          {viewWords.moment}
          <input
            type="datetime-local"
            required
            value={draft.moment}
            onInput={(event) => change({ moment: event.currentTarget.value })}
          />
        </label>
      );
    case "file":
      return (
        <label class="wide">
          {inLanguage(PATH.label)}
          <input
            type="text"
            class="mono"
            spellcheck={false}
            placeholder={PATH.placeholder}
            value={draft.path}
            onInput={(event) => change({ path: event.currentTarget.value })}
          />
        </label>
      );
    case "condition":
      return <ConditionBuilder condition={draft.condition} change={(condition) => change({ condition })} />;
  }
}

function Time({ draft, change }: FieldProps) {
  return (
    <label>
      {viewWords.at}
      <input type="time" required value={draft.time} onInput={(event) => change({ time: event.currentTarget.value })} />
    </label>
  );
}

function Interval({ draft: { count, unitSec }, change }: FieldProps) {
  const units = UNITS_SEC.includes(unitSec as (typeof UNITS_SEC)[number]) ? UNITS_SEC : [unitSec, ...UNITS_SEC];
  return (
    <div class="form-row">
      <label>
        {viewWords.everyN}
        <input
          type="number"
          min={1}
          required
          value={count}
          onInput={(event) => change({ count: event.currentTarget.valueAsNumber || 0 })}
        />
      </label>
      <Select
        name={viewWords.everyN}
        options={units}
        textOf={(sec) => viewWords.units[sec] ?? ""}
        chosen={unitSec}
        onChoose={(sec) => change({ unitSec: sec })}
      />
    </div>
  );
}

/** The next firings, asked of the gateway: the browser does not know every rule of daylight saving. */
function Upcoming({ draft }: { draft: TriggerDraft }) {
  const preview = useSignal<Preview | undefined>(undefined);
  const { cron, interval, timezone } = isComplete({ ...draft, prompt: "…" }) ? whenOf(draft) : {};
  const query = cron !== undefined ? { cron, timezone: timezone ?? "" } : interval && { interval: String(interval) };
  const key = query && JSON.stringify(query);
  useEffect(() => {
    preview.value = undefined;
    if (query === undefined || query === 0) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      void previewSchedule(query).then((found) => {
        if (isWanted) preview.value = found;
      });
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key]);
  if (!key) return null;
  const found = preview.value;
  const isRefused = found !== undefined && "problem" in found;
  const inWords = found !== undefined && "upcoming" in found ? cronWords(cronOf(draft) ?? "") : undefined;
  return (
    <p class="upcoming" role="status" data-problem={isRefused}>
      {inWords !== undefined && <b>{viewWords.sentence(inWords)} </b>}
      {found === undefined && viewWords.previewing}
      {isRefused && found.problem}
      {found !== undefined && "upcoming" in found && (
        <>
          {viewWords.nextTimes} {found.upcoming.map((at) => momentText(at, nowMs.value)).join(" · ")}
        </>
      )}
    </p>
  );
}

function More({ draft, change }: FieldProps) {
  const isConditional = draft.kind === "file" || draft.kind === "condition";
  return (
    <details class="more">
      <summary>{viewWords.more}</summary>
      <div class="form-row">
        <label class="wide">
          {viewWords.titleField}
          <input
            type="text"
            maxLength={TITLE_CHARS_MAX}
            placeholder={viewWords.titlePlaceholder}
            value={draft.title}
            onInput={(event) => change({ title: event.currentTarget.value })}
          />
        </label>
        <label>
          {viewWords.target}
          <Select
            options={TARGETS}
            textOf={viewWords.targetOf}
            chosen={draft.target}
            onChoose={(target) => change({ target })}
          />
        </label>
        {isConditional ? (
          <>
            <Seconds
              label={viewWords.stableFor}
              value={draft.stableSec}
              change={(stableSec) => change({ stableSec })}
            />
            <Seconds
              label={viewWords.cooldown}
              value={draft.cooldownSec}
              change={(cooldownSec) => change({ cooldownSec })}
            />
          </>
        ) : (
          <label>
            {viewWords.missed}
            <Select
              options={MISSED}
              textOf={(missed) => viewWords.missedOf[missed]}
              chosen={draft.missed}
              onChoose={(missed) => change({ missed })}
            />
          </label>
        )}
      </div>
    </details>
  );
}

function Seconds({ label, value, change }: { label: string; value: number; change: (seconds: number) => void }) {
  return (
    <label>
      {label}
      <input type="number" min={0} value={value} onInput={(event) => change(event.currentTarget.valueAsNumber || 0)} />
    </label>
  );
}
