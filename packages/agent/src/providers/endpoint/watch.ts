/** One exchange with an endpoint: it ends when the run ends, when the endpoint is silent for too long or says too much. */

import type { Cause } from "@mimikit/protocol/base/cause";
import { BadJson } from "@mimikit/protocol/base/json";
import { sentence } from "@mimikit/protocol/texts/coded";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { withoutKey } from "@mimikit/runtime/config/secrets";
import { proxyErrorIn } from "@mimikit/runtime/network/proxy-error";
import type { ModelFailure } from "../../kernel/model.ts";
import { hostOf, type ModelEndpoint } from "./place.ts";

/** A stream spends some hundred bytes on each token: this is more than any model says. */
const ANSWER_BYTES_MAX = 256 * 1_048_576;

/** Why no connection came about, by the codes of the system and of fetch. */
const UNCONNECTED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** How a connection ends that there was. */
const BROKEN = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** The code of the system or of fetch; the words of the error where there is none. */
function codeOf(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return "code" in cause ? String(cause.code) : cause.message;
}

/** The wait for the token count and the end of the stream once the answer is complete. */
const ENDING_MS_MAX = 2_000;

/** The endpoint answered, and what it sent cannot be read. */
export class BadAnswer extends Error {}

/** Ends a request that the run ends, or that has been silent for too long, and says afterwards which of them it was. */
export class EndpointWatch {
  readonly signal: AbortSignal;
  private readonly place: ModelEndpoint;
  private readonly stop: AbortSignal;
  private readonly silence = new AbortController();
  private timer: NodeJS.Timeout;
  private hasBegun = false;
  private isEnding = false;

  constructor(place: ModelEndpoint, stop: AbortSignal) {
    this.place = place;
    this.stop = stop;
    this.signal = AbortSignal.any([stop, this.silence.signal]);
    this.timer = this.start(place.firstByteMs);
  }

  /** Passes the pieces on; with each of them the time starts over. Throws `BadAnswer` where there are too many. */
  async *listen(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of chunks) {
      if (!this.isEnding) clearTimeout(this.timer);
      this.hasBegun = true;
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new BadAnswer(`it is longer than ${ANSWER_BYTES_MAX} bytes`);
      yield chunk;
      if (!this.isEnding) this.timer = this.start(this.place.idleMs);
    }
  }

  /** Ends the exchange soon, because the answer is complete. Keep-alive comments of a proxy do not extend the wait. */
  expectEnd(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    clearTimeout(this.timer);
    this.timer = this.start(Math.min(ENDING_MS_MAX, this.place.idleMs));
  }

  /** Whether the run, and not the endpoint, ended the exchange. */
  get isStopped(): boolean {
    return this.stop.aborted;
  }

  /** The failure, by the error that the exchange ended with. The message does not hold the key. */
  explain(error: unknown): ModelFailure {
    if (this.stop.aborted)
      return { type: "failure", kind: "aborted", message: "stopped while the model was answering" };
    const ofProxy = proxyErrorIn(error);
    if (ofProxy !== null) {
      // Another try is no better where its owner has to do something first.
      const kind = ofProxy.isOutage ? "unavailable" : "refused";
      const { message, isOutage } = ofProxy;
      return atPlace({ type: "failure", kind, cause: "other", message, isOutage }, this.place);
    }
    const isOutage = !this.hasBegun && error instanceof Error && UNCONNECTED.has(codeOf(error));
    const failure = { type: "failure", kind: "unavailable", ...this.describe(error), isOutage } as const;
    return atPlace(failure, this.place);
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private start(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.silence.abort(), ms);
  }

  private describe(error: unknown): { cause: Cause; message: string } {
    const { firstByteMs, idleMs } = this.place;
    const host = hostOf(this.place);
    if (this.silence.signal.aborted) {
      const what = this.hasBegun
        ? `was silent for ${idleMs / 1_000} s in an answer`
        : `did not begin to answer within ${firstByteMs / 1_000} s`;
      return { cause: "busy", message: `${host} ${what}` };
    }
    if (error instanceof BadJson || error instanceof BadAnswer)
      return { cause: "other", message: `${host} sent what is no answer: ${error.message}` };
    if (!(error instanceof Error)) return { cause: "other", message: `${host}: ${String(error)}` };
    const code = codeOf(error);
    return this.hasBegun || BROKEN.has(code)
      ? { cause: "busy", message: sentence("host_broke_off", { host, detail: code }) }
      : { cause: "down", message: sentence("host_unreachable", { host, detail: code }) };
  }
}

/** A failure as it is told: of which host, and without the key. */
export function atPlace(failure: ModelFailure, place: ModelEndpoint): ModelFailure {
  const { apiKey } = place;
  const message = apiKey === undefined ? failure.message : withoutKey(failure.message, apiKey);
  return { ...failure, message, host: hostOf(place) };
}

/** The text of the pieces, up to `charsMax` characters. */
export async function readAll(chunks: AsyncIterable<Uint8Array>, charsMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= charsMax) break;
  }
  return beginningOf(text, charsMax);
}
