/** Everything that the offline engine says, in English and in Chinese: in the first person, and nothing that it does not know. */
import { isChinese } from "@mimikit/core/views/notices";
import type { TaskState } from "@mimikit/protocol/wire/api";
import { commandName } from "@mimikit/runtime/home/command-name";
import { withoutCode } from "./code-span.ts";
import type { Elsewhere, ParseProblem } from "./parse.ts";

export type Language = "en" | "zh";

/** The language of what is said in `text`; a command inside tells nothing about it. */
export function languageOf(text: string): Language {
  return isChinese(withoutCode(text)) ? "zh" : "en";
}

const HELP_EN = [
  "- run `a` then `b`: commands in the workspace, one after the other; `b` gets the output of `a`. For example: run `date` then `df -h .`",
  "- run `a` and `b`: side by side",
  "- every day at 9 run `a` then `b`, in 2 hours run `a`, when src/a.ts changes run `a`, when done.txt exists run `a`: the same, by itself",
  "- remind me in 10 minutes to …, every day at 9 remind me to …, on the last day of every month remind me to …",
  "- reminders, tasks, cancel <id>, status",
  "- remember …, forget …, search …: my long-term memory and what we said",
  "- backlog add …, backlog done …, backlog remove …, backlog list",
  "- several lines are several requests; each command stands at the start of its line, in backticks, or after `run:`",
].join("\n");

const HELP_ZH = [
  "- 运行 `a` 然后 `b`：在工作区中依次执行命令，`b` 能读到 `a` 的输出。例如：运行 `date` 然后 `df -h .`",
  "- 运行 `a` 和 `b`：同时执行",
  "- 每天9点运行 `a` 然后 `b`、2小时后运行 `a`、当 src/a.ts 变化时运行 `a`、当 done.txt 存在时运行 `a`：到时自动执行",
  "- 10分钟后提醒我 …、每天9点提醒我 …、每月最后一天提醒我 …",
  "- 我的提醒、任务、取消 <编号>、状态",
  "- 记住 …、忘掉 …、搜索 …：我的长期记忆和我们的对话",
  "- 待办 添加 …、待办 完成 …、待办 删除 …、待办 列表",
  "- 多行就是多个请求；命令要写在行首的“运行”之后并放在反引号里，或写成“运行：命令”",
].join("\n");

const MIMIKIT = commandName(process.env);

/** The shortest way to a model, for a terminal. */
const CONNECT = ["```sh", `${MIMIKIT} connect`, "```"].join("\n");

function asQuotation(text: string): string {
  return text.replaceAll(/^/gm, "> ");
}

/** Text to be typed, with its backticks to be seen: in a line of Markdown the page makes code of them. */
export function asTyped(...lines: readonly string[]): string {
  return ["```text", ...lines, "```"].join("\n");
}

function numbered(options: readonly string[], colon: string, comma: string): string {
  return options.map((option, i) => `${i + 1}${colon}${option}`).join(comma);
}

