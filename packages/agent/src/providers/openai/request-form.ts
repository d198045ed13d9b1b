/** How vendors differ in the requests that they take over Chat Completions, and what their refusals say about it. */
import type { ModelFailure } from "../../kernel/model.ts";
import type { Endpoint } from "./endpoint.ts";

export interface RequestForm {
  /** A `user` message right after a `tool` message is refused: an assistant's message goes between. */
  bridgesTools: boolean;
  /** Ids of calls: any up to 64 characters, `[\w-]` alone, or exactly nine letters and digits. */
  ids: "any" | "word" | "nine";
  /** The field that limits an answer; null for none. */
  limit: "max_tokens" | "max_completion_tokens" | null;
  /** Limits the answer even if the reserve is the default. */
  alwaysLimits: boolean;
  /** Which thoughts go back: those in fields of this wire, none, or those and a blank one wherever one is missing. */
  thoughts: "own" | "none" | "filled";
  /** Where nothing may be called, tools are named with `tool_choice: "none"`. */
  namesIdleTools: boolean;
  /** The role of the rules. Models without one are told them by the user. */
  rules: "system" | "user";
  /** The content beside calls when nothing is said. */
  silence: "" | null;
  /** Keywords of JSON Schema are reduced to those of OpenAPI. */
  plainSchema: boolean;
  /** A type beside alternatives is that of each of them. */
  splitsTypes: boolean;
  /** Optional fields that are not sent. */
  leaves: readonly OptionalField[];
}
export type OptionalField = "stream_options" | "reasoning_effort" | "extra_content";

const COMMON: RequestForm = {
  bridgesTools: false,
  ids: "any",
  limit: "max_tokens",
  alwaysLimits: false,
  thoughts: "own",
  namesIdleTools: true,
  rules: "system",
  silence: "",
  plainSchema: false,
  splitsTypes: false,
  leaves: [],
};

interface Row {
  id?: string;
  /** The end of the host name. */
  host?: string;
  model?: RegExp;
  has: Partial<RequestForm>;
}

/** Every row that fits by its provider, host or model counts, later ones over earlier ones. */
const ROWS: readonly Row[] = [
  { host: "openai.com", has: { limit: "max_completion_tokens" } },
  { host: "azure.com", has: { limit: "max_completion_tokens" } },
  // Also behind gateways and in local servers, whose templates check roles and ids in the same way.
  { model: /(mis|minis|magis|devs|codes)tral|mixtral|pixtral/i, has: { bridgesTools: true, ids: "nine" } },
  // It counts without being asked, and refuses to be asked.
  {
    id: "mistral",
    host: "mistral.ai",
    has: { bridgesTools: true, ids: "nine", thoughts: "none", leaves: ["stream_options", "extra_content"] },
  },
  { id: "deepseek", host: "deepseek.com", has: { thoughts: "filled" } },
  { id: "moonshot", host: "moonshot.ai", has: { thoughts: "filled", splitsTypes: true } },
  { host: "moonshot.cn", has: { thoughts: "filled", splitsTypes: true } },
  { id: "groq", host: "groq.com", has: { thoughts: "none" } },
  { host: "generativelanguage.googleapis.com", has: { plainSchema: true } },
  { model: /claude/i, has: { ids: "word" } },
];

/** A correction is remembered by its name. */
interface Correction {
  name: string;
  /** The words of the refusal. */
  says: RegExp;
  changes: (form: RequestForm) => Partial<RequestForm>;
}

const leaves =
  (field: OptionalField) =>
  (form: RequestForm): Partial<RequestForm> => ({ leaves: [...form.leaves, field] });

