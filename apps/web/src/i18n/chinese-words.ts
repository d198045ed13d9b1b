/**
 * Every word that the page says, in Chinese. It is loaded where the browser asks for it; `words.ts` waits for it, so it
 * must import nothing that is loaded with that: the two would wait for each other.
 */

import type { Role } from "@mimikit/protocol/base/role";
import type { Atom } from "@mimikit/protocol/triggers/condition";
import type { TaskState } from "@mimikit/protocol/wire/api";
import type { SlashName } from "@mimikit/protocol/wire/slash-command";
import type { IntervalUnit, Mistake, TriggerState, Words } from "./words.ts";

const UNITS_ZH: Record<IntervalUnit, string> = { day: "天", hour: "小时", minute: "分钟", second: "秒" };

const ROLES: Record<Role, string> = { teller: "Teller", planner: "Planner", worker: "Worker", reviewer: "Reviewer" };

const STATES_ZH: Record<TaskState, string> = {
  waiting: "等待中",
  queued: "排队中",
  running: "进行中",
  done: "已完成",
  failed: "失败",
  cancelled: "已取消",
  needs_input: "等你回答",
};

const COMMANDS_ZH: Record<SlashName, string> = {
  steer: "对正在进行的工作说一句话",
  next: "排在当前回复之后，单独回答的消息",
  attach: "添加文件",
  stop: "停止正在进行的工作",
  clear: "开始新的对话；记忆保留",
  help: "显示这个列表",
};

const MISTAKES_ZH: Record<Mistake, (name: string) => string> = {
  unknown: (name) => `没有 /${name} 这个命令。输入 / 查看所有命令；消息要以斜杠开头时请写 //。`,
  textMissing: (name) => `请写出内容：/${name} 加上你想说的话。`,
  textUnwanted: (name) => `/${name} 后面不能有文字。要作为消息发送，请以 // 开头。`,
};

const COMBINATIONS_ZH: Record<string, string> = { and: "全部成立", or: "任一成立", not: "并非" };

const TRIGGER_STATES_ZH: Record<TriggerState, (moment: string) => string> = {
  over: () => "已结束",
  paused: () => "已暂停，只能手动运行",
  scheduled: (moment) => `下次触发：${moment}`,
  due: (moment) => `${moment} 已到时间`,
  exhausted: () => "时间表上没有下一次，不会再触发",
  resting: (moment) => `刚触发过，休息到 ${moment}`,
  firing: () => "条件成立，即将触发",
  disarmed: () => "条件要先变为不成立，才会再次触发",
  unmet: () => "条件还不成立",
  unseen: () => "条件所问的东西无法查看",
  asking: () => "等待模型回答",
};

const WEEKDAYS_ZH = { mon: "周一", tue: "周二", wed: "周三", thu: "周四", fri: "周五", sat: "周六", sun: "周日" };

/** A leaf of a condition as it is found to be; null is what nobody can tell now. */
function evidenceZh(atom: Atom, holds: boolean | null): string {
  const say = (yes: string, no: string, unknown = "现在无法查看") => (holds === null ? unknown : holds ? yes : no);
  switch (atom.type) {
    case "file_changed":
      return `${atom.params.path} ${say("有变化", "没有变化")}`;
    case "file_exists":
      return `${atom.params.path} ${say("存在", "不存在")}`;
    case "task_done":
      return `${atom.params.taskId} ${say("已完成", "没有完成")}`;
    case "task_failed":
      return `${atom.params.taskId} ${say("失败了", "没有失败")}`;
    case "llm_eval":
      return `“${atom.params.prompt}”：${say("模型说是", "模型说否", "等待模型回答")}`;
    case "time": {
      const { after, before, weekdays = [], timezone } = atom.params;
      const days = weekdays.map((day) => WEEKDAYS_ZH[day]).join("、");
      const bounds = [days, after && `${after} 之后`, before && `${before} 之前`, timezone].filter(Boolean);
      return `${say("现在是", "现在不是")}：${bounds.join("，")}`;
    }
  }
}

