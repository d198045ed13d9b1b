/**
 * The conditions that a trigger can wait for (SPEC D1), a row each: what one holds, how it is asked for, and how it is said.
 * Its rule is a file of packages/core/src/conditions; its schema, the page's form, its sentences and what models are told
 * follow from its row. No schemas are in here: the page says a condition long before it needs to check one.
 */

/** In each language of the page, or the same in all. */
export type Wording = string | { en: string; zh: string };

/** One thing that a condition holds: what it is, and how it is asked for. `condition-schema.ts` has the schema of each kind. */
export interface Field {
  kind: "path" | "task" | "question" | "flag" | "bound" | "weekdays" | "zone" | "count";
  isOptional?: boolean;
  /** A part that is new begins with this; a zone with the reader's, and anything else that is not optional empty. */
  initial?: unknown;
  /** Days of the week are labelled by the form. */
  label?: Wording;
  placeholder?: Wording;
  /** At the field, where the schema refuses what is in it. */
  refused?: Wording;
}

export type Fields = Readonly<Record<string, Field>>;
/** What a condition holds, each as a text; what it does not hold is "". */
export type Said<F extends Fields = Fields> = { readonly [Name in keyof F]: string };
/** That it is so, that it is not, and where it matters that nobody can tell now. */
type Sentences = readonly [isSo: string, isNot: string, isUnknown?: string];

export interface AtomRow<F extends Fields = Fields> {
  /** It is chosen by this in the form. */
  label: Wording;
  /** What models are told of `params`, where that is not the names of the fields. */
  told?: string;
  /** In the order in which they are kept. */
  fields: F;
  /** What holds of the fields together. Where it does not, the API says `message`, and the form `refused`. */
  checks?: readonly { isMet(params: Readonly<Record<string, unknown>>): boolean; message: string; refused: Wording }[];
  en(said: Said<F>): Sentences;
  zh(said: Said<F>): Sentences;
  /** In one line of a list, where that is not `en`. */
  line?(said: Said<F>): string;
  /** As it was found to be, where that is not `zh`. In English its rule says more: what it was found by. */
  foundZh?(said: Said<F>): Sentences;
}

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** The compiler then sees to it that a row says only what it holds. */
const row = <const F extends Fields>(said: AtomRow<F>) => said;

const PATH = {
  kind: "path",
  label: { en: "File or glob in the workspace", zh: "工作区里的文件或通配符" },
  placeholder: "src/**/*.ts",
  refused: {
    en: "Name a file or a glob in the workspace, without “..”.",
    zh: "请写工作区里的文件或通配符，不能有“..”。",
  },
} as const satisfies Field;

const TASK = {
  kind: "task",
  label: { en: "Id of the task", zh: "任务编号" },
  placeholder: "t-000001.0.1",
  refused: { en: "Name a task by its id, like t-000001.0.1.", zh: "请写任务的编号，例如 t-000001.0.1。" },
} as const satisfies Field;

const BOUND = {
  kind: "bound",
  isOptional: true,
  refused: {
    en: "A time like 22:30, or a moment with its zone: 2026-12-01T09:00:00+08:00.",
    zh: "写一个时间，例如 22:30；或带时区的时刻：2026-12-01T09:00:00+08:00。",
  },
} as const satisfies Field;

