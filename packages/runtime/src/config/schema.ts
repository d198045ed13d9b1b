/** Every setting, in one schema: for the file, for the environment, for `doctor` and for the documentation. */

import { Autonomy } from "@mimikit/protocol/approvals/approval";
import { capitalized } from "@mimikit/protocol/base/capitalized";
import { TIMEOUT_SEC_MAX, whole } from "@mimikit/protocol/base/fields";
import { byRole, ROLES, type Role } from "@mimikit/protocol/base/kind";
import { modelName, type PROVIDERS, type ProviderId } from "@mimikit/protocol/base/provider";
import { Price } from "@mimikit/protocol/base/usage";
import { ChannelName } from "@mimikit/protocol/channels/via";
import { CHECKS_MAX } from "@mimikit/protocol/records/improvement";
import { sentence } from "@mimikit/protocol/texts/coded";
import { TimeZone } from "@mimikit/protocol/triggers/condition-schema";
import { z } from "zod";
import { factsOf, keyNamesOf, PROVIDER_IDS } from "./providers.ts";
import { SEARCH_ENGINES, type SearchEngine } from "./search-engines.ts";

const TOKENS_MAX = 1_000_000_000_000;
const DOLLARS_MAX = 1_000_000_000;
const RESERVE_TOKENS_MAX = 100_000_000;
/** With less there is no conversation, and no memory. */
const HISTORY_TOKENS_MIN = 512;
const MEMORY_TOKENS_MIN = 256;
const CONTEXT_TOKENS_MAX = 1_000_000;
/** With less a process does not even start. */
const HEAP_MB_MIN = 64;
const HEAP_MB_MAX = 65_536;
const YOUNG_MB_MAX = 256;
const PUBLIC_URL_CHARS_MAX = 255;
const CHANNELS_MAX = 16;
const WEB_HOSTS_MAX = 256;
const WEB_URL_CHARS_MAX = 2_048;

const Named = z.enum(PROVIDER_IDS);
const ProviderName = z.enum(["auto", ...PROVIDER_IDS]);
/** Whom `auto` looks for before it takes the offline engine. */
const SOUGHT = PROVIDER_IDS.slice(0, PROVIDER_IDS.indexOf("offline")).join(", ");

/** Fallback providers, in this order, when those before cannot be reached. */
const fallback = () => z.array(Named).max(PROVIDER_IDS.length);

/** How much a model shall think before it answers. */
const Effort = z.enum(["none", "minimal", "low", "medium", "high"]);
export type Effort = z.infer<typeof Effort>;

/** A host by its name or address, without a port. */
const webHost = () =>
  z
    .string()
    .max(255)
    .regex(/^(\*\.)?[\w.-]+$|^[\da-f:.]+$/i, sentence("web_host"));

/** Settings that belong together; all of them have defaults or need none. */
const group = <Shape extends z.ZodRawShape>(what: string, shape: Shape) =>
  z
    .strictObject(shape)
    .prefault({} as z.input<z.ZodObject<Shape, z.core.$strict>>)
    .describe(what);

/** Spending limits; a missing one is not limited. */
const limits = (what: string, of: string) =>
  group(what, {
    tokens: z.number().int().min(1).max(TOKENS_MAX).optional().describe(`Tokens that ${of}, in and out.`),
    costUsd: z.number().positive().max(DOLLARS_MAX).optional().describe(`US dollars that ${of}.`),
  });

type Table = typeof PROVIDERS;
type Configurable = { [Id in ProviderId]: Table[Id] extends { settings: unknown } ? Id : never }[ProviderId];
type Groups = { [Id in Configurable]: ReturnType<typeof group<ReturnType<Table[Id]["settings"]>>> };

/** The settings of each provider, as a group of its name. */
const PROVIDER_GROUPS = Object.fromEntries(
  PROVIDER_IDS.flatMap((id) => {
    const { settings } = factsOf(id);
    const names = keyNamesOf(id).join(" or ");
    const secret = names === "" ? "" : ` Its key is in secrets.json or in ${names}, never here.`;
    return settings === undefined ? [] : [[id, group(`The \`${id}\` provider.${secret}`, settings())]];
  }),
) as Groups;

