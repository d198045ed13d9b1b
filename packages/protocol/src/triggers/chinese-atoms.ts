/** How Chinese says the conditions of triggers, and the texts of their form; the table of conditions has the English. Loaded for readers of Chinese alone. */
import {
  type ATOMS,
  type AtomType,
  type ConditionFields,
  type ConditionTexts,
  listed,
  type Sentences,
} from "./atoms.ts";

interface Row<F extends ConditionFields = ConditionFields> {
  said(said: ConditionTexts<F>): Sentences;
  /** As it was found to be, where that is not the same. */
  found?(said: ConditionTexts<F>): Sentences;
}

const OWN: { readonly [T in AtomType]: Row<(typeof ATOMS)[T]["fields"]> } = {
  file_changed: { said: ({ path }) => [`${path} 有变化`, `${path} 没有变化`, `${path} 现在无法查看`] },
  file_exists: { said: ({ path }) => [`${path} 存在`, `${path} 不存在`, `${path} 现在无法查看`] },
  task_done: { said: ({ taskId }) => [`${taskId} 已完成`, `${taskId} 没有完成`] },
  task_failed: { said: ({ taskId }) => [`${taskId} 失败了`, `${taskId} 没有失败`] },
  llm_eval: {
    said: ({ prompt }) => [`模型认为是：${prompt}`, `模型认为不是：${prompt}`],
    found: ({ prompt }) => [`${prompt}：模型说是`, `${prompt}：模型说否`, `${prompt}：等待模型回答`],
  },
  time: {
    said: (said) => {
      const span = (boundsText(said) || "…") + (said.timezone && `（${said.timezone}）`);
      return [`现在是${span}`, `现在不是${span}`];
    },
    found: (said) => {
      const span = listed("，", boundsText(said), said.timezone);
      return [`现在是：${span}`, `现在不是：${span}`];
    },
  },
};

/** The same for all conditions alike. */
export const rows: Readonly<Record<AtomType, Row>> = OWN;

/** Models were asked in vain, so often in a row. */
export function unanswered(prompt: string, count: number): string {
  return count === 1 ? `${prompt}：问过模型，没有得到可用的回答` : `${prompt}：模型连续 ${count} 次没有给出可用的回答`;
}

function boundsText({ after, before, weekdays }: Record<"after" | "before" | "weekdays", string>): string {
  return listed("，", weekdays, after && `${after} 之后`, before && `${before} 之前`);
}

/** The texts of the form, by their English. */
export const wordings: Readonly<Record<string, string>> = {
  "File or glob in the workspace": "工作区里的文件或通配符",
  "Name a file or a glob in the workspace, without “..”.": "请写工作区里的文件或通配符，不能有“..”。",
  "Id of the task": "任务编号",
  "Name a task by its id, like t-000001.0.1.": "请写任务的编号，例如 t-000001.0.1。",
  "A time like 22:30, or a moment with its zone: 2026-12-01T09:00:00+08:00.":
    "写一个时间，例如 22:30；或带时区的时刻：2026-12-01T09:00:00+08:00。",
  "a file changes": "文件变化",
  "also for what is there already": "已经存在的也算",
  "Unchanged for so many seconds": "保持不变的秒数",
  "A whole number of seconds, 0 or more.": "请写不小于 0 的整数秒。",
  "At most 3600 seconds.": "最多 3600 秒。",
  "a file is there": "文件存在",
  "a task is done": "任务完成",
  "a task has failed": "任务失败",
  "a model says yes": "模型认为是",
  "Question to a model": "问模型的问题",
  "Does CHANGELOG.md announce a release?": "CHANGELOG.md 是否宣布了新版本？",
  "Ask something that can be answered with yes or no.": "请写一个可以用是或否回答的问题。",
  "a time of the week": "一周中的时间",
  From: "从",
  Until: "到",
  "Time zone": "时区",
  "that of the server": "服务器的时区",
  "A zone like Europe/Paris or UTC.": "例如 Europe/Paris 或 UTC。",
  "Choose days, or say from when or until when.": "请选择星期，或写明从何时、到何时。",
  "From and until are the same, so it would never be true.": "开始和结束相同，永远不会成立。",
};
