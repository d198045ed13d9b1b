/** What people are told by code when a model cannot tell them, in the language they wrote in. */
import type { FailureReason } from "@mimikit/protocol/failure";
import type { TurnInput } from "@mimikit/protocol/task";

const HAN = /\p{Script=Han}/u;

/** Do these texts read as Chinese? */
export function isChinese(...texts: string[]): boolean {
  return texts.some((text) => HAN.test(text));
}

/** The honest reply to a turn that failed for good. */
export function failureNotice(turn: TurnInput, failureReason: FailureReason, error: string): string {
  const chinese = isChinese(
    ...turn.messages.map((message) => message.text),
    ...turn.results.map((report) => report.title),
  );
  const ended = turn.results.map((report) => report.id).join(", ");
  if (chinese) {
    const results = ended === "" ? "" : `这些任务的结果已保存，可以用 \`mimikit tasks show\` 查看：${ended}。`;
    return `抱歉，我没能完成这次回复（${failureReason}：${error}）。${results}您的消息已保存，请再说一次让我重试。`;
  }
  const results =
    ended === "" ? "" : ` The results of these tasks are kept; \`mimikit tasks show\` shows them: ${ended}.`;
  return `Sorry, I could not finish this reply (${failureReason}: ${error}).${results} Your message is kept; say it again to let me retry.`;
}
