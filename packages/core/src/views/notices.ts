/** Notices of the code to people when a model cannot tell them, in the language they wrote in. */

import type { AskedCall, Reach } from "@mimikit/protocol/approvals/approval";
import type { ProviderProblem } from "@mimikit/protocol/base/cause";
import { FailureReason } from "@mimikit/protocol/base/failure";
import type { Report } from "@mimikit/protocol/base/report";
import type { EffectOf } from "@mimikit/protocol/records/effect";
import type { Outage } from "@mimikit/protocol/records/result";
import type { TurnInput } from "@mimikit/protocol/records/task";
import { codeOf, wordsOfOthers } from "@mimikit/protocol/texts/coded";
import { mixedWords, RIGHT_TO_LEFT, visibleLine } from "@mimikit/protocol/texts/visible";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { isTimeZone } from "@mimikit/protocol/triggers/condition";
import { momentText } from "../schedule/trigger-words.ts";
import { problemWords } from "./problem-words.ts";

const HAN = /\p{Script=Han}/u;
/** Of an error, in a question. */
const ERROR_CHARS_MAX = 300;
/** Of what waits, in a question. */
const TITLES_MAX = 5;

/** How the supervisor asks: the first option is the yes. */
interface Words {
  question: string;
  options: [yes: string, no: string];
}

/** Do these texts read as Chinese? */
export function isChinese(...texts: string[]): boolean {
  return texts.some((text) => HAN.test(text));
}

/** Does the reader of this turn's answer write Chinese? */
function isChineseTurn({ messages, results, events }: TurnInput): boolean {
  const told = [...results.map((report) => report.title), ...events.map((event) => event.text)];
  return isChinese(...messages.map((message) => message.text), ...told);
}

/** The notice to the user, once, when no provider can be reached, or none answers before a moment (SPEC G4). */
export function outageNotice(turn: TurnInput, { since, error, problem }: Outage): string {
  const isAsked = turn.messages.length > 0;
  const chinese = isChineseTurn(turn);
  const { what, remedy } = problem === undefined ? NOBODY[chinese ? "zh" : "en"] : problemWords(problem, chinese);
  if (problem?.until !== undefined) {
    const until = momentOf(problem.until, turn);
    if (chinese)
      return `${until} 之前无法回答：${what}${quotedInChinese(error)}。${isAsked ? "你的消息已保存，届时会自动回答。" : "结果已保存，届时会自动报告。"}${remedy}`;
    const then = isAsked
      ? "Your message is saved; I will answer it then."
      : "The results are saved; I will report them then.";
    return `I cannot answer before ${until}: ${what} (${error}). ${then} ${remedy}`;
  }
  const moment = momentOf(since, turn);
  if (chinese)
    return `现在无法回答：从 ${moment} 起，${what}${quotedInChinese(error)}。${isAsked ? "你的消息在等待，恢复后会自动回答。" : "要报告的结果在等待，恢复后会自动报告。"}${remedy}`;
  const waits = isAsked
    ? "Your message is saved; I will answer as soon as this is resolved."
    : "The results are saved; I will report them as soon as this is resolved.";
  return `I cannot answer at the moment: ${what} since ${moment} (${error}). ${waits} ${remedy}`.trim();
}

/** Words of others stand as they are; our own English around them says no more than the sentence does. */
function quotedInChinese(error: string): string {
  const said = codeOf(error);
  const quoted = said === undefined ? error : wordsOfOthers(said).join("；");
  return quoted === "" ? "" : `（${quoted}）`;
}

const NOBODY = {
  en: { what: "no provider can be reached", remedy: "Choose a model: `mimikit connect`, or Settings on the page." },
  zh: { what: "无法连接任何服务商", remedy: "请选择一个模型：`mimikit connect`，或在网页的设置里。" },
};

/** A moment on the clock of the last writer, else in UTC. */
function momentOf(at: string, { messages }: TurnInput): string {
  const { timeZone = "UTC" } = messages.at(-1)?.client ?? {};
  const zone = isTimeZone(timeZone) ? timeZone : "UTC";
  return `${momentText(Date.parse(at), zone)} ${zone}`;
}

/** The question whether the processes may restart, in the language of its sender. */
export function restartWords(turn: TurnInput | undefined): Words {
  return turn !== undefined && isChineseTurn(turn)
    ? { question: "要现在重启 Mimikit 吗？", options: ["是", "否"] }
    : { question: "Restart Mimikit now?", options: ["yes", "no"] };
}

