/** Lists the models of an endpoint, and asks one of them to call a tool: once, over the wire that it will be asked over. */

import { namesLike } from "@mimikit/core/base/nearest";
import type { Cause } from "@mimikit/protocol/base/cause";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { ConnectionTest } from "@mimikit/protocol/wire/connect";
import { valueAt } from "@mimikit/runtime/config/fields";
import { factsOf, keyOf } from "@mimikit/runtime/config/providers";
import { type KnownCapabilities, knownOf } from "../kernel/capabilities.ts";
import type { Model, ModelAnswer, ModelFailure, ModelRequest } from "../kernel/model.ts";
import { forgetLearnt, learn } from "../providers/endpoint/learnt.ts";
import { isList, type ListedModel, listModels, type NoList } from "../providers/endpoint/list-models.ts";
import { hostOf, type ModelEndpoint } from "../providers/endpoint/place.ts";
import type { TABLE } from "../providers/index.ts";
import { priceOf } from "../run/reservation.ts";
import { askLmStudio } from "./ask-lmstudio.ts";
import { askOllama } from "./ask-ollama.ts";
import { addressOf } from "./catalogue.ts";
import type { ProviderTrial } from "./test-connection.ts";
import { TRIAL_REQUEST, TRIAL_TOOL } from "./trial-request.ts";

type Endpoint = NonNullable<(typeof TABLE)["openai"]["endpoint"]>;
type Problem = NonNullable<ConnectionTest["problem"]>;
/** For roles it makes no difference. */
const ROLE = "teller";
/** Statuses that say that a key is refused. */
const REFUSED = [401, 403];

export async function tryEndpoint(
  trial: ProviderTrial,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<ConnectionTest> {
  const { id, title, config, environment } = trial;
  const { wire = "chat", isLocal, keyPage } = factsOf(id);
  const problem = (cause: Cause, text: string) => ({ models: [], problem: { cause, text } });
  if (addressOf(id, config) === undefined) return problem("other", sentence("test_no_address", { provider: title }));
  const place = endpoint.place(ROLE, config, environment);
  const listed = await listModels(wire, place, signal);
  const models = isList(listed) ? listed : [];
  const hasKey = keyOf(id, environment) !== undefined;
  if (!isList(listed)) {
    if (listed.isOfProxy) return problem("other", listed.message);
    if (listed.status === undefined)
      return problem("down", sentence("test_silent", { host: hostOf(place), detail: listed.message }));
    if (REFUSED.includes(listed.status) && !hasKey)
      return problem(
        "key",
        keyPage === undefined
          ? sentence("test_wants_key", { provider: title })
          : sentence("test_wants_key_from", { provider: title, page: keyPage }),
      );
  }
  if (place.model === "") return isList(listed) ? { models } : { models, problem: unlisted(listed, title) };

  // Its server may have been updated since it refused something.
  if (wire === "chat") forgetLearnt({ ...place, home: environment.home });
  const model = await endpoint.model(ROLE, config, environment);
  const first = await askOnce(model, TRIAL_REQUEST, signal);
  const hasNoTools = first.end.type === "failure" && first.end.cause === "tools";
  const { end, latencyMs } = hasNoTools ? await askOnce(model, { ...TRIAL_REQUEST, tools: [] }, signal) : first;
  if (end.type === "failure") return { models, problem: problemOf(end, place, listed) };

  const own = models.find((each) => each.id === place.model);
  const shown = await askServer(id, place, signal);
  const sources: KnownCapabilities[] = [shown, own ?? {}, knownOf(place.model)];
  const known = <Name extends keyof KnownCapabilities>(name: Name) =>
    sources.find((each) => each[name] !== undefined)?.[name] ?? null;
  const hasCalled = end.calls.some(({ name }) => name === TRIAL_TOOL);
  const toolCalls = hasCalled || (hasNoTools || known("toolCalls") === false ? false : null);
  const contextWindow = known("contextWindow");
  const windowSetting = `${wire === "chat" ? "openai" : id}.contextWindow`;
  const isWindowOpen = valueAt(config, windowSetting.split(".")) === undefined;
  const assumed = place.tokensMax + (place.outputTokensMax ?? 0);
  // Runs use what the server has said. Ollama may load the model with another window: it is asked at each run.
  const told = shown.contextWindow ?? own?.contextWindow;
  if (told !== undefined && id !== "ollama") learn({ ...place, home: environment.home }, { window: told });
  const answer = {
    model: place.model,
    latencyMs,
    toolCalls,
    vision: known("vision"),
    contextWindow,
    ...(contextWindow === null && isWindowOpen && { assumedWindow: { tokens: assumed, setting: windowSetting } }),
    price: isLocal ? null : (priceOf(place.model, config.prices) ?? own?.price ?? null),
  };
  const lack = lackOf({ toolCalls, contextWindow, tokensMax: place.tokensMax, isChat: wire === "chat", id });
  return { models, answer, ...(lack !== null && { problem: lack }) };
}

/** Facts of a local server about its model beside its list; nothing where it has none. */
async function askServer(id: string, place: ModelEndpoint, signal: AbortSignal): Promise<KnownCapabilities> {
  if (id === "ollama") return askOllama(place, signal);
  return id === "lmstudio" ? askLmStudio(place, signal) : {};
}

/** The defect of an answer. */
function lackOf(of: {
  toolCalls: boolean | null;
  contextWindow: number | null;
  tokensMax: number;
  isChat: boolean;
  id: string;
}): Problem | null {
  const { toolCalls, contextWindow, tokensMax, isChat, id } = of;
  if (toolCalls === false)
    return {
      cause: "tools",
      text: sentence("test_no_tools"),
    };
  if (contextWindow !== null && contextWindow < tokensMax) {
    const setting = `${isChat ? "openai" : id}.contextWindow`;
    const text = sentence(id === "ollama" ? "test_window_ollama" : "test_window", {
      window: contextWindow,
      max: tokensMax,
      setting,
    });
    return { cause: "window", text };
  }
  return null;
}

interface Asked {
  end: ModelAnswer | ModelFailure;
  latencyMs: number;
}

async function askOnce(model: Model, request: ModelRequest, signal: AbortSignal): Promise<Asked> {
  const begun = performance.now();
  let end: Asked["end"] = { type: "failure", kind: "unavailable", message: sentence("model_no_answer") };
  for await (const event of model.ask(request, signal))
    if (event.type === "answer" || event.type === "failure") end = event;
  return { end, latencyMs: Math.round(performance.now() - begun) };
}

function problemOf(failure: ModelFailure, { model }: ModelEndpoint, listed: ListedModel[] | NoList): Problem {
  const ids = isList(listed) ? listed.map(({ id }) => id) : [];
  const isUnlisted = ids.length > 0 && !ids.includes(model);
  const cause = failure.cause ?? (failure.kind === "not_found" || isUnlisted ? "model" : causeByKind(failure));
  if (cause !== "model") return { cause, text: failure.message };
  return { cause, text: failure.message, names: namesLike(model, ids) };
}

function causeByKind({ kind, isOutage, message }: ModelFailure): Cause {
  if (kind === "overflow") return "window";
  if (kind === "unavailable") return isOutage ? "down" : "busy";
  return /HTTP 40[13]|API key/.test(message) ? "key" : "other";
}

function unlisted({ status = 0, message }: NoList, title: string): Problem {
  if (REFUSED.includes(status))
    return { cause: "key", text: sentence("test_key_refused", { provider: title, detail: message }) };
  return { cause: "other", text: sentence("test_no_list", { detail: message }) };
}
