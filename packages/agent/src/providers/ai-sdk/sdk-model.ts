/**
 * A model behind a library of the AI SDK: it knows the wire of its vendor. Our promises about an exchange stay ours: its
 * time, its bounds, the meaning of a refusal, and that no failure holds the key. Never throws, as no `Model` does.
 */

import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { beginningOf, wellFormed } from "@mimikit/protocol/texts/whole-characters";
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../kernel/model.ts";
import { failureInStream, failureOf } from "../endpoint/failure.ts";
import { hostOf, type ModelEndpoint } from "../endpoint/place.ts";
import { atPlace, BadAnswer, EndpointWatch, readAll } from "../endpoint/watch.ts";
import { SdkAnswer } from "./answer.ts";
import { promptOf } from "./prompt.ts";

const ERROR_BODY_CHARS_MAX = 65_536;
const MESSAGE_CHARS_MAX = 300;
/** `response.error.code`. */
const CODE_DEPTH_MAX = 2;

/** A vendor's wire. */
export interface VendorWire {
  /** The vendor's model, which asks over `fetch` and nothing else. The library is loaded here: only a request pays for it. */
  connect(fetch: typeof globalThis.fetch): Promise<LanguageModelV4>;
  /** The vendor's marker for the end of its cache, if it wants one. */
  cacheMark?: NonNullable<LanguageModelV4CallOptions["providerOptions"]>;
  /** Whether the wire has a mark for the failure of a call; it does if not given. */
  marksErrors?: boolean;
  /** Tokens that an answer may have; the vendor's own limit when not given. */
  outputTokensMax?: number;
  /** Further settings of the vendor. */
  options?: NonNullable<LanguageModelV4CallOptions["providerOptions"]>;
}

/** A model at `place` that is spoken to over `wire`, which may depend on the request. */
export function sdkModel(place: ModelEndpoint, wire: VendorWire | ((request: ModelRequest) => VendorWire)): Model {
  return {
    async *ask(request, signal) {
      const exchange = new Exchange(place, typeof wire === "function" ? wire(request) : wire, signal);
      try {
        yield* exchange.run(request);
      } catch (error) {
        yield exchange.explain(error);
      } finally {
        exchange.end();
      }
    },
  };
}

class Exchange {
  private readonly place: ModelEndpoint;
  private readonly wire: VendorWire;
  private readonly watch: EndpointWatch;
  /** The outcome of a request that was not answered: the library's own words for it are not ours. */
  private refusal: ModelFailure | null = null;
  private trouble: unknown = null;
  private isAnswered = false;

  constructor(place: ModelEndpoint, wire: VendorWire, signal: AbortSignal) {
    this.place = place;
    this.wire = wire;
    this.watch = new EndpointWatch(place, signal);
  }

  async *run(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { wire, place, watch } = this;
    const model = await wire.connect((input, init) => this.fetch(input, init));
    const { stream } = await model.doStream({
      ...wellFormed(promptOf(request, wire)),
      abortSignal: watch.signal,
      ...(place.effort !== undefined && { reasoning: place.effort }),
      ...(wire.outputTokensMax !== undefined && { maxOutputTokens: wire.outputTokensMax }),
      ...(wire.options !== undefined && { providerOptions: wire.options }),
    });
    const answer = new SdkAnswer();
    for await (const part of stream) {
      if (part.type === "error") return yield this.explain(part.error);
      const event = answer.add(part);
      if (event !== null) yield event;
      if (answer.isTooLong) break;
    }
    const end = answer.build(request);
    yield end.type === "failure" ? atPlace(end, place) : end;
  }

  explain(error: unknown): ModelFailure {
    const { place, watch } = this;
    if (this.refusal !== null) return atPlace(this.refusal, place);
    if (this.trouble !== null || watch.signal.aborted) return watch.explain(this.trouble ?? error);
    const said = readVendorError(error);
    if (said !== null) {
      const body = JSON.stringify({ error: { message: said.message, type: said.type, code: said.code } });
      const failure =
        said.statusCode === undefined
          ? failureInStream(said, hostOf(place))
          : failureOf(said.statusCode, body, null, Date.now(), hostOf(place));
      return atPlace(failure, place);
    }
    return watch.explain(this.isAnswered ? new BadAnswer(firstLine(error)) : error);
  }

  end(): void {
    this.watch.end();
  }

  private async fetch(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
    try {
      // Another address was not configured, and must not get what was meant for this one.
      const response = await fetch(input, { ...init, redirect: "error" });
      const chunks = this.listen(response.body ?? []);
      const { status, headers } = response;
      if (response.ok) {
        this.isAnswered = true;
        return new Response(ReadableStream.from(chunks), { status, headers });
      }
      const body = await readAll(chunks, ERROR_BODY_CHARS_MAX);
      this.refusal = failureOf(status, body, headers, Date.now(), hostOf(this.place));
    } catch (error) {
      this.trouble = error;
      throw error;
    }
    throw new Error(this.refusal.message);
  }

  private async *listen(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* this.watch.listen(body);
    } catch (error) {
      this.trouble = error;
      throw error;
    }
  }
}

interface VendorError {
  message: string;
  type?: string | undefined;
  code?: string | undefined;
  statusCode?: number | undefined;
}

/** An error that the vendor itself reports within a stream that began as a good one; null where it is another one. */
function readVendorError(error: unknown): VendorError | null {
  if (
    typeof error !== "object" ||
    error === null ||
    !("message" in error) ||
    !("data" in error || "statusCode" in error)
  )
    return null;
  const { message } = error;
  const type = "type" in error && typeof error.type === "string" ? error.type : undefined;
  const statusCode = "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : undefined;
  const code = codeIn(error) ?? ("data" in error ? codeIn(error.data) : undefined);
  return { message: String(message), type, code, statusCode };
}

/** The code of an error, or of the event that reported it; each library wraps it otherwise. */
function codeIn(value: unknown, depth = 0): string | undefined {
  if (typeof value !== "object" || value === null || depth > CODE_DEPTH_MAX) return undefined;
  if ("code" in value && typeof value.code === "string") return value.code;
  const inner = "error" in value ? value.error : "response" in value ? value.response : undefined;
  return codeIn(inner, depth + 1);
}

function firstLine(error: unknown): string {
  const text =
    error instanceof Error ? error.message : typeof error === "object" ? JSON.stringify(error) : String(error);
  return beginningOf(text.split("\n", 1)[0] ?? "", MESSAGE_CHARS_MAX);
}