/** How the user is asked whether a chain goes on behind a failure, in the language of its titles (SPEC C8). */
export function goOnWords(failed: Report, waiting: readonly string[]): Words {
  const named = waiting.slice(0, TITLES_MAX);
  const more = waiting.length - named.length;
  const chinese = isChinese(failed.title, ...named);
  const reason = reasonOf(failed, chinese);
  if (chinese) {
    const list = `${named.map((title) => titleIn(title, chinese)).join("、")}${more > 0 ? `等 ${waiting.length} 个任务` : ""}`;
    return {
      question: `${titleIn(failed.title, chinese)}失败了（${reason}）。${list}在等它。要继续吗？`,
      options: ["继续", "停止"],
    };
  }
  const list = `${named.map((title) => titleIn(title, chinese)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const verb = waiting.length === 1 ? "waits" : "wait";
  return {
    question: `${titleIn(failed.title, chinese)} failed (${reason}). ${list} ${verb} for it. Go on anyway?`,
    options: ["go on", "stop"],
  };
}

function reasonOf({ failureReason, error = "" }: Report, chinese: boolean): string {
  if (error === "") return reasonWords(FailureReason.safeParse(failureReason).data ?? "error", chinese);
  return inert(visibleLine(error, ERROR_CHARS_MAX));
}

/** How the user is asked whether a task that was cut off runs again, in the language of its title (SPEC C5). */
export function runAgainWords(title: string): Words {
  return isChinese(title)
    ? {
        question: `${titleIn(title, true)}运行到一半被中断，可能已经做了一部分。要再运行一次吗？`,
        options: ["是", "否"],
      }
    : {
        question: `${titleIn(title, false)} was interrupted while it ran, and may have done part of its work. Run it again?`,
        options: ["yes", "no"],
      };
}

/** How the user is asked whether work goes on that feeds itself, in the language of its title. @param count the plans before it. */
export function goOnAloneWords(title: string, count: number): Words {
  return isChinese(title)
    ? {
        question: `你没有再说话，我已经自己接着安排了 ${count} 次工作。下一次是「${title}」。要继续吗？`,
        options: ["继续", "停止"],
      }
    : {
        question: `I have ordered work ${count} times in a row without a word from you. The next is "${title}". Go on?`,
        options: ["go on", "stop"],
      };
}

/** How the user is asked whether a task is given up whose machine is silent, in the language of its title (docs/pools.md). */
export function giveUpWords(title: string, pool: string): Words {
  return isChinese(title)
    ? {
        question: `${titleIn(title, true)}交给了 ${pool}，但已经很久没有它的消息。要放弃这个任务吗？如果不放弃，等 ${pool} 回来后会继续。`,
        options: ["是", "否"],
      }
    : {
        question: `${titleIn(title, false)} was given to ${pool}, which has not been heard of for a long time. Give the task up? If not, it goes on when ${pool} is back.`,
        options: ["yes", "no"],
      };
}

/** The reaches of a call in words, as parts of a sentence, in the order in which they are named. */
const REACHES: Record<Reach, readonly [en: string, zh: string]> = {
  command: ["", ""],
  level: ["which may change things", "可能会改变一些东西"],
  network: ["with the network", "需要联网"],
  outside: ["outside the workspace", "会涉及工作区以外的路径"],
  "no-sandbox": ["without a sandbox, so with all your rights", "没有沙箱，拥有你的全部权限"],
};
const REACH_ORDER = Object.keys(REACHES) as Reach[];
const CWD_CHARS_MAX = 500;
const TOOL_CHARS_MAX = 100;
/** Characters of a title that a question shows. */
const ASKED_TITLE_CHARS_MAX = 300;
/** Words that are named because they mix scripts, and characters of each. */
const MIXED_MAX = 3;
const MIXED_CHARS_MAX = 150;

/**
 * How the owner is asked whether a call is made, in the language of the title of its task (SPEC I10). The last option is the no. Nothing in
 * the words of others can pass for a part of the question: they are on one line, written out, or in a block that they cannot end.
 */
export function approveWords(
  title: string,
  { tool, shown, cwd, reaches, prefix, pool }: AskedCall,
): { question: string; options: [yes: string, ...string[]] } {
  const chinese = isChinese(title);
  const code = `\n\n${fenced(shown)}\n\n`;
  // The reaches of another machine are its own words.
  const reasons = REACH_ORDER.filter((reach) => pool === undefined && reaches.includes(reach))
    .map((reach) => REACHES[reach][chinese ? 1 : 0])
    .filter((words) => words !== "");
  const why =
    pool === undefined
      ? reasons
      : [chinese ? `在 ${pool} 上，拥有它的全部权限` : `on ${pool}, with all that it may do there`];
  const words = prefix?.join(" ");
  const place = inert(visibleLine(cwd, CWD_CHARS_MAX));
  const name = visibleLine(tool, TOOL_CHARS_MAX);
  const notes = notesOn(shown, chinese);
  if (chinese) {
    const reason = why.length === 0 ? "" : `（${why.join("，")}）`;
    return {
      question: `${titleIn(title, chinese)}想使用 ${inert(name)}${reason}：${code}目录：${place}。${notes}允许吗？`,
      options: ["允许一次", "本任务内允许", ...(words === undefined ? [] : [`始终允许 ${words}`]), "不允许"],
    };
  }
  const reason = why.length === 0 ? "" : `, ${why.join(" and ")}`;
  return {
    question: `${titleIn(title, chinese)} wants to use ${inert(name)}${reason}:${code}in ${place}. ${notes}Allow it?`,
    options: ["yes, once", "yes, for this task", ...(words === undefined ? [] : [`always ${words}`]), "no"],
  };
}

/** Warnings about a call that reads otherwise than it runs: each a sentence with a space behind it. */
function notesOn(shown: string, chinese: boolean): string {
  const mixed = mixedWords(shown).slice(0, MIXED_MAX);
  const named = mixed.map(({ word, written }) => {
    const as = inert(visibleLine(word, MIXED_CHARS_MAX));
    const is = inert(beginningOf(written, MIXED_CHARS_MAX));
    return chinese
      ? `注意：${as} 混用了不同文字的字母，实际是 ${is}。`
      : `Note: ${as} mixes letters of several scripts: ${is}. `;
  });
  if (RIGHT_TO_LEFT.test(shown))
    named.push(
      chinese
        ? "注意：其中有从右向左书写的字母，显示的顺序可能与执行的顺序不同。"
        : "Note: it has letters that are written from right to left, so its words may run in another order than they are shown. ",
    );
  return named.join("");
}

/** The title of a task in a question: on one line, in quotation marks, or as code where Markdown would make something of it. */
function titleIn(title: string, chinese: boolean): string {
  return inert(visibleLine(title, ASKED_TITLE_CHARS_MAX), chinese ? "「」" : '""');
}

/** Anything that Markdown could take for more than words. */
const MARKDOWN = /[`*_~<>[\]\\&$]|:\/\/|\bwww\./;