const en = {
  /** The grammar of an order, as parse.ts reads it. */
  run: "run",
  next: "then",
  and: "and",
  planPrompt: "Split this request of the user into tasks and delegate them:",
  onIt: (orders: string) => `On it: ${orders}. I will report the outcome when it is there.`,
  remembered: (content: string) => `I will remember this: ${content}`,
  forgetting: (content: string) => `I am forgetting this: ${content}\n\n\`${MIMIKIT} undo\` brings it back.`,
  forgetUnknown: (what: string) => `I remember nothing like this: ${what}`,
  forgetFailed: (reason: string) => `I did not forget this: ${reason}`,
  forgetWhich: "I remember more than one thing like this. Say more of its words:",
  tooLong: (limit: number) => `I did not store this: it is longer than ${limit} characters.`,
  noTasks: "There are no tasks.",
  openTasks: "Open tasks:",
  endedTasks: "Recently ended:",
  states: {
    waiting: "waiting",
    queued: "queued",
    running: "running",
    done: "done",
    failed: "failed",
    cancelled: "cancelled",
    needs_input: "needs an answer",
  } satisfies Record<TaskState, string>,
  waitsFor: (ids: readonly string[]) => `after ${ids.map((id) => `\`${id}\``).join(", ")}`,
  cancelling: (id: string) => `I am cancelling \`${id}\` and everything that depends on it.`,
  cancelUnknown: (id: string) => `I know no task \`${id}\`. Say "tasks" or "reminders" to see the ids.`,
  cancelTooLate: (id: string) => `\`${id}\` has already ended: there is nothing to cancel.`,
  cancelWhich: "Which one? Say `cancel <id>`, with an id of these.",
  status: (version: string, providers: string, open: number, backlog: number) =>
    `I am running (version ${version}). Answering: ${providers}. Open tasks: ${open}. Open backlog items: ${backlog}.`,
  backlogEmpty: "The backlog is empty.",
  backlog: "Backlog:",
  backlogAdding: (item: string) => `I am adding to the backlog: ${item}`,
  backlogDoing: (item: string) => `I am ticking this off: ${item}`,
  backlogRemoving: (item: string) => `I am removing this from the backlog: ${item}`,
  backlogUnknown: (item: string) => `The backlog has no item "${item}".`,
  backlogAmbiguous: (item: string) => `"${item}" fits several items; use the number of one:`,
  found: (query: string) => `What I found for "${query}":`,
  foundNothing: (query: string) => `I found nothing for "${query}", neither in memory nor in our conversation.`,
  speaker: { user: "you", assistant: "I", system: "system" },
  scheduled: (when: string, action: string, next: string | null, id: string) =>
    `I have scheduled this: ${when}, ${action}.${next === null ? "" : ` Next: ${next}.`} Its id is \`${id}\`; "cancel ${id}" ends it.`,
  notScheduled: (reason: string) => `I scheduled nothing: ${reason}`,
  whenScheduled: (at: string, zone: string) => `at ${at} (${zone})`,
  whenCron: (said: string, cron: string, zone: string) => `${said} (cron \`${cron}\`, ${zone})`,
  whenInterval: (said: string, sec: number) => `${said} (every ${sec} seconds)`,
  whenChanged: (path: string) => `whenever \`${path}\` changes`,
  whenThere: (path: string) => `when \`${path}\` is there`,
  doRemind: (text: string) => `remind you: ${text}`,
  remindPrompt: (text: string) => `remind me: ${text}`,
  reminder: (text: string) => `Reminder: ${text}`,
  dueRun: (orders: string) => `It is time: ${orders}. I will report the outcome when it is there.`,
  dueOther: (text: string) =>
    `It is time: ${text}\n\nThat is all that I can do about it: no language model is configured.`,
  late: (at: string) => `(This was due at ${at}. I was not running then.)`,
  schedules: "Scheduled:",
  noSchedules: "Nothing is scheduled.",
  nextAt: (at: string) => `next ${at}`,
  paused: "paused",
  onCondition: "when its condition holds",
  unscheduling: (id: string) => `I am ending \`${id}\`: it will not fire any more.`,
  answered: (question: string, answer: string) => `I have noted your answer to "${question}": ${answer}`,
  unanswered: (question: string, standard: string | null) =>
    `"${question}" was not answered in time.${standard === null ? "" : ` I use the default: ${standard}`}`,
  received: (files: readonly string[]) =>
    `You attached this; I keep it, but cannot read it without a model:\n\n${files.join("\n")}`,
  openQuestion: (question: string, options: readonly string[], id: string) =>
    `Open question:\n\n${asQuotation(question)}\n\nIts buttons are on the page; or use \`mimikit questions answer ${id} <number>\` (${numbered(options, ": ", ", ")}).`,
  noAnswer: "I cannot tell from a message which question it answers.",
  unclear: {
    mention: 'I ran nothing. A command only runs when its line begins with "run", for example: run `ls`',
    leftover:
      "I ran nothing, because I am not sure what is meant. An order is only the commands in backticks with `then` or `and` between them, for example: run `a` then `b`",
    too_many: "I ran nothing: that is more commands than I take in one order.",
    no_time: "When? I did not understand the time. For example: in 10 minutes remind me to call Bob",
    bad_time: `I ran and scheduled nothing: I did not understand when. For example:\n\n${asTyped("every day at 9 run `ls` then `date`", "every friday at 18:30 remind me to report", "on the last day of every month remind me to pay")}`,
    every_other: `I scheduled nothing: I cannot count "every other". Every 2 weeks counts from now; or name the days:\n\n${asTyped("every 2 weeks remind me to report", "every friday at 18:30 remind me to report", "every month on the 15th remind me to report")}`,
    half_day: "I scheduled nothing yet: in the morning or in the afternoon? Say one of these:",
    no_command: `I scheduled nothing. Without a model, what happens by itself is a command or a reminder:\n\n${asTyped("every day at 9 run `ls` then `date`", "every day at 9 remind me to stretch")}`,
    past: "That time has already passed. Name one that is to come.",
    too_often: "That is too often: the shortest interval is 10 seconds.",
    too_far: "That is too far in the future.",
  } satisfies Record<ParseProblem, string>,
  notDelegated: (reason: string) => `I did not start this: ${reason}`,
  notUnderstood: "I did not understand this, and no language model is configured.",
  noModel:
    "No language model is configured, so I only understand a few fixed requests and cannot answer this. What I can do:",
  help: HELP_EN,
  greeting: "Hello! No language model is configured yet, so I understand a set of requests. Try one of these:",
  firstSteps: asTyped(
    "run `date` then `df -h .`",
    "remind me in 2 minutes to stretch",
    "every day at 9 run `ls` then `date`",
    "help",
  ),
  elsewhere: {
    undo: `Nothing is undone by a message. The page lists what can be undone under *Activity*, with a button each; in the terminal \`${MIMIKIT} undo\` lists it, and \`${MIMIKIT} undo <id>\` undoes one.`,
    why: `Why something fires, or does not, stands on the page under *Schedules*; in the terminal say \`${MIMIKIT} triggers explain <id>\`. Say "reminders" to see the ids.`,
  } satisfies Record<Elsewhere, string>,
  connect: `To connect a model (OpenAI, Anthropic, Google, Ollama and others, or codex and claude):\n\n${CONNECT}\n\nIt asks step by step, and takes effect at once. On the page, *Settings* connects one too. More: docs/providers.md.`,
  helpIntro: "I work without a language model and understand these requests:",
  allDone: (count: number) => (count === 1 ? "Done." : count === 2 ? "Both are done." : `All ${count} are done.`),
  /** Of the others some wait for an answer, or were not begun. */
  someDone: (done: number, failed: number, count: number) =>
    count === 1
      ? "This did not work."
      : `${done} of ${count} ${done === 1 ? "is" : "are"} done${failed === 0 ? "" : `, ${failed} failed`}.`,
  done: "done",
  failed: (error: string) => `failed: ${error}`,
  cancelled: (reason: string) => `cancelled (${reason})`,
  titled: (title: string, state: string) => `${title}: ${state}`,
  asks: (question: string) => `I need to know: ${question}`,
  /** The note of a plan, beside its tasks. */
  planNote: (note: string) => `Note: ${note}`,
  leftOut: (max: number, orders: string) => `Not started, because one plan has room for ${max} commands: ${orders}`,
  noOutput: "It printed nothing.",
  tail: (path: string | null) => `Only the end is shown${path === null ? "." : `; the whole output is in ${path}`}`,
  nextTimeout: "It reached its time limit and was stopped. Try a smaller step, or run it again.",
  nextError: (order: string | null) =>
    order === null ? "Please correct it and send it again." : `Fix the cause, then run it again: ${order}`,
  noPlan: "without a language model I can only plan commands, and this request has none",
  noCommand: "without a language model I can only run one command, and this task is none",
  exitCode: (code: number) => `exit code ${code}`,
  signal: (name: string) => `ended by ${name}`,
  stopped: (atLimit: boolean): string => (atLimit ? "stopped at its time limit" : "stopped"),
};