export const CHINESE: Words = {
  language: "zh",
  name: "Mimikit",
  skip: "跳到输入框",

  adoption: {
    title: "这个状态目录是你的吗？",
    text: (home) =>
      `${home} 不是在这台机器上由你创建的，所以其中的内容都不会运行。如果它来自别人的仓库或压缩包，请停止 Mimikit 并删除它；如果是你自己的，确认后下列内容就会运行或生效。`,
    nothing: "其中没有会运行或生效的内容。",
    kinds: {
      setting: "config.yaml 中的设置",
      command: "收件箱中的命令",
      task: "任务",
      result: "将要生效的结果",
      trigger: "触发器",
      skill: "技能",
      file: "会写进每个提示词的文件",
      browser: "已登录的浏览器",
    },
    more: (count) => `另有 ${count.toLocaleString("zh")} 项。`,
    accept: "是我的，确认使用",
    done: "已确认，Mimikit 马上继续工作。",
  },

  everythingElse: "其他",
  openPalette: "搜索或执行",
  palettePlaceholder: "想看什么，或做什么？",
  paletteHint: "↑ ↓ 选择 · Enter 打开 · Escape 关闭",
  backToConversation: "回到对话",
  questionsWait: (n) => `${n} 个问题等你回答`,
  earlierMessages: "更早的消息",
  opening: "正在打开…",
  openingFailed: "页面的这一部分无法加载。",
  reload: "重新加载页面",

  connected: "已连接",
  connecting: "正在连接…",
  reconnectingIn: (seconds) => `${seconds} 秒后重连`,
  offline: "离线",
  retryNow: "立即重连",
  starting: "正在启动…",
  startingTitle: "消息会立即保存，全部启动后就会回答。",
  answeredLast: (name, last) => `${name}（上次：${last}）`,
  overview: "谁来回答，以及今天的用量",
  whoAnswers: "谁来回答",
  role: (role) => ROLES[role],
  offlineEngine: "没有连接模型，由内置引擎回答：发送 “help” 查看它能做什么。",
  passedOver: "自动选择时跳过",
  tokensInOut: (input, output) => `输入 ${input} 个 token，输出 ${output} 个`,
  tool: "工具",
  calls: "调用",
  failedCalls: "失败",
  meanTime: "平均用时",
  problems: (n) => `${n} 件事需要留意`,
  signOut: "退出登录",
  allowNotifications: "允许通知",
  signOutQuestion: "让这个浏览器退出登录？尚未发送的消息会被丢弃，再次使用需要新的配对码。",

  conversation: "对话",
  you: "你",
  assistant: "Mimikit",
  notice: "通知",
  today: "今天",
  yesterday: "昨天",
  thinking: "思考中",
  newMessages: "新消息",
  toNewest: "回到最新",
  sending: "发送中…",
  unsent: "等待连接",
  saved: "已保存",
  savedNext: "已保存，等待单独回答",
  savedWaits: "已保存，等前面的回复完成",
  seen: "已看到，正在回答",
  waitsForModel: "等待模型恢复",
  saidMeanwhile: "已告诉正在进行的工作",
  passedOn: (title) => (title === undefined ? "已转给正在写的回复" : `已转给：${title}`),
  heard: "进行中已听到",
  newConversation: "新的对话",
  showEarlier: (n) => `显示之前的对话（${n} 条）`,
  hideEarlier: "收起之前的对话",
  answered: "已回答",
  refused: (reason) => `未被接受：${reason}`,
  sendAgain: "重新发送",
  discard: "丢弃",
  tokens: (n) => `${n.toLocaleString("zh")} 个 token`,
  copy: "复制",
  copyMessage: "复制消息",
  reply: "回复",
  replyTo: (text) => `回复“${text}”`,
  inReplyTo: "回复",
  showQuoted: "在对话中查看",
  dropQuote: "不回复它",
  earlierMessage: "更早的消息",
  quotedTooOld: "那条消息太早，页面无法显示。",
  copied: "已复制",
  copyFailed: "不允许",
  dismiss: "关闭",

  emptyTitle: "要做些什么？",
  emptyText: "写下你想要的。Mimikit 会立即保存、制定计划、在后台完成，并在这里汇报。可以关闭这个页面，什么都不会丢失。",
  examplesTitle: "试试这些",
  examples: [
    { text: "运行 `date` 然后 `df -h .`", why: "两个步骤，第二步等第一步完成" },
    { text: "记住我喜欢用 pnpm", why: "存为普通的 Markdown，以后能找到" },
    { text: "每天9点先运行 `ls`，再运行 `date`", why: "到时自动执行，直到你取消" },
    { text: "帮助", why: "助手能听懂的一切" },
  ],

  message: "消息",
  placeholder: "给 Mimikit 发消息",
  send: "发送",
  sendTitle: "发送（Enter）：前面的回复写完后回答",
  attach: "添加文件",
  attachTitle: "添加文件：图片、录音、PDF、文本，也可以粘贴或拖放",
  attachedFiles: "附件",
  unnamedFile: "文件",
  uploading: (name) => `正在上传 ${name}`,
  uploadFailed: "没有送达。",
  tryAgain: "重试",
  removeFile: (name) => `移除 ${name}`,
  saveFile: (name) => `保存 ${name}`,
  fileGone: (name) => `${name} 已不存在，或者没有连接。`,
  fileTooLarge: (size) => `超过 ${size}。`,
  tooManyFiles: (max) => `一条消息最多带 ${max} 个文件，其余的没有添加。`,
  queue: "排队",
  queueTitle: "排队（Enter）：前面的回复写完后回答",
  ownTurn: "单独回答",
  nextTitle: "单独回答（/next）：排队，与其他等待的消息分开回答",
  steer: "引导",
  steerTitle: "引导（Ctrl+Enter 或 ⌘Enter）：对正在进行的工作说",
  stop: "停止",
  stopTitle: "停止（输入框为空时按 Escape）：结束正在进行的工作",
  commands: "命令",
  command: (name) => COMMANDS_ZH[name],
  commandText: "内容",
  mistake: (mistake, name) => MISTAKES_ZH[mistake](name),
  notConnected: "没有连接，什么都没有发送。",
  composerHint: "Enter 发送 · Shift+Enter 换行 · / 显示命令",
  steerNoQuote: "对正在进行的工作说的话不能带引用：请先去掉引用",
  busyHint: "Enter 排队 · Ctrl+Enter 引导正在进行的工作 · 输入框为空时 Escape 停止",
  tooLong: (max) => `这条消息太长，无法发送：最多 ${max} 个字符。请把内容放进工作区的文件里，再说出文件名。`,

  tasks: "任务",
  openTasks: (n) => (n === 0 ? "任务" : `任务，${n} 个未完成`),
  closeTasks: "关闭任务",
  now: "现在",
  earlier: "之前",
  noTasks: "后台的工作和进度会显示在这里。",
  state: (state) => STATES_ZH[state],
  after: (titles) => `在 ${titles.join("、")} 之后`,
  attempt: (n) => `第 ${n} 次尝试`,
  membersDone: (done, total) => `${done}/${total} 已完成`,
  cancel: "取消",
  cancelTask: (title) => `取消 ${title}`,
  cancelling: "正在取消…",
  workspace: "工作区",
  version: (version) => `Mimikit ${version}`,

  questions: "问题",
  asks: (question) => `Mimikit 问：${question}`,
  about: (title) => `关于“${title}”`,
  yourAnswer: "你的回答",
  otherAnswer: "其他回答",
  answer: "回答",
  opensFor: (left) => `还有 ${left} 可以回答`,
  takenIn: (preset, left) => `${left} 后按“${preset}”处理`,

  triggerCount: (n) => (n === 0 ? "触发器" : `触发器，${n} 个`),
  noTriggers: "还没有安排。可以说：“每天 9 点运行 `npm test`”，或者“10 分钟后提醒我……”。",
  moreTriggers: (n) => `还有 ${n} 个：“mimikit triggers” 会全部列出。`,
  every: (n, unit) => `每 ${n} ${UNITS_ZH[unit]}`,
  cron: (pattern, zone) => `${pattern}（${zone}）`,
  once: (moment) => `一次，${moment}`,
  next: "下次：",
  paused: "已暂停",
  waitsForCondition: "等待条件满足",
  neverAgain: "不会再触发",
  why: "原因",
  whyOf: (title) => `原因：${title}`,
  pause: "暂停",
  pauseOf: (title) => `暂停 ${title}`,
  resume: "继续",
  resumeOf: (title) => `继续 ${title}`,
  runNow: "立即运行",
  runNowOf: (title) => `立即运行 ${title}`,
  started: "已启动",
  delete: "删除",
  deleteOf: (title) => `删除 ${title}`,
  deleteQuestion: (title) => `删除触发器“${title}”？它不会再触发。`,
  looking: "正在查看…",
  upcoming: "接下来",
  lately: "最近",
  fired: "已触发",
  skipped: (count, reason) => `${count === null ? "多次" : `${count} 次`}跳过：${reason}`,
  holds: (holds) => (holds === null ? "未知" : holds ? "成立" : "不成立"),
  combination: (type) => COMBINATIONS_ZH[type] ?? type,
  explained: (state, _text, moment) => TRIGGER_STATES_ZH[state](moment),
  evidence: evidenceZh,

  budgetOfDay: "今日预算",
  budgetOfMonth: "本月预算",
  tokensOf: (spent, limit) => `${spent} / ${limit} 个 token`,
  costOf: (spent, limit) => `${spent} / ${limit}`,
  reserved: (tokens) => `正在进行的工作预留 ${tokens} 个 token`,
  budgetReached: (until) => `已用完：工作会等到 ${until}。你的消息仍会得到回复。`,

  pairTitle: "配对这个浏览器",
  pairText: "Mimikit 只回应与它配对过的浏览器。打印一个新地址，并在这里打开：",
  pairCommand: "npx mimikit pair",
  pairStart: "npm start 也会打印一个。配对码只能用一次，两分钟内有效。",
  pairCode: "配对码",
  pairPlaceholder: "配对码，或整个地址",
  pair: "配对",
  pairing: "正在配对…",
  pairExpired: "这个配对码已经用过，或者超过了两分钟。请打印一个新的。",
  pairRefused: "Mimikit 不认识这个配对码。请打印一个新的，并完整粘贴。",
  pairLocked: "错误的配对码太多。请等一分钟再试。",
  pairUnreachable: "Mimikit 没有回应。它在运行吗？“npm start” 可以启动它。",
};