/** In the order that the API lists them in. */
export const ATOMS = {
  /** Created, written and removed all count as changed. */
  file_changed: row({
    label: { en: "a file changes", zh: "文件变化" },
    told: "{path or glob}",
    fields: {
      path: PATH,
      /** The first sight counts as a change, if there is anything to see; otherwise it is only the baseline. */
      fireOnInit: {
        kind: "flag",
        isOptional: true,
        label: { en: "also for what is there already", zh: "已经存在的也算" },
      },
    },
    en: ({ path }) => [`${path} changes`, `${path} does not change`],
    zh: ({ path }) => [`${path} 有变化`, `${path} 没有变化`, `${path} 现在无法查看`],
  }),
  file_exists: row({
    label: { en: "a file is there", zh: "文件存在" },
    fields: { path: PATH },
    en: ({ path }) => [`${path} is there`, `${path} is not there`],
    zh: ({ path }) => [`${path} 存在`, `${path} 不存在`, `${path} 现在无法查看`],
  }),
  task_done: row({
    label: { en: "a task is done", zh: "任务完成" },
    fields: { taskId: TASK },
    en: ({ taskId }) => [`${taskId} is done`, `${taskId} is not done`],
    zh: ({ taskId }) => [`${taskId} 已完成`, `${taskId} 没有完成`],
  }),
  task_failed: row({
    label: { en: "a task has failed", zh: "任务失败" },
    fields: { taskId: TASK },
    en: ({ taskId }) => [`${taskId} has failed`, `${taskId} has not failed`],
    zh: ({ taskId }) => [`${taskId} 失败了`, `${taskId} 没有失败`],
  }),
  llm_eval: row({
    label: { en: "a model says yes", zh: "模型认为是" },
    fields: {
      prompt: {
        kind: "question",
        label: { en: "Question to a model", zh: "问模型的问题" },
        placeholder: { en: "Does CHANGELOG.md announce a release?", zh: "CHANGELOG.md 是否宣布了新版本？" },
        refused: { en: "Ask something that can be answered with yes or no.", zh: "请写一个可以用是或否回答的问题。" },
      },
    },
    en: ({ prompt }) => [`a model says yes to ${prompt}`, `a model says no to ${prompt}`],
    zh: ({ prompt }) => [`模型认为是：${prompt}`, `模型认为不是：${prompt}`],
    foundZh: ({ prompt }) => [`${prompt}：模型说是`, `${prompt}：模型说否`, `${prompt}：等待模型回答`],
  }),
  time: row({
    label: { en: "a time of the week", zh: "一周中的时间" },
    told: '{after?,before? "22:30" or ISO,weekdays? ["mon"],timezone?}',
    fields: {
      after: { ...BOUND, label: { en: "From", zh: "从" }, placeholder: "09:00" },
      before: { ...BOUND, label: { en: "Until", zh: "到" }, placeholder: "17:30" },
      weekdays: { kind: "weekdays", isOptional: true, initial: WEEKDAYS.slice(0, 5) },
      /** Of times of day and weekdays; that of the server where it is not said. */
      timezone: {
        kind: "zone",
        isOptional: true,
        label: { en: "Time zone", zh: "时区" },
        placeholder: { en: "that of the server", zh: "服务器的时区" },
        refused: { en: "A zone like Europe/Paris or UTC.", zh: "例如 Europe/Paris 或 UTC。" },
      },
    },
    checks: [
      {
        isMet: ({ after, before, weekdays }) => [after, before, weekdays].some((each) => each !== undefined),
        message: "say after, before or weekdays",
        refused: { en: "Choose days, or say from when or until when.", zh: "请选择星期，或写明从何时、到何时。" },
      },
      {
        isMet: ({ after, before }) => after === undefined || after !== before,
        message: "after and before are the same, so it would never hold",
        refused: { en: "From and until are the same, so it would never hold.", zh: "开始和结束相同，永远不会成立。" },
      },
    ],
    en: ({ after, before, weekdays, timezone }) => {
      const bounds = listed(", ", weekdays, after && `after ${after}`, before && `before ${before}`) || "…";
      const span = bounds + (timezone && ` (${timezone})`);
      return [`it is ${span}`, `it is not ${span}`];
    },
    zh: (said) => {
      const span = (boundsZh(said) || "…") + (said.timezone && `（${said.timezone}）`);
      return [`现在是${span}`, `现在不是${span}`];
    },
    line: ({ after, before, weekdays, timezone }) => {
      const zone = timezone && `in ${timezone}`;
      return `it is ${listed(" ", after && `after ${after}`, before && `before ${before}`, weekdays && `on ${weekdays}`, zone)}`;
    },
    foundZh: (said) => {
      const span = listed("，", boundsZh(said), said.timezone);
      return [`现在是：${span}`, `现在不是：${span}`];
    },
  }),
};

function boundsZh({ after, before, weekdays }: Record<"after" | "before" | "weekdays", string>): string {
  return listed("，", weekdays, after && `${after} 之后`, before && `${before} 之前`);
}

function listed(separator: string, ...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(separator);
}

export type AtomType = keyof typeof ATOMS;
export const ATOM_TYPES = Object.keys(ATOMS) as [AtomType, ...AtomType[]];

/** The same for whoever treats all of them alike. */
export const ROWS: Readonly<Record<AtomType, AtomRow>> = ATOMS;

/** What a condition holds, for the words of its row. @param text how a value of a kind is said; "" is not filled in yet. */
export function saidOf(
  { type, params }: { type: AtomType; params: object },
  text: (kind: Field["kind"], value: unknown) => string,
): Said {
  const values: Record<string, unknown> = { ...params };
  const said = Object.entries(ROWS[type].fields).map(([name, { kind, isOptional }]) => {
    const { [name]: value = "" } = values;
    return [name, value === "" && isOptional ? "" : text(kind, value)];
  });
  return Object.fromEntries(said);
}
