/**
 * The conditions that a trigger can wait for (SPEC D1), a row each: what one holds, how it is asked for, and how it is said
 * in English; the page has its Chinese.
 * Its rule is a file of packages/core/src/conditions; its schema, the page's form, its sentences and what models are told
 * follow from its row. No schemas are in here: the page says a condition long before it needs to check one.
 */

/** One thing that a condition holds: what it is, and how it is asked for. `condition-schema.ts` has the schema of each kind. */
export interface ConditionField {
  kind: "path" | "task" | "question" | "flag" | "bound" | "weekdays" | "zone" | "count";
  isOptional?: boolean;
  /** A part that is new begins with this; a zone with the reader's, and anything else that is not optional empty. */
  initial?: unknown;
  /** Days of the week are labelled by the form. */
  label?: string;
  placeholder?: string;
  /** At the field, where the schema refuses what is in it. */
  refused?: string;
}

export type ConditionFields = Readonly<Record<string, ConditionField>>;
/** The fields of a condition as texts; a missing one is "". */
export type ConditionTexts<F extends ConditionFields = ConditionFields> = { readonly [Name in keyof F]: string };
/** That it is so, that it is not, and if it matters, that it is unknown now. */
export type Sentences = readonly [isSo: string, isNot: string, isUnknown?: string];

export interface AtomRow<F extends ConditionFields = ConditionFields> {
  /** It is chosen by this in the form. */
  label: string;
  /** The description of `params` for models, if it is not the names of the fields. */
  told?: string;
  /** In the order in which they are kept. */
  fields: F;
  /** Checks of the fields together. Where it does not, the API says `message`, and the form `refused`. */
  checks?: readonly { isMet(params: Readonly<Record<string, unknown>>): boolean; message: string; refused: string }[];
  en(said: ConditionTexts<F>): Sentences;
  /** In one line of a list, where that is not `en`. */
  line?(said: ConditionTexts<F>): string;
}

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** The compiler then sees to it that a row says only what it holds. */
const row = <const F extends ConditionFields>(said: AtomRow<F>) => said;

const PATH = {
  kind: "path",
  label: "File or glob in the workspace",
  placeholder: "src/**/*.ts",
  refused: "Name a file or a glob in the workspace, without “..”.",
} as const satisfies ConditionField;

const TASK = {
  kind: "task",
  label: "Id of the task",
  placeholder: "t-000001.0.1",
  refused: "Name a task by its id, like t-000001.0.1.",
} as const satisfies ConditionField;

const BOUND = {
  kind: "bound",
  isOptional: true,
  refused: "A time like 22:30, or a moment with its zone: 2026-12-01T09:00:00+08:00.",
} as const satisfies ConditionField;

/** Seconds for which what has changed must stay as it is before that counts, where a condition says nothing else. */
export const SETTLE_SEC_DEFAULT = 2;
export const SETTLE_SEC_MAX = 3_600;

/** In the order that the API lists them in. */
export const ATOMS = {
  /** Created, written and removed all count as changed, once what is there has stayed the same for `settleSec`. */
  file_changed: row({
    label: "a file changes",
    told: "{path or glob,settleSec?}",
    fields: {
      path: PATH,
      /** The first sight counts as a change, if there is anything to see; otherwise it is only the baseline. */
      fireOnInit: {
        kind: "flag",
        isOptional: true,
        label: "also for what is there already",
      },
      /** 0: the first write counts, also where others follow it at once. */
      settleSec: {
        kind: "count",
        isOptional: true,
        label: "Unchanged for so many seconds",
        placeholder: String(SETTLE_SEC_DEFAULT),
        refused: "A whole number of seconds, 0 or more.",
      },
    },
    checks: [
      {
        isMet: ({ settleSec = 0 }) => Number(settleSec) <= SETTLE_SEC_MAX,
        message: `settleSec is at most ${SETTLE_SEC_MAX}`,
        refused: `At most ${SETTLE_SEC_MAX} seconds.`,
      },
    ],
    en: ({ path }) => [`${path} changes`, `${path} does not change`],
  }),
  file_exists: row({
    label: "a file is there",
    fields: { path: PATH },
    en: ({ path }) => [`${path} is there`, `${path} is not there`],
  }),
  task_done: row({
    label: "a task is done",
    fields: { taskId: TASK },
    en: ({ taskId }) => [`${taskId} is done`, `${taskId} is not done`],
  }),
  task_failed: row({
    label: "a task has failed",
    fields: { taskId: TASK },
    en: ({ taskId }) => [`${taskId} has failed`, `${taskId} has not failed`],
  }),
  llm_eval: row({
    label: "a model says yes",
    fields: {
      prompt: {
        kind: "question",
        label: "Question to a model",
        placeholder: "Does CHANGELOG.md announce a release?",
        refused: "Ask something that can be answered with yes or no.",
      },
    },
    en: ({ prompt }) => [`a model says yes to ${prompt}`, `a model says no to ${prompt}`],
  }),
  time: row({
    label: "a time of the week",
    told: '{after?,before? "22:30" or ISO,weekdays? ["mon"],timezone?}',
    fields: {
      after: { ...BOUND, label: "From", placeholder: "09:00" },
      before: { ...BOUND, label: "Until", placeholder: "17:30" },
      weekdays: { kind: "weekdays", isOptional: true, initial: WEEKDAYS.slice(0, 5) },
      /** Of times of day and weekdays; that of the server where it is not said. */
      timezone: {
        kind: "zone",
        isOptional: true,
        label: "Time zone",
        placeholder: "that of the server",
        refused: "A zone like Europe/Paris or UTC.",
      },
    },
    checks: [
      {
        isMet: ({ after, before, weekdays }) => [after, before, weekdays].some((each) => each !== undefined),
        message: "set after, before or weekdays",
        refused: "Choose days, or say from when or until when.",
      },
      {
        isMet: ({ after, before }) => after === undefined || after !== before,
        message: "after and before are the same, so it would never be true",
        refused: "From and until are the same, so it would never be true.",
      },
    ],
    en: ({ after, before, weekdays, timezone }) => {
      const bounds = listed(", ", weekdays, after && `after ${after}`, before && `before ${before}`) || "…";
      const span = bounds + (timezone && ` (${timezone})`);
      return [`it is ${span}`, `it is not ${span}`];
    },
    line: ({ after, before, weekdays, timezone }) => {
      const zone = timezone && `in ${timezone}`;
      return `it is ${listed(" ", after && `after ${after}`, before && `before ${before}`, weekdays && `on ${weekdays}`, zone)}`;
    },
  }),
};

/** Those of the parts that are not empty. */
export function listed(separator: string, ...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(separator);
}

export type AtomType = keyof typeof ATOMS;
export const ATOM_TYPES = Object.keys(ATOMS) as [AtomType, ...AtomType[]];

/** The same for code that treats all of them alike. */
export const ROWS: Readonly<Record<AtomType, AtomRow>> = ATOMS;

/** The fields of a condition as texts, for the words of its row. @param text how a value of a kind is said; "" is not filled in yet. */
export function saidOf(
  { type, params }: { type: AtomType; params: object },
  text: (kind: ConditionField["kind"], value: unknown) => string,
): ConditionTexts {
  const values: Record<string, unknown> = { ...params };
  const said = Object.entries(ROWS[type].fields).map(([name, { kind, isOptional }]) => {
    const { [name]: value = "" } = values;
    return [name, value === "" && isOptional ? "" : text(kind, value)];
  });
  return Object.fromEntries(said);
}
