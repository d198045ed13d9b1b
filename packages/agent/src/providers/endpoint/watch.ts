/** One exchange with an endpoint: it ends when the run ends, when the endpoint is silent for too long or says too much. */
import { BadJson } from "@mimikit/protocol/base/json";
import type { ModelFailure } from "../../kernel/model.ts";
import type { Place } from "./place.ts";

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

function isUnconnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && UNCONNECTED.has(String(cause.code));
}

/** The endpoint answered, and what it sent cannot be read. */
export class BadAnswer extends Error {}

/** Ends a request that the run ends, or that has been silent for too long, and says afterwards which of them it was. */
export class Watch {
  readonly signal: AbortSignal;
  private readonly place: Place;
  private readonly stop: AbortSignal;
  private readonly silence = new AbortController();
  private timer: NodeJS.Timeout;
  private hasBegun = false;

  constructor(place: Place, stop: AbortSignal) {
    this.place = place;
    this.stop = stop;
    this.signal = AbortSignal.any([stop, this.silence.signal]);
    this.timer = this.start(place.firstByteMs);
  }

  /** Passes the pieces on; with each of them the time begins anew. Throws `BadAnswer` where there are too many. */
  async *listen(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of chunks) {
      clearTimeout(this.timer);
      this.hasBegun = true;
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new BadAnswer(`it is longer than ${ANSWER_BYTES_MAX} bytes`);
      yield chunk;
      this.timer = this.start(this.place.idleMs);
    }
  }

  /** What went wrong, by the error that the exchange ended with. The message does not hold the key. */
  explain(error: unknown): ModelFailure {
    if (this.stop.aborted)
      return { type: "failure", kind: "aborted", message: "stopped while the model was answering" };
    const isOutage = !this.hasBegun && isUnconnected(error);
    return withoutKey({ type: "failure", kind: "unavailable", message: this.describe(error), isOutage }, this.place);
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private start(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.silence.abort(), ms);
  }

  private describe(error: unknown): string {
    const { baseUrl, firstByteMs, idleMs } = this.place;
    const where = `the model endpoint ${new URL(baseUrl).origin}`;
    if (this.silence.signal.aborted && this.hasBegun) return `${where} was silent for ${idleMs / 1_000} s in an answer`;
    if (this.silence.signal.aborted) return `${where} did not begin to answer within ${firstByteMs / 1_000} s`;
    if (error instanceof BadJson || error instanceof BadAnswer)
      return `${where} sent what is no answer: ${error.message}`;
    if (!(error instanceof Error)) return `${where}: ${String(error)}`;
    const { cause } = error;
    const code = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.message) : error.message;
    return `${where} cannot be reached: ${code}`;
  }
}

export function withoutKey(failure: ModelFailure, { apiKey }: Place): ModelFailure {
  return apiKey === undefined ? failure : { ...failure, message: failure.message.replaceAll(apiKey, "[key]") };
}

/** The text of the pieces, up to `charsMax` characters. */
export async function readAll(chunks: AsyncIterable<Uint8Array>, charsMax: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= charsMax) break;
  }
  return text.slice(0, charsMax);
}
