/** The outer contract of connecting models: `/api/providers` (docs/api.md). Keys only ever go in. */
import { z } from "zod";
import { Cause } from "../base/cause.ts";
import { Role } from "../base/role.ts";
import { Price } from "../base/usage.ts";
import { Codes, sentence } from "../texts/coded.ts";

/** A provider: what it needs, what of that is there, and what it answers for. */
export const ProviderEntry = z.object({
  id: z.string(),
  title: z.object({ en: z.string(), zh: z.string() }),
  kind: z.enum(["endpoint", "local", "program", "offline"]),
  /** It does not answer without a key, or a login in its place. */
  needsKey: z.boolean(),
  /** The page where its keys are made. */
  keyPage: z.string().optional(),
  /** The address in force, without the password in it. */
  baseUrl: z.string().optional(),
  /** Where it is when nothing else is set. */
  ownBaseUrl: z.string().optional(),
  /** The model in force. */
  model: z.string().optional(),
  key: z.object({ from: z.enum(["variable", "secrets.json"]), variable: z.string().optional() }).nullable(),
  /** The setup that it lacks before it can answer. */
  missing: z.string().nullable(),
  /** Programs: the command that signs in, at a terminal of the machine that Mimikit runs on. */
  login: z.string().optional(),
  answersFor: z.array(Role),
  /** The API that its model is asked over, where it may be one of two. */
  api: z.enum(["chat", "responses"]).optional(),
  /** A line for each thing that the endpoint refuses to the model and is not asked for again. */
  learnt: z.array(z.string()).optional(),
  /** Of its circuit: `open` while it is left alone because it could not be reached. */
  state: z.enum(["open", "closed"]).optional(),
  retryAt: z.string().optional(),
  reason: z.string().optional(),
  coded: Codes.optional(),
});
export type ProviderEntry = z.infer<typeof ProviderEntry>;

/** `GET /api/providers` */
export const ProvidersAnswer = z.object({
  providers: z.array(ProviderEntry),
  /** The provider of each role and its fallbacks, in order. */
  order: z.record(Role, z.array(z.string())),
});
export type ProvidersAnswer = z.infer<typeof ProvidersAnswer>;

export const LocalServer = z.object({ provider: z.string(), baseUrl: z.string(), models: z.array(z.string()) });
export type LocalServer = z.infer<typeof LocalServer>;

/** `GET /api/providers/local` */
export const LocalAnswer = z.object({ servers: z.array(LocalServer) });
export type LocalAnswer = z.infer<typeof LocalAnswer>;

export const OfferedModel = z.object({
  id: z.string(),
  contextWindow: z.number().optional(),
  toolCalls: z.boolean().optional(),
  vision: z.boolean().optional(),
  audio: z.boolean().optional(),
  price: Price.optional(),
});
export type OfferedModel = z.infer<typeof OfferedModel>;

const ProviderName = z.string().min(1).max(64);
/** The connection to save or test. Fields that are not given stay as they are. */
const connection = {
  provider: ProviderName,
  baseUrl: z
    .url({ protocol: /^https?$/, error: sentence("wrong_address") })
    .max(2_048)
    .optional(),
  key: z.string().min(1).max(4_096).optional(),
  model: z.string().trim().min(1).max(200).optional(),
};

/** `POST /api/providers/test`: nothing of it is saved. */
export const ConnectionTestBody = z.strictObject(connection);
export type ConnectionTestBody = z.infer<typeof ConnectionTestBody>;

export const ConnectionTest = z.object({
  /** Empty where there is no list. */
  models: z.array(OfferedModel),
  /** The outcome of one small request; missing if no model was named, or it was not answered. */
  answer: z
    .object({
      /** Empty where a program takes its own. */
      model: z.string(),
      latencyMs: z.number(),
      /** Did it call a tool? null: it did not, and nothing says that it cannot. */
      toolCalls: z.boolean().nullable(),
      vision: z.boolean().nullable(),
      contextWindow: z.number().nullable(),
      /** The tokens that are taken for its window, as nothing says how many it holds, and the setting that says so. */
      assumedWindow: z.object({ tokens: z.number(), setting: z.string() }).optional(),
      price: Price.nullable(),
    })
    .optional(),
  /** Why it was not answered, or what of the answer will not do; `names` are models of it that are named alike. */
  problem: z.object({ cause: Cause, text: z.string(), names: z.array(z.string()).optional() }).optional(),
  coded: Codes.optional(),
});
export type ConnectionTest = z.infer<typeof ConnectionTest>;

/** `POST /api/providers/connect`; all roles if none is named. */
export const ConnectBody = z.strictObject({ ...connection, roles: z.array(Role).min(1).optional() });
export type ConnectBody = z.infer<typeof ConnectBody>;

export const ConnectAnswer = z.object({
  providers: z.record(Role, z.string()),
  models: z.record(Role, z.string().nullable()),
});
export type ConnectAnswer = z.infer<typeof ConnectAnswer>;

/** `POST /api/providers/forget-key` */
export const ForgetKeyBody = z.strictObject({ provider: ProviderName });
export type ForgetKeyBody = z.infer<typeof ForgetKeyBody>;
