/** What people are told by code when a model cannot tell them, in the language they wrote in. */
import type { FailureReason } from "@mimikit/protocol/failure";
import type { TurnInput } from "@mimikit/protocol/task";

const HAN = /\p{Script=Han}/u;

/** Do these texts read as Chinese? */
export function isChinese(...texts: string[]): boolean {
  return texts.some((text) => HAN.test(text));
}

/** Does whoever this turn answers write Chinese? */
function isChineseTurn({ messages, results }: TurnInput): boolean {
  return isChinese(...messages.map((message) => message.text), ...results.map((report) => report.title));
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
export function restartWords(turn: TurnInput | undefined): { question: string; options: string[]; default: string } {
  return turn !== undefined && isChineseTurn(turn)
    ? { question: "要现在重启 Mimikit 吗？", options: ["是", "否"], default: "否" }
    : { question: "Restart Mimikit now?", options: ["yes", "no"], default: "no" };
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