/** The first correction whose words fit and that changes the request is tried. */
const CORRECTIONS: readonly Correction[] = [
  {
    name: "bridge",
    says: /unexpected role .{0,20}user.{0,20} after role .{0,20}tool|invalid_request_message_order|roles must alternate/i,
    changes: () => ({ bridgesTools: true }),
  },
  {
    name: "ids-nine",
    says: /tool[ _]call[ _]id.{0,200}length of 9/i,
    changes: () => ({ ids: "nine" }),
  },
  {
    name: "ids-word",
    says: /\bid\b.{0,80}(match (the )?pattern|invalid characters)|\bcall_id\b.{0,80}too long/i,
    changes: () => ({ ids: "word" }),
  },
  {
    name: "max_completion_tokens",
    says: /max_tokens.{0,80}use .{0,3}max_completion_tokens/i,
    changes: () => ({ limit: "max_completion_tokens" }),
  },
  {
    name: "max_tokens",
    says: /max_completion_tokens.{0,120}(not permitted|unsupported|not supported|unknown|unrecognized|unexpected)|(unsupported|unknown|unrecognized|unexpected).{0,60}max_completion_tokens/i,
    changes: () => ({ limit: "max_tokens" }),
  },
  {
    name: "limited",
    says: /requested up to \d{1,9} tokens.{0,40}can only afford/i,
    changes: () => ({ alwaysLimits: true }),
  },
  {
    name: "unlimited",
    says: /max_(completion_)?tokens/i,
    changes: () => ({ limit: null }),
  },
  {
    name: "thoughts-filled",
    says: /reasoning_content.{0,80}(must be passed back|is missing|is required)/i,
    changes: () => ({ thoughts: "filled" }),
  },
  {
    name: "thoughts-none",
    says: /reasoning(_content|_details)?\b.{0,120}(unsupported|not supported|not permitted|unknown|unrecognized|unexpected)|(unsupported|unknown|unrecognized|unexpected).{0,60}\breasoning(_content|_details)?\b(?!_)/i,
    changes: () => ({ thoughts: "none" }),
  },
  {
    name: "no-tool_choice",
    says: /tool_?choice/i,
    changes: () => ({ namesIdleTools: false }),
  },
  { name: "no-stream_options", says: /stream_options/i, changes: leaves("stream_options") },
  { name: "no-reasoning_effort", says: /reasoning_?effort/i, changes: leaves("reasoning_effort") },
  { name: "no-extra_content", says: /extra_content/i, changes: leaves("extra_content") },
  {
    name: "split-types",
    says: /moonshot flavored|anyOf.{0,40}type should be defined/i,
    changes: () => ({ splitsTypes: true }),
  },
  {
    name: "plain-schema",
    says: /unknown name .{1,40} at .{0,10}tools\b|\$schema\b|additionalProperties|invalid (json )?schema/i,
    changes: () => ({ plainSchema: true }),
  },
  {
    name: "rules-by-user",
    says: /does not support .{0,3}system|system role (is )?not supported/i,
    changes: () => ({ rules: "user" }),
  },
  {
    name: "silence-null",
    says: /content.{0,60}(non-?empty|must not be empty|cannot be empty)/i,
    changes: () => ({ silence: null }),
  },
];

/** The form of an endpoint. @param corrections the names of those that it has made necessary. */
export function requestFormOf(
  endpoint: Pick<Endpoint, "id" | "baseUrl" | "model" | "isStrict">,
  corrections: readonly string[],
) {
  const { id, baseUrl, model, isStrict = false } = endpoint;
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  let form = COMMON;
  if (isStrict) form = { ...form, thoughts: "none", leaves: ["stream_options", "extra_content"] };
  for (const row of ROWS)
    if (row.id === id || isAt(host, row.host) || row.model?.test(model) === true) form = { ...form, ...row.has };
  for (const name of corrections) {
    const correction = CORRECTIONS.find((each) => each.name === name);
    if (correction !== undefined) form = { ...form, ...correction.changes(form) };
  }
  return form;
}

function isAt(host: string, end: string | undefined): boolean {
  return end !== undefined && (host === end || host.endsWith(`.${end}`));
}

/** The corrections that a refusal asks for, the likeliest first. */
export function correctionsFor({ kind, message, param = "" }: ModelFailure): string[] {
  // Another API is asked for: no form of this request helps.
  if (kind !== "refused" || message.includes("v1/responses")) return [];
  const said = `${param} ${message}`;
  return CORRECTIONS.filter(({ says }) => says.test(said)).map(({ name }) => name);
}
