/** What people are told by code when a model cannot tell them, in the language they wrote in. */
import type { FailureReason } from "@mimikit/protocol/base/failure";
import type { Report } from "@mimikit/protocol/base/report";
import type { TurnInput } from "@mimikit/protocol/records/task";

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

/** Does whoever this turn answers write Chinese? */
function isChineseTurn({ messages, results, events }: TurnInput): boolean {
  const told = [...results.map((report) => report.title), ...events.map((event) => event.text)];
  return isChinese(...messages.map((message) => message.text), ...told);
}

/** What the user is told, once, when nobody who answers can be reached (SPEC G4). */
export function outageNotice(turn: TurnInput, error: string): string {
  const isAsked = turn.messages.length > 0;
  if (isChineseTurn(turn))
    return `现在联系不上负责回答的服务（${error}）。${isAsked ? "你的消息已保存，恢复后会马上回复。" : "要报告的结果已保存，恢复后会马上报告。"}`;
  const kept = isAsked
    ? "Your message is kept, and is answered as soon as that is over."
    : "What is to be reported is kept, and is reported as soon as that is over.";
  return `Nobody can be reached to answer at the moment (${error}). ${kept}`;
}

/** How the user is asked whether the processes may start anew, in the language of whoever asked for it. */
export function restartWords(turn: TurnInput | undefined): Words {
  return turn !== undefined && isChineseTurn(turn)
    ? { question: "要现在重启 Mimikit 吗？", options: ["是", "否"] }
    : { question: "Restart Mimikit now?", options: ["yes", "no"] };
}

/** How the user is asked whether a chain goes on behind a failure, in the language of its titles (SPEC C8). */
export function goOnWords(failed: Report, waiting: readonly string[]): Words {
  const reason = reasonOf(failed);
  const named = waiting.slice(0, TITLES_MAX);
  const more = waiting.length - named.length;
  if (isChinese(failed.title, ...named)) {
    const list = `${named.map((title) => `「${title}」`).join("、")}${more > 0 ? `等 ${waiting.length} 个任务` : ""}`;
    return { question: `「${failed.title}」失败了（${reason}）。${list}在等它。要继续吗？`, options: ["继续", "停止"] };
  }
  const list = `${named.map((title) => `"${title}"`).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const verb = waiting.length === 1 ? "waits" : "wait";
  return {
    question: `"${failed.title}" failed (${reason}). ${list} ${verb} for it. Go on all the same?`,
    options: ["go on", "stop"],
  };
}

function reasonOf({ failureReason = "error", error = "" }: Report): string {
  const short = error.length > ERROR_CHARS_MAX ? `${error.slice(0, ERROR_CHARS_MAX - 1)}…` : error;
  return short === "" ? failureReason : `${failureReason}: ${short}`;
}

/** How the user is asked whether a task that was cut off runs again, in the language of its title (SPEC C5). */
export function runAgainWords(title: string): Words {
  return isChinese(title)
    ? { question: `「${title}」运行到一半被中断，可能已经做了一部分。要再运行一次吗？`, options: ["是", "否"] }
    : {
        question: `"${title}" was cut off while it ran, and may have done a part of its work. Run it again?`,
        options: ["yes", "no"],
      };
}

/** What the conversation says of a question that nobody answered in time. */
export function expiryNotice(question: string, answer: string | null): string {
  if (isChinese(question))
    return answer === null
      ? `问题「${question}」没有人及时回答。`
      : `问题「${question}」没有人及时回答，按默认「${answer}」处理。`;
  const nobody = `Nobody answered "${question}" in time`;
  return answer === null ? `${nobody}.` : `${nobody}; "${answer}" was taken.`;
}

/** The honest reply to a turn that failed for good, or that the user stopped. */
export function failureNotice(turn: TurnInput, failureReason: FailureReason, error: string): string {
  const chinese = isChineseTurn(turn);
  const ended = turn.results.map((report) => report.id).join(", ");
  if (failureReason === "cancelled") return stoppedNotice(chinese, ended);
  if (chinese) {
    const results = ended === "" ? "" : `这些任务的结果已保存，可以用 \`mimikit tasks show\` 查看：${ended}。`;
    return `抱歉，我没能完成这次回复（${failureReason}：${error}）。${results}你的消息已保存，请再说一次让我重试。`;
  }
  const results =
    ended === "" ? "" : ` The results of these tasks are kept; \`mimikit tasks show\` shows them: ${ended}.`;
  return `Sorry, I could not finish this reply (${failureReason}: ${error}).${results} Your message is kept; say it again to let me retry.`;
}

function stoppedNotice(chinese: boolean, ended: string): string {
  if (chinese)
    return ended === "" ? "已停止。" : `已停止。这些任务的结果已保存，可以用 \`mimikit tasks show\` 查看：${ended}。`;
  return ended === ""
    ? "Stopped."
    : `Stopped. The results of these tasks are kept; \`mimikit tasks show\` shows them: ${ended}.`;
}
