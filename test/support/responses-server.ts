/**
 * OpenAI's servers as their clients met them: which API takes which model, and each refusal in the vendor's own words. It is a
 * `ModelServer` with rules in front of it; the answers are scripted as anywhere else.
 */
import { z } from "zod";
import { ModelServer, type Refusal, type Script, type SentRequest } from "./model-server.ts";

/** How a vendor treats the model that it is asked for. */
export interface OpenaiRules {
  /**
   * `served`; `absent`: no such path; `no tools`: gpt-5.4 and later, which take tools only with `reasoning_effort: "none"`
   * (BerriAI/litellm#34569, danny-avila/LibreChat#14231, #14355); `not this model`: o1-pro, codex models (sigoden/aichat#1318);
   * `legacy`: gateways before a subscription (Wei-Shaw/sub2api#885).
   */
  chat: "served" | "absent" | "no tools" | "not this model" | "legacy";
  /** `not this model`: those with ears (truefoundry/models#2006). */
  responses: "served" | "absent" | "not this model";
  /** The efforts that the model takes; none for one that does not reason. */
  efforts: readonly string[];
  /** Organizations that are not verified get no summaries of thoughts (OpenHands/software-agent-sdk#987). */
  isVerified: boolean;
  /** Some models are streamed for verified organizations alone (continuedev/continue#7129, RooCodeInc/Roo-Code#6868). */
  mayStream: boolean;
  /** Parameters that it does not know, as servers of others (ogx-ai/ogx#4710). */
  lacks: readonly string[];
  /** Whether thoughts that were encrypted for another key or model are refused (anomalyco/opencode#5104, can1357/oh-my-pi#11928). */
  readsThought: (encrypted: string) => boolean;
}

const RULES: OpenaiRules = {
  chat: "no tools",
  responses: "served",
  efforts: ["none", "low", "medium", "high", "xhigh"],
  isVerified: true,
  mayStream: true,
  lacks: [],
  readsThought: () => true,
};

/** @param rules those of gpt-5.6 where not given. */
export async function startOpenai(script: Script = {}, rules: Partial<OpenaiRules> = {}): Promise<ModelServer> {
  const server = await ModelServer.start(script);
  const all = { ...RULES, ...rules };
  server.refuse = (request) => refusalOf(request, all);
  // Calls may stand without what was thought before them, but no thought without what follows it.
  server.demandsThoughts = false;
  return server;
}

/** The refusal by these rules; null where the request is taken. */
export function refusalOf({ method, path, headers, body }: SentRequest, rules: OpenaiRules): Refusal | null {
  if (method !== "POST") return null;
  if (path.endsWith("/chat/completions")) return refusedByChat(path, body, rules);
  if (path.endsWith("/responses")) return refusedByResponses(path, body, headers["content-type"], rules);
  return null;
}

const error = (status: number, message: string, param: string | null = null, code: string | null = null): Refusal => ({
  status,
  body: { error: { message, type: "invalid_request_error", param, code } },
});
const noPath = (path: string) => error(404, `Invalid URL (POST ${path})`);

const Chat = z.looseObject({
  model: z.string(),
  tools: z.array(z.unknown()).default([]),
  reasoning_effort: z.string().optional(),
});

function refusedByChat(path: string, body: unknown, { chat }: OpenaiRules): Refusal | null {
  const { model, tools, reasoning_effort: effort } = Chat.parse(body);
  switch (chat) {
    case "absent":
      return noPath(path);
    case "not this model":
      return error(404, "This model is only supported in v1/responses and not in v1/chat/completions.", "model");
    case "legacy":
      return error(400, `Unsupported legacy protocol: ${path} is not supported. Please use /v1/responses.`);
    case "no tools":
      if (tools.length === 0 || effort === "none") return null;
      return error(
        400,
        `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`,
        "reasoning_effort",
      );
    case "served":
      return null;
  }
}