export type Words = typeof en;

const zh: Words = {
  run: "运行",
  next: "然后",
  and: "和",
  planPrompt: "请把用户的这个请求拆分成任务并派发：",
  onIt: (orders) => `好的，我来处理：${orders}。有结果后我会告诉你。`,
  remembered: (content) => `我会记住：${content}`,
  forgetting: (content) => `我会忘掉：${content}\n\n\`${MIMIKIT} undo\` 可以恢复。`,
  forgetUnknown: (what) => `我的记忆里没有这一条：${what}`,
  forgetFailed: (reason) => `我没有忘掉它：${reason}`,
  forgetWhich: "有好几条都符合，请说得更完整一些：",
  tooLong: (limit) => `我没有保存：内容超过了 ${limit} 个字符。`,
  noTasks: "目前没有任务。",
  openTasks: "未完成的任务：",
  endedTasks: "最近结束的任务：",
  states: {
    waiting: "等待中",
    queued: "排队中",
    running: "运行中",
    done: "已完成",
    failed: "失败",
    cancelled: "已取消",
    needs_input: "等待回答",
  },
  waitsFor: (ids) => `在 ${ids.map((id) => `\`${id}\``).join("、")} 之后`,
  cancelling: (id) => `我正在取消 \`${id}\` 以及依赖它的任务。`,
  cancelUnknown: (id) => `我没有找到任务 \`${id}\`。说“任务”或“我的提醒”可以查看编号。`,
  cancelTooLate: (id) => `\`${id}\` 已经结束，没有可取消的内容。`,
  cancelWhich: "要取消哪一个？请说：取消 <编号>，编号在下面。",
  status: (version, providers, open, backlog) =>
    `我正在运行（版本 ${version}）。应答者：${providers}。未完成任务：${open}。待办事项：${backlog}。`,
  backlogEmpty: "待办列表是空的。",
  backlog: "待办：",
  backlogAdding: (item) => `我把它加入待办：${item}`,
  backlogDoing: (item) => `我把它标记为完成：${item}`,
  backlogRemoving: (item) => `我把它从待办中删除：${item}`,
  backlogUnknown: (item) => `待办中没有“${item}”。`,
  backlogAmbiguous: (item) => `“${item}”符合多个待办，请用编号指定：`,
  found: (query) => `关于“${query}”，我找到：`,
  foundNothing: (query) => `关于“${query}”，记忆和对话中都没有找到内容。`,
  speaker: { user: "你", assistant: "我", system: "系统" },
  scheduled: (when, action, next, id) =>
    `已安排：${when}，${action}。${next === null ? "" : `下一次：${next}。`}编号是 \`${id}\`，说“取消 ${id}”可以取消。`,
  notScheduled: (reason) => `我没有安排任何内容：${reason}`,
  whenScheduled: (at, zone) => `在 ${at}（${zone}）`,
  whenCron: (said, cron, zone) => `${said}（cron \`${cron}\`，${zone}）`,
  whenInterval: (said, sec) => `${said}（每 ${sec} 秒）`,
  whenChanged: (path) => `每当 \`${path}\` 变化时`,
  whenThere: (path) => `当 \`${path}\` 存在时`,
  doRemind: (text) => `提醒你：${text}`,
  remindPrompt: (text) => `提醒我：${text}`,
  reminder: (text) => `提醒：${text}`,
  dueRun: (orders) => `时间到了：${orders}。有结果后我会告诉你。`,
  dueOther: (text) => `时间到了：${text}\n\n我只能提醒到这里：没有配置语言模型。`,
  late: (at) => `（原定时间是 ${at}，当时我没有在运行。）`,
  schedules: "已安排：",
  noSchedules: "目前没有任何安排。",
  nextAt: (at) => `下一次 ${at}`,
  paused: "已暂停",
  onCondition: "条件满足时",
  unscheduling: (id) => `我正在取消 \`${id}\`，它不会再触发。`,
  answered: (question, answer) => `我已记下你对“${question}”的回答：${answer}`,
  unanswered: (question, standard) =>
    `没有人及时回答“${question}”。${standard === null ? "" : `我采用默认值：${standard}`}`,
  received: (files) => `你附上了这些文件，我已保存，但没有模型就看不了内容：\n\n${files.join("\n")}`,
  openQuestion: (question, options, id) =>
    `待回答的问题：\n\n${asQuotation(question)}\n\n请点页面上的按钮，或使用 \`mimikit questions answer ${id} <编号>\`（${numbered(options, "：", "，")}）。`,
  noAnswer: "我无法从一条消息判断它回答的是哪个问题。",
  unclear: {
    mention: "我没有运行任何命令。只有以“运行”开头的行才会执行，例如：运行 `ls`",
    leftover: "我没有运行任何命令，因为不确定意思。命令要放在反引号里，中间用“然后”或“和”连接，例如：运行 `a` 然后 `b`",
    too_many: "我没有运行任何命令：一次请求里的命令太多了。",
    no_time: "什么时候？我没有看懂时间。例如：10分钟后提醒我喝水",
    bad_time: `我没有运行也没有安排任何内容：没有看懂时间。例如：\n\n${asTyped("每天9点运行 `ls` 然后 `date`", "每周五18点30分提醒我写周报", "每月最后一天提醒我付款")}`,
    every_other: `我没有安排任何内容：我不会数“每隔一个”。“每2周”从现在算起；也可以说出是哪几天：\n\n${asTyped("每2周提醒我写周报", "每周五18点30分提醒我写周报", "每月15号提醒我写周报")}`,
    half_day: "我还没有安排：是早上还是下午？请说其中一句：",
    no_command: `我没有安排任何内容。没有模型时，能自动进行的只有命令和提醒：\n\n${asTyped("每天9点运行 `ls` 然后 `date`", "每天9点提醒我伸展一下")}`,
    past: "这个时间已经过去了，请说一个将来的时间。",
    too_often: "太频繁了：最短间隔是 10 秒。",
    too_far: "这个时间太远了。",
  },
  notDelegated: (reason) => `我没有开始执行：${reason}`,
  notUnderstood: "这部分我没有看懂，而且没有配置语言模型。",
  noModel: "还没有配置语言模型，所以我只能理解一些固定的请求，无法回答这个问题。我可以做这些：",
  help: HELP_ZH,
  greeting: "你好！还没有配置语言模型，所以我能听懂一组固定的请求。可以试试：",
  firstSteps: asTyped("运行 `date` 然后 `df -h .`", "2分钟后提醒我伸展一下", "每天9点运行 `ls` 然后 `date`", "帮助"),
  elsewhere: {
    undo: `一条消息不会撤销任何内容。页面的“动态”里列出了可以撤销的内容，每项都有按钮；在终端里，\`${MIMIKIT} undo\` 列出它们，\`${MIMIKIT} undo <编号>\` 撤销其中一项。`,
    why: `为什么触发或没有触发，请看页面的“日程”；在终端里请用 \`${MIMIKIT} triggers explain <编号>\`。说“我的提醒”可以查看编号。`,
  },
  connect: `要连接模型（OpenAI、Anthropic、Google、Ollama 等，或者 codex 和 claude）：\n\n${CONNECT}\n\n它会一步步询问，保存后立即生效。在页面上，*设置*里也可以连接。更多说明：docs/providers.md。`,
  helpIntro: "我不需要语言模型就能理解这些请求：",
  allDone: (count) => (count === 1 ? "完成了。" : count === 2 ? "两个都完成了。" : `${count} 个都完成了。`),
  someDone: (done, failed, count) =>
    count === 1 ? "这个任务没有成功。" : `${count} 个中完成了 ${done} 个${failed === 0 ? "" : `，失败 ${failed} 个`}。`,
  done: "已完成",
  failed: (error) => `失败：${error}`,
  cancelled: (reason) => `已取消（${reason}）`,
  titled: (title, state) => `${title}：${state}`,
  asks: (question) => `我需要知道：${question}`,
  planNote: (note) => `说明：${note}`,
  leftOut: (max, orders) => `一个计划最多 ${max} 条命令，以下没有开始：${orders}`,
  noOutput: "没有输出。",
  tail: (path) => `这里只显示结尾${path === null ? "。" : `；完整输出在 ${path}`}`,
  nextTimeout: "它到了时间限制，已被停止。可以换一个更小的步骤，或再运行一次。",
  nextError: (order) => (order === null ? "请修正后再发一次。" : `解决原因后可以再发一次：${order}`),
  noPlan: "没有语言模型时我只能安排命令，而这个请求里没有命令",
  noCommand: "没有语言模型时我只能运行一条命令，而这个任务不是命令",
  exitCode: (code) => `退出码 ${code}`,
  signal: (name) => `被 ${name} 终止`,
  stopped: (atLimit) => (atLimit ? "到了时间限制，已被停止" : "已被停止"),
};

export const WORDS: Record<Language, Words> = { en, zh };