const reserve = (tokens: number, what: string) =>
  whole(0, RESERVE_TOKENS_MAX, tokens, `Tokens reserved for ${what} until its usage is known.`);

const timeout = (sec: number, what: string) => whole(1, TIMEOUT_SEC_MAX, sec, `Seconds that ${what} may take.`);

/** Whom the settings of a role are about. */
const who = (role: Role) => `the ${capitalized(role)}${ROLES[role].hasWorkspace ? "s" : ""}`;
const whose = (role: Role) => `${who(role)}'${ROLES[role].hasWorkspace ? "" : "s"}`;

const paused = (role: Role) =>
  z
    .boolean()
    .default(false)
    .describe(`Whether the queue of ${who(role)} is paused: \`mimikit queue\`.`);

/** The last stands behind `evaluation`, as it always has in lists. */
const { reviewer: review, ...limited } = byRole((role) => {
  const { timeoutSec, run, limitNote } = ROLES[role];
  return timeout(timeoutSec, `a ${run}${limitNote}`);
});

export const Config = z.strictObject({
  host: z.string().min(1).max(255).default("127.0.0.1").describe("The address that the gateway listens on."),
  port: whole(1, 65_535, 8787, "The port that the gateway listens on."),
  allowedHosts: z
    .array(z.string().min(1).max(255))
    .max(64)
    .default([])
    .describe(
      "Host names, besides the loopback, that the gateway answers to. Required if `host` is not a loopback address.",
    ),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .max(PUBLIC_URL_CHARS_MAX)
    .optional()
    .describe(
      "The address of the page for your other devices, for example `https://mimikit.example`: the gateway answers to its name, and `mimikit pair` prints it.",
    ),
  timezone: TimeZone.optional().describe(
    "The time zone in which you mean times, for example `Europe/Berlin`, wherever you write from. If not set: that of the device you write from, else of the browser that was signed in last, else of this machine.",
  ),
  provider: ProviderName.default("auto").describe(
    `The model provider; auto uses the first available of ${SOUGHT}, else the offline engine.`,
  ),
  providers: group("The provider of single roles, instead of `provider`.", {
    ...byRole((role) => ProviderName.optional().describe(`The provider of ${who(role)}; \`provider\` if not set.`)),
  }),
  fallback: fallback()
    .default([])
    .describe("Providers to fall back to, in this order, when those before cannot be reached."),
  fallbacks: group("The fallbacks of single roles, instead of `fallback`.", {
    ...byRole((role) =>
      fallback()
        .optional()
        .describe(`Fallbacks for ${whose(role)} provider; \`fallback\` if not set.`),
    ),
  }),
  circuit: group("The pause before a provider that cannot be reached is tried again.", {
    cooldownSec: whole(1, 3_600, 5, "Seconds that a provider is skipped when it cannot be reached."),
    cooldownMaxSec: whole(1, 3_600, 60, "Maximum seconds to which that pause grows while it still cannot be reached."),
  }),
  context: group("What a model is shown of the conversation and of memory; see context.md.", {
    historyTokens: whole(
      HISTORY_TOKENS_MIN,
      CONTEXT_TOKENS_MAX,
      32_768,
      "Maximum tokens of the conversation in a request, for models whose window has more than 16,384 tokens; half of the window at most.",
    ),
    memoryTokens: whole(
      MEMORY_TOKENS_MIN,
      CONTEXT_TOKENS_MAX,
      4_096,
      "Maximum tokens of memories in a request, for models whose window has more than 16,384 tokens; an eighth of the window at most.",
    ),
  }),
  prices: z
    .record(z.string().min(1).max(200), Price)
    .default({})
    .describe(
      "Token prices by model name: `input`, `cached` and `output` in US dollars per million; they override the known prices of well-known models. A variable holds them as JSON.",
    ),
  model: modelName().describe("The model to request from a model endpoint, by its name there."),
  models: group("The model of single roles, instead of `model`.", {
    ...byRole((role) => modelName().describe(`The model of ${who(role)}; \`model\` if not set.`)),
  }),
  effort: Effort.optional().describe(
    "Reasoning effort of the model, for openai, anthropic and google, `none` for no reasoning; the model's default if not set.",
  ),
  efforts: group("The reasoning effort of single roles, instead of `effort`.", {
    ...byRole((role) => Effort.optional().describe(`Reasoning effort of ${who(role)}; \`effort\` if not set.`)),
  }),
  ...PROVIDER_GROUPS,
  sandbox: z
    .enum(["auto", "off", "required"])
    .default("auto")
    .describe(
      "Whether a Worker's shell runs in a sandbox without access to the state directory: `auto` uses one if bubblewrap works, `required` runs no shell without one.",
    ),
  autonomy: Autonomy.default("workspace").describe(
    "What a model may do without asking: `ask` asks before each command, `workspace` before actions beyond the workspace and its sandbox, `full` never; see autonomy.md.",
  ),
  web: group("What a Worker of a model endpoint may load from the web; see web.md.", {
    fetch: z
      .boolean()
      .default(true)
      .describe(
        "Whether it can load pages with `web_fetch`; `autonomy` decides whether it asks first, as for a command with network access.",
      ),
    hosts: z
      .array(webHost())
      .max(WEB_HOSTS_MAX)
      .optional()
      .describe(
        "The only hosts from which pages are loaded, `*.example.org` for all subdomains; all hosts if not set.",
      ),
    privateHosts: z
      .array(webHost())
      .max(WEB_HOSTS_MAX)
      .default([])
      .describe("The only hosts with addresses of this machine or a private network from which pages are loaded."),
    search: group("The search engine of `web_search`; without one the tool is not available.", {
      engine: z
        .enum(Object.keys(SEARCH_ENGINES) as [SearchEngine, ...SearchEngine[]])
        .optional()
        .describe(
          "The engine. brave needs a key in BRAVE_API_KEY, tavily in TAVILY_API_KEY, or a saved key like those of providers; searxng needs an address.",
        ),
      url: z
        .url({ protocol: /^https?$/ })
        .max(WEB_URL_CHARS_MAX)
        .optional()
        .describe(
          "Its address: required for searxng, for example `https://search.example`; the others have a default.",
        ),
    }),
  }),
  proxy: group("The proxy for outgoing requests, for the whole instance; see proxies.md.", {
    url: z
      .url({ protocol: /^https?$/, error: sentence("proxy_http_only") })
      .max(WEB_URL_CHARS_MAX)
      .optional()
      .describe(
        "Its address, for example `http://proxy.example:3128`; the variables HTTPS_PROXY, HTTP_PROXY and ALL_PROXY if not set. This machine is always reached directly.",
      ),
    noProxy: z
      .array(z.string().min(1).max(255))
      .max(WEB_HOSTS_MAX)
      .optional()
      .describe(
        "Hosts that are reached directly: `lan.example` with its subdomains, `192.168.0.0/16`, a host with a port, `*` for all; the variable NO_PROXY if not set.",
      ),
  }),
  maxConcurrency: whole(1, 32, 3, "The maximum number of Worker tasks that run at once."),
  ownOrdersMax: whole(
    1,
    1_000,
    10,
    "The number of plans in a row that may follow from reports alone; before the next one you are asked.",
  ),
  paused: group("Paused queues: queued tasks do not start, running ones continue.", {
    planner: paused("planner"),
    worker: paused("worker"),
    reviewer: paused("reviewer"),
  }),
  timeoutSec: group("Time limits, by role.", {
    ...limited,
    evaluation: timeout(120, "a batch of semantic conditions"),
    reviewer: review,
  }),
  budget: group("Spending limits; see budgets.md.", {
    day: limits("The budget of a day.", "may be spent in a day of the server's calendar"),
    month: limits("The budget of a month.", "may be spent in a month"),
    task: limits(
      "The budget of one task.",
      "one plan, piece of work or batch of conditions may use, all attempts together",
    ),
    reserve: group("The amounts reserved for a run before it begins, by role.", {
      ...byRole((role) => reserve(ROLES[role].reserveTokens, `a running ${ROLES[role].run}`)),
    }),
  }),
  selfImprove: group("Self-improvement; see self-improvement.md.", {
    enabled: z
      .boolean()
      .default(false)
      .describe("Whether Mimikit looks for improvements in the workspace when idle; this spends money."),
    idleSec: whole(
      60,
      86_400,
      300,
      "Idle seconds before it looks for something; they double whenever it found nothing, up to a day.",
    ),
    budget: limits("The budget of self-improvement.", "self-improvement may spend in a day"),
    checks: z
      .array(z.string().min(1).max(1_000))
      .max(CHECKS_MAX)
      .optional()
      .describe("Shell commands that check a change; the `test` script of package.json if not set."),
    checkSec: whole(1, TIMEOUT_SEC_MAX, 600, "Seconds that one of these commands may take."),
    merge: z
      .boolean()
      .default(false)
      .describe("Whether a change that passed is also merged, if it does not conflict with the user's own changes."),
  }),
  channels: group("Channels such as Telegram; see channels.md. `mimikit channels add` sets one up.", {
    notify: z
      .array(ChannelName)
      .max(CHANNELS_MAX)
      .optional()
      .describe("The channels that also get notifications; all configured ones if not set."),
  }),
  pools: group("Worker pools on other machines; see pools.md. `mimikit pool invite` adds one.", {
    url: z
      .url({ protocol: /^rediss?$/ })
      .max(PUBLIC_URL_CHARS_MAX)
      .optional()
      .describe("The address of the Redis or Valkey that carries work to them, for example `redis://192.0.2.1:6379`."),
    leaseSec: whole(
      5,
      3_600,
      60,
      "Seconds after which a disconnected pool stops its work; after twice as many it is considered lost here.",
    ),
    askSec: whole(
      10,
      604_800,
      3_600,
      "Seconds of silence of a machine that has work after which you are asked whether to give that work up.",
    ),
  }),
  retryDelaySec: whole(0, 86_400, 60, "Seconds before a task with a temporary failure is retried."),
  tickMs: whole(50, 60_000, 1_000, "Milliseconds between two ticks."),
  rereadSec: whole(1, 3_600, 30, "Seconds between two full reads of the state, in case a file notification is missed."),
  watchdogSec: whole(
    0,
    86_400,
    30,
    "Seconds that the loop of a process may hang before another process kills it and PM2 restarts it; 0 for never.",
  ),
  runsKeepDays: whole(0, 3_650, 7, "Days for which the scratch folder of a run is kept."),
  archiveFoldDays: whole(30, 3_650, 30, "Days after which an archived record is compacted into the file of its month."),
  process: group("Memory limits of the processes.", {
    heapMb: whole(
      HEAP_MB_MIN,
      HEAP_MB_MAX,
      512,
      "Maximum heap of a process in megabytes; a process that needs more ends and is restarted.",
    ),
    youngMb: whole(
      1,
      YOUNG_MB_MAX,
      1,
      "Megabytes of each half of the heap's young generation: more costs memory and saves some time.",
    ),
    searchHeapMb: whole(
      HEAP_MB_MIN,
      HEAP_MB_MAX,
      512,
      "Maximum heap in megabytes of the thread that searches memory; if it needs more, there is no index.",
    ),
  }),
  logLevel: z
    .enum(["error", "warn", "info", "debug"])
    .default("info")
    .describe("The lowest level of messages that are logged."),
});
export type Config = z.infer<typeof Config>;
export type ConfigInput = z.input<typeof Config>;
