/**
 * The providers in the order of `auto`, which comes no further than the offline engine: that lacks nothing. Here is what can be
 * said of each without the code that answers; `packages/agent/src/providers/index.ts` says what it needs and where its code is,
 * and does not compile until it does.
 */
import { z } from "zod";
import { whole } from "./fields.ts";

export interface ProviderFacts {
  /** The variable that holds its key, or those of which the first that is set counts. No file holds it, and nobody is shown it. */
  key?: string | readonly string[];
  /** Costs nothing and has no model behind it, which could judge or sum up. */
  isFree?: true;
  /** A folder of its own name in the state directory holds its settings and its login. */
  hasFolder?: true;
  /** What can be set of it, under its own name. A function: the page, which takes the titles alone, loads no schema. */
  settings?: () => z.ZodRawShape;
  /** A variable by which others know its `baseUrl`; it goes before the one that is made of the names. */
  baseUrlVariable?: string;
}

const address = (what: string) =>
  z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional()
    .describe(what);

const cliSilence = () => whole(1, 3_600, 300, "Seconds that the CLI may be silent while none of its tools runs.");

/** The settings of an endpoint that speaks a vendor's own wire. */
const nativeEndpoint = (wire: string, version: string, vendor: string, window: string, hears: string) => ({
  baseUrl: address(`An endpoint that speaks ${wire}, with or without its \`${version}\`; ${vendor} own if not set.`),
  contextWindow: z
    .number()
    .int()
    .min(4_096)
    .max(10_000_000)
    .optional()
    .describe(`Tokens that the model can hold, what it is sent and what it answers together; ${window} if not set.`),
  reservedOutput: whole(
    256,
    1_000_000,
    32_000,
    "Tokens of the window that are kept free for an answer, thoughts included; half of the window at most.",
  ),
  vision: z.boolean().optional().describe("Whether the model can see pictures; it can if not set."),
  audio: z.boolean().optional().describe(`Whether the model can hear recordings; ${hears} if not set.`),
  firstByteSec: whole(1, 300, 120, "Seconds that the endpoint may take to begin an answer."),
  idleSec: whole(1, 300, 120, "Seconds that it may be silent within an answer."),
});

export const PROVIDERS = {
  openai: {
    key: "OPENAI_API_KEY",
    baseUrlVariable: "OPENAI_BASE_URL",
    settings: () => ({
      baseUrl: address("A Chat Completions endpoint, up to and with its `/v1`; with a key alone it is OpenAI's."),
      contextWindow: z
        .number()
        .int()
        .min(4_096)
        .max(10_000_000)
        .optional()
        .describe(
          "Tokens that the model can hold, what it is sent and what it answers together; 16384 if not set, or what is known of the model.",
        ),
      reservedOutput: whole(256, 1_000_000, 2_048, "Tokens of the window that are kept free for an answer."),
      toolCalls: z
        .boolean()
        .default(true)
        .describe("Whether the model can call tools. One that cannot is told to write tags at the end of its answers."),
      vision: z
        .boolean()
        .optional()
        .describe("Whether the model can see pictures; found out if not set: see attachments.md."),
      audio: z.boolean().optional().describe("Whether the model can hear recordings; found out if not set."),
      firstByteSec: whole(1, 300, 120, "Seconds that the endpoint may take to begin an answer."),
      idleSec: whole(1, 300, 60, "Seconds that it may be silent within an answer."),
    }),
  },
  codex: {
    key: "OPENAI_API_KEY",
    hasFolder: true,
    settings: () => ({
      baseUrl: address(
        "An endpoint that speaks OpenAI's Responses, up to and with its `/v1`; with a key alone it is OpenAI's.",
      ),
      network: z.boolean().default(true).describe("Whether the commands of a Worker on codex reach the network."),
      idleSec: cliSilence(),
    }),
  },
  claude: {
    key: "ANTHROPIC_API_KEY",
    hasFolder: true,
    settings: () => ({
      baseUrl: address(
        "An endpoint that speaks Anthropic's Messages, up to and without its `/v1`; Anthropic's if not set.",
      ),
      idleSec: cliSilence(),
    }),
  },
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    settings: () => nativeEndpoint("Anthropic's Messages", "/v1", "Anthropic's", "200000", "it cannot"),
  },
  google: {
    // The second is how Google's own programs call it.
    key: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    settings: () => nativeEndpoint("Google's Gemini", "/v1beta", "Google's", "1000000", "it can"),
  },
  offline: { isFree: true },
} as const satisfies Record<string, ProviderFacts>;
export type ProviderId = keyof typeof PROVIDERS;

/** How people know them: in English, and in Chinese where it is not the same. */
export const PROVIDER_TITLES: Readonly<Record<ProviderId, readonly [en: string, zh?: string]>> = {
  openai: ["model endpoint", "模型接口"],
  codex: ["Codex"],
  claude: ["Claude"],
  anthropic: ["Anthropic"],
  google: ["Google Gemini"],
  offline: ["offline engine", "离线引擎"],
};
