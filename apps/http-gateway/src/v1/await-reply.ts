/** Waits for the reply to a message, and tells of it while it is written. It looks at what is there, so it may begin at any time. */
import { codeOrQuote } from "@mimikit/protocol/texts/coded";
import type { RouteDeps } from "../api/parts.ts";
import { HttpProblem } from "../http/problem.ts";
import { nextOf, restOf } from "./draft.ts";
import { courseOf, type Reply } from "./reply.ts";

/** How often a client that waits hears that it still waits, in ms: proxies end connections that are silent for a minute. */
const KEEP_ALIVE_MS = 10_000;
/** How long a request waits, in ms: as long as the official packages do. The message is kept, and answered all the same. */
const REPLY_MS_MAX = 600_000;

/**
 * @param messageId a message that is durable.
 * @param isStillIn whether the client that asks may still do so; asked each KEEP_ALIVE_MS.
 * @param signal ends the wait: the client has left.
 * @yields what of the reply follows what was yielded before; null when there was nothing new for KEEP_ALIVE_MS.
 * @returns the reply; null where `signal` ended the wait. All that was yielded ends with its text.
 * @throws HttpProblem 503 if no provider can be reached, 504 after REPLY_MS_MAX, 410 if the reply has left the window, 401
 * if the client's token was revoked. Of all but the last, the same request again goes on.
 */
export async function* awaitReply(
  messageId: string,
  { live, view, waits }: Pick<RouteDeps, "live" | "view" | "waits">,
  isStillIn: () => Promise<boolean>,
  signal: AbortSignal,
): AsyncGenerator<string | null, Reply | null> {
  const { replyMs = REPLY_MS_MAX, keepAliveMs = KEEP_ALIVE_MS } = waits;
  const endMs = performance.now() + replyMs;
  let aliveMs = performance.now();
  let sent = "";
  // The message was durable before, so from now on every look has it.
  await view.refresh();
  while (!signal.aborted) {
    // Asked for before the look, so that nothing is missed between them.
    const news = live.news();
    const { messages } = view.newest ?? (await view.refresh());
    const course = courseOf(messageId, messages);
    if (course.state === "unknown") throw gone();
    if (course.state === "answered") {
      const last = restOf(sent, course.reply.text);
      if (last !== "") yield last;
      return course.reply;
    }
    const draft = course.turn === undefined ? undefined : live.draftOf(course.turn);
    // A turn that runs is being tried again.
    if (course.outage !== undefined && draft === undefined) throw unreachable(course.outage);
    const next = nextOf(sent, draft ?? "");
    if (next !== "") {
      sent += next;
      aliveMs = performance.now();
      yield next;
      continue;
    }
    const nowMs = performance.now();
    if (nowMs > endMs) throw tooLong(replyMs);
    if (nowMs - aliveMs >= keepAliveMs) {
      if (!(await isStillIn())) throw new HttpProblem(401, codeOrQuote("the token of this client was revoked"));
      aliveMs = nowMs;
      yield null;
    }
    await rest(news, Math.min(aliveMs + keepAliveMs, endMs) - performance.now(), signal);
  }
  return null;
}

/** Rests until there is news, `ms` are over, or `signal` says so. */
function rest(news: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, ms));
    signal.addEventListener("abort", end);
    void news.then(end);
  });
}

const KEPT = "The message is kept and will be answered: send the same request again to wait for the reply.";

function unreachable(notice: string): HttpProblem {
  return new HttpProblem(503, codeOrQuote(notice), { code: "model_unreachable", hint: KEPT });
}

function tooLong(replyMs: number): HttpProblem {
  return new HttpProblem(504, codeOrQuote(`there is no reply within ${replyMs / 1_000} s`), {
    code: "reply_takes_longer",
    hint: KEPT,
  });
}

function gone(): HttpProblem {
  const hint = "Send it under another Idempotency-Key.";
  return new HttpProblem(410, codeOrQuote("this was answered long ago"), { hint });
}