const Text = z.strictObject({ type: z.literal(["input_text", "output_text"]), text: z.string() });
const Content = z.union([
  z.string(),
  z.array(
    z.union([
      Text,
      z.strictObject({ type: z.literal("input_image"), image_url: z.url(), detail: z.string().optional() }),
    ]),
  ),
]);
const Item = z.union([
  z.strictObject({
    // May be left out by those who ask OpenAI itself; other servers demand it (vercel/ai#20180).
    type: z.literal("message"),
    role: z.enum(["system", "developer", "user", "assistant"]),
    content: Content,
  }),
  z.strictObject({
    type: z.literal("function_call"),
    call_id: z.string(),
    name: z.string().regex(/^[\w-]{1,64}$/),
    arguments: z.string(),
  }),
  z.strictObject({ type: z.literal("function_call_output"), call_id: z.string(), output: Content }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: z.string().optional(),
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
    encrypted_content: z.string().nullish(),
  }),
]);
type Item = z.infer<typeof Item>;
const Body = z.strictObject({
  model: z.string(),
  input: z.array(Item),
  stream: z.boolean(),
  store: z.boolean().default(true),
  include: z.array(z.literal("reasoning.encrypted_content")).default([]),
  instructions: z.string().optional(),
  // Flat, not as Chat Completions has them.
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        name: z.string().regex(/^[\w-]{1,64}$/),
        description: z.string().optional(),
        parameters: z.looseObject({ type: z.literal("object") }),
        // Strict where it is left out: every field would be required then.
        strict: z.literal(false),
      }),
    )
    .default([]),
  tool_choice: z.enum(["auto", "none", "required"]).optional(),
  reasoning: z
    .strictObject({ effort: z.string().optional(), summary: z.enum(["auto", "concise", "detailed"]).nullish() })
    .optional(),
  max_output_tokens: z.number().int().min(16).optional(),
  prompt_cache_key: z.string().max(64).optional(),
});

const CALL_ID_CHARS_MAX = 64;

function refusedByResponses(
  path: string,
  sent: unknown,
  contentType: string | undefined,
  { responses, efforts, isVerified, mayStream, lacks, readsThought }: OpenaiRules,
): Refusal | null {
  if (responses === "absent") return noPath(path);
  if (responses === "not this model")
    return error(404, "This model is only supported in v1/chat/completions and not in v1/responses.", "model");
  if (contentType?.startsWith("application/json") !== true) return error(400, "you must provide a JSON body");
  const unknown = lacks.find((name) => typeof sent === "object" && sent !== null && name in sent);
  if (unknown !== undefined) return error(400, `Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter");
  const parsed = Body.safeParse(sent);
  if (!parsed.success) return error(400, z.prettifyError(parsed.error), parsed.error.issues[0]?.path.join("."));
  const { model, reasoning, include, input, store, stream } = parsed.data;
  if (stream && !mayStream)
    return error(
      400,
      "Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.",
      "stream",
      "unsupported_value",
    );
  if (efforts.length === 0) {
    if (include.length > 0) return error(400, "Encrypted content is not supported with this model.", "include");
    if (reasoning !== undefined)
      return error(
        400,
        `Unsupported parameter: 'reasoning.effort' is not supported with this model.`,
        "reasoning.effort",
      );
  }
  if (reasoning?.effort !== undefined && !efforts.includes(reasoning.effort))
    return error(
      400,
      `Unsupported value: '${reasoning.effort}' is not supported with the '${model}' model. Supported values are: ${efforts.map((each) => `'${each}'`).join(", ")}.`,
      "reasoning.effort",
      "unsupported_value",
    );
  if (!isVerified && reasoning?.summary != null)
    return error(
      400,
      "Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.",
      "reasoning.summary",
      "unsupported_value",
    );
  return refusedItem(input, store, readsThought);
}

function refusedItem(
  input: readonly Item[],
  isStored: boolean,
  readsThought: OpenaiRules["readsThought"],
): Refusal | null {
  const called = new Set<string>();
  for (const [i, item] of input.entries()) {
    if (item.type === "reasoning") {
      const { id = "", encrypted_content: encrypted } = item;
      // vercel/ai#7543.
      if (encrypted == null && !isStored)
        return error(
          404,
          `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
          "input",
        );
      if (encrypted != null && !readsThought(encrypted))
        return error(
          400,
          `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
          null,
          "invalid_encrypted_content",
        );
      // coder/mux#59.
      const next = input.slice(i + 1).find(({ type }) => type !== "reasoning");
      if (next?.type !== "function_call" && !(next?.type === "message" && next.role === "assistant"))
        return error(
          400,
          `Item '${id}' of type 'reasoning' was provided without its required following item.`,
          "input",
        );
    }
    if (!("call_id" in item)) continue;
    const { call_id: callId } = item;
    if (callId.length > CALL_ID_CHARS_MAX)
      return error(
        400,
        `Invalid 'input[${i}].call_id': string too long. Expected a string with maximum length ${CALL_ID_CHARS_MAX}, but got a string with length ${callId.length} instead.`,
        `input[${i}].call_id`,
        "string_above_max_length",
      );
    if (item.type === "function_call") called.add(callId);
    else if (!called.has(callId))
      return error(400, `No tool call found for function call output with call_id ${callId}.`, "input");
  }
  const answered = new Set(input.flatMap((item) => (item.type === "function_call_output" ? [item.call_id] : [])));
  const open = [...called].find((callId) => !answered.has(callId));
  return open === undefined ? null : error(400, `No tool output found for function call ${open}.`, "input");
}
