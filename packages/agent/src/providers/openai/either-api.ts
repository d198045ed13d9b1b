/**
 * A model that is asked over the API that its endpoint wants. Which one follows from the address; where the endpoint demands
 * the other one, that is asked at once, and from then on.
 */
import {
  type Model,
  type ModelAnswer,
  type ModelEvent,
  type ModelFailure,
  type ModelRequest,
  NO_ANSWER,
} from "../../kernel/model.ts";
import { learn, readLearnt } from "../endpoint/learnt.ts";
import { type Api, otherApi, wantsNoEffort } from "./api.ts";
import { askedApi, limitedByApi } from "./asked-api.ts";
import { chatCompletions, type Streaming } from "./chat-completions.ts";
import type { Endpoint } from "./endpoint.ts";

type End = ModelAnswer | ModelFailure;

export function eitherApi(endpoint: Endpoint): Model {
  const form = { isStreamed: true };
  return { ask: (request, signal) => new Attempts(endpoint, request, signal, form).run() };
}

/** The tries of one request. */
class Attempts {
  private readonly endpoint: Endpoint;
  private readonly request: ModelRequest;
  private readonly signal: AbortSignal;
  /** It outlives the request: the next try of the same one may go without a stream. */
  private readonly form: Streaming;

  constructor(endpoint: Endpoint, request: ModelRequest, signal: AbortSignal, form: Streaming) {
    this.endpoint = endpoint;
    this.request = request;
    this.signal = signal;
    this.form = form;
  }

  async *run(): AsyncGenerator<ModelEvent> {
    const { endpoint } = this;
    const { api: setting = "auto" } = endpoint;
    const first = askedApi(endpoint);
    const refusal = yield* this.over(first, readLearnt(endpoint).noEffort === true);
    if (refusal.type === "answer") return yield refusal;
    const other = setting === "auto" ? otherApi(first, refusal) : null;
    let end: End = refusal;
    if (other !== null && !(refusal.kind === "not_found" && hasAnswered(endpoint, first))) {
      yield { type: "retry", retry: 1, message: refusal.message };
      end = yield* this.over(other);
      if (end.type === "answer") {
        learn(endpoint, { api: other });
        return yield end;
      }
      if (end.kind === "aborted" || end.kind === "unavailable") return yield end;
      // Neither is there: a shorter conversation would be refused like this one.
      if (otherApi(other, end) !== null) end = { ...refusal, kind: "refused" };
    }
    if (first !== "chat" || !wantsNoEffort(refusal)) return yield end;
    yield { type: "retry", retry: 1, message: refusal.message };
    const plain = yield* this.over("chat", true);
    if (plain.type === "answer") learn(endpoint, { noEffort: true });
    yield plain.type === "failure" && plain.kind === "refused" ? refusal : plain;
  }

  /** Passes on what comes before the end. @param isWithoutEffort tools are taken only from a model that does not reason. */
  private async *over(api: Api, isWithoutEffort = false): AsyncGenerator<ModelEvent, End> {
    const model = await this.modelOver(api, isWithoutEffort);
    for await (const event of model.ask(this.request, this.signal)) {
      if (event.type === "answer") noteAnswer(this.endpoint, api);
      if (event.type === "answer" || event.type === "failure") return event;
      yield event;
    }
    return { type: "failure", kind: "unavailable", cause: "busy", message: NO_ANSWER };
  }

  private async modelOver(api: Api, isWithoutEffort: boolean): Promise<Model> {
    const endpoint = limitedByApi(this.endpoint, api);
    const isPlain = isWithoutEffort && this.request.tools.length > 0;
    if (api === "chat") return chatCompletions(isPlain ? { ...endpoint, effort: "none" } : endpoint, this.form);
    // Only a model that is asked so pays for the library.
    const { responsesModel } = await import("./responses.ts");
    const { left = [] } = readLearnt(endpoint);
    return responsesModel(endpoint, new Set(left), (part) =>
      learn(endpoint, { left: [...(readLearnt(endpoint).left ?? []), part] }),
    );
  }
}

/** The APIs that have answered in this process. */
const answered = new Set<string>();
function noteAnswer(endpoint: Endpoint, api: Api): void {
  answered.add(`${api} ${endpoint.baseUrl} ${endpoint.model}`);
}
function hasAnswered(endpoint: Endpoint, api: Api): boolean {
  return answered.has(`${api} ${endpoint.baseUrl} ${endpoint.model}`);
}
