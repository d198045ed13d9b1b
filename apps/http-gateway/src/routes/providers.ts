/** `/api/providers`: who could answer, whether it does, and who answers from now on. A key comes in, and never goes out. */
import { codeOrQuote, withCodes } from "@mimikit/protocol/texts/coded";
import {
  ConnectAnswer,
  ConnectBody,
  ConnectionTest,
  ConnectionTestBody,
  ForgetKeyBody,
  LocalAnswer,
  ProviderEntry,
  ProvidersAnswer,
} from "@mimikit/protocol/wire/connect";
import { SettingsRefused } from "@mimikit/runtime/config/edit-settings";
import { HomeError } from "@mimikit/runtime/home/home";
import { DocumentBusy } from "@mimikit/store/documents/document";
import type { Response } from "express";
import type { RouteDeps } from "../api/parts.ts";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";

/** Loaded when a model is connected: it knows every provider. */
const load = () => import("@mimikit/agent/connect/connect");
const at = ({ home, environment }: RouteDeps) => ({ home, env: environment });

export const providers = route({
  method: "get",
  path: "/api/providers",
  summary:
    "all providers: what each is and needs, which of that is present, where its key comes from, and the roles it answers for",
  status: 200,
  answer: ProvidersAnswer,
  handle: async (_asked, parts) => {
    const { providers, order } = (await load()).describeCatalogue(at(parts));
    return { providers: providers.map(withCodes), order };
  },
});

export const localServers = route({
  method: "get",
  path: "/api/providers/local",
  summary:
    "servers with models that respond now on their usual ports of this machine; only this request looks for them",
  status: 200,
  answer: LocalAnswer,
  handle: async ({ response }) => ({ servers: await (await load()).findLocal(whileListening(response)) }),
});

export const testProvider = route({
  method: "post",
  path: "/api/providers/test",
  summary:
    "lists the models of a provider and, if a `model` is given, makes one small request; nothing is saved. Failures are also answered with 200: `problem` says why",
  body: ConnectionTestBody,
  status: 200,
  answer: ConnectionTest,
  handle: async ({ body, response }, parts) => {
    const { testConnection } = await load();
    const place = { ...at(parts), workDir: parts.memory.workDir };
    return withCodes(await refusing(() => testConnection(body, place, whileListening(response))));
  },
});

export const connectProvider = route({
  method: "post",
  path: "/api/providers/connect",
  summary:
    "saves the provider and model, for these `roles` or for all, and returns the saved choice; a `key` is stored only in secrets.json",
  body: ConnectBody,
  status: 200,
  answer: ConnectAnswer,
  errors: { 409: "set by a variable, which takes precedence, or a file cannot be edited as it is" },
  handle: async ({ body }, parts) => {
    const { saveConnection } = await load();
    const answer = await refusing(() => saveConnection(body, { ...at(parts), fs: parts.fs }));
    const { provider, model, roles, key } = body;
    const detail = { provider, model: model ?? null, roles: roles ?? null, withKey: key !== undefined };
    parts.log.audit({ event: "provider_connected", detail });
    return answer;
  },
});

export const forgetProviderKey = route({
  method: "post",
  path: "/api/providers/forget-key",
  summary: "deletes the saved key of a provider, and returns the provider afterwards",
  body: ForgetKeyBody,
  status: 200,
  answer: ProviderEntry,
  errors: { 409: "secrets.json cannot be edited as it is" },
  handle: async ({ body }, parts) => {
    const { describeProvider, forgetKey } = await load();
    const id = await refusing(() => forgetKey(body.provider, at(parts)));
    parts.log.audit({ event: "provider_key_forgotten", detail: { provider: id } });
    return withCodes(describeProvider(id, at(parts)));
  },
});

/** Aborts when the client has gone and no longer waits for the answer. */
function whileListening(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SettingsRefused)
      throw new HttpProblem(error.reason === "mistake" ? 400 : 409, codeOrQuote(error.message));
    if (error instanceof HomeError || error instanceof DocumentBusy)
      throw new HttpProblem(409, codeOrQuote(error.message));
    throw error;
  }
}