/** One line of others' words, in quotation marks or as they are; as code where Markdown would make something of them. */
function inert(line: string, marks = ""): string {
  if (!MARKDOWN.test(line)) return marks.charAt(0) + line + marks.charAt(1);
  const fence = "`".repeat(1 + Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const room = /^[ `]|[ `]$/.test(line) ? " " : "";
  return fence + room + line + room + fence;
}

/** As a block of code that its text cannot end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The notice in the conversation about a question that was not answered in time. */
export function expiryNotice(question: string, answer: string | null): string {
  if (isChinese(question))
    return answer === null
      ? `问题「${question}」没有人及时回答。`
      : `问题「${question}」没有人及时回答，按默认「${answer}」处理。`;
  const unanswered = `"${question}" was not answered in time`;
  return answer === null ? `${unanswered}.` : `${unanswered}; the default "${answer}" applies.`;
}

/** How a turn ended that failed, where it is not for its model: the error says more. */
const REASONS: Record<FailureReason, readonly [en: string, zh: string]> = {
  error: ["it ended without a result", "没有结果"],
  timeout: ["it timed out", "超过了允许的时间"],
  killed: ["it was killed from outside", "被外部终止"],
  interrupted: ["it was interrupted", "中途被打断"],
  poison: ["its process crashed repeatedly", "它的进程一再崩溃"],
  cancelled: ["it was stopped", "已停止"],
  budget: ["the budget is used up", "预算用完了"],
  invalid_result: ["there is no usable answer", "没有可用的回答"],
  provider: ["something went wrong", "出了问题"],
  needs_approval: ["it is waiting for your approval", "在等待你的许可"],
};

/** Why something failed, as part of a sentence. */
export function reasonWords(failureReason: FailureReason, chinese: boolean): string {
  return REASONS[failureReason][chinese ? 1 : 0];
}

/** Why a plan had to end before it had ended by itself, and at how much: steps of one run, changes of one plan, or repetitions. */
export interface PlanLimit {
  reached: "steps" | "changes" | "repetition";
  max: number;
}

/** The note of a plan about the limit that it has reached, in the language of the request. */
export function planLimitNotice({ reached, max }: PlanLimit, asked: string): string {
  const [en, zh] = PLAN_LIMITS[reached];
  return isChinese(asked)
    ? `规划${zh(max)}后停止，你的要求里可能还有一部分没有安排。`
    : `Planning stopped ${en(max)}: part of your request may not be planned.`;
}

const PLAN_LIMITS: Record<PlanLimit["reached"], readonly [en: (max: number) => string, zh: (max: number) => string]> = {
  steps: [(max) => `at its limit of ${max} steps`, (max) => `达到 ${max} 步的上限`],
  changes: [(max) => `at its limit of ${max} changes`, (max) => `达到 ${max} 项改动的上限`],
  repetition: [(max) => `because it repeated itself ${max} times`, (max) => `重复了 ${max} 次`],
};

/** The honest reply to a turn that failed for good, or that the user stopped. @param problem where its model did not answer. */
export function failureNotice(
  turn: TurnInput,
  failureReason: FailureReason,
  error: string,
  problem?: ProviderProblem,
): string {
  const chinese = isChineseTurn(turn);
  const ended = turn.results.map((report) => report.id).join(", ");
  if (failureReason === "cancelled") return stoppedNotice(chinese, ended);
  const isAsked = turn.messages.length > 0;
  const { what, remedy } =
    problem === undefined ? { what: reasonWords(failureReason, chinese), remedy: "" } : problemWords(problem, chinese);
  if (chinese) {
    const results = ended === "" ? "" : `这些任务的结果已保存，可以用 \`mimikit tasks show\` 查看：${ended}。`;
    return `抱歉，我没能完成这次回复：${what}${error === "" ? "" : `（${error}）`}。${remedy}${results}${isAsked ? "你的消息已保存：请点网页上的“重试”，或输入 /retry。" : ""}`;
  }
  const results =
    ended === "" ? "" : `The results of these tasks are saved; \`mimikit tasks show\` shows them: ${ended}.`;
  const detail = error === "" ? "" : ` (${error})`;
  const sentences = [
    `Sorry, I could not finish this reply: ${what}${detail}.`,
    remedy,
    results,
    isAsked ? TRY_AGAIN : "",
  ];
  return sentences.filter((each) => each !== "").join(" ");
}

const TRY_AGAIN = "Your message is saved: press Try again on the page, or type /retry.";

function stoppedNotice(chinese: boolean, ended: string): string {
  if (chinese)
    return ended === "" ? "已停止。" : `已停止。这些任务的结果已保存，可以用 \`mimikit tasks show\` 查看：${ended}。`;
  return ended === ""
    ? "Stopped."
    : `Stopped. The results of these tasks are saved; \`mimikit tasks show\` shows them: ${ended}.`;
}

/** A fence of a code block, at the beginning of a line. Longer ones never occur. */
const FENCE = /^ {0,3}(`{3,16}|~{3,16})/gm;
/** Room for the end of a code block. */
const CLOSE_CHARS_MAX = 17;

/**
 * A reply that broke off: what it had said, and after it why it ends there. A code block that is open is closed first.
 * @param charsMax of the whole; what was said is cut at its end.
 */
export function brokenOff(said: string, notice: string, charsMax: number): Pick<EffectOf<"reply">, "text" | "spoken"> {
  const end = said.trim() === "" ? notice : `\n\n${notice}`;
  const kept = beginningOf(said.trimEnd(), Math.max(0, charsMax - end.length - CLOSE_CHARS_MAX));
  let open = "";
  for (const [, fence = ""] of kept.matchAll(FENCE)) {
    if (open === "") open = fence;
    else if (fence.startsWith(open)) open = "";
  }
  const spoken = `${kept}${open === "" ? "" : `\n${open}`}`;
  return { text: beginningOf(`${spoken}${end}`, charsMax), spoken: spoken.length };
}
