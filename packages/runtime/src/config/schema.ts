/** Every setting, in one schema: for the file, for the environment, for `doctor` and for the documentation. */

import { Autonomy } from "@mimikit/protocol/approvals/approval";
import { capitalized } from "@mimikit/protocol/base/capitalized";
import { TIMEOUT_SEC_MAX, whole } from "@mimikit/protocol/base/fields";
import { byRole, ROLES, type Role } from "@mimikit/protocol/base/kind";
import { modelName, type PROVIDERS, type ProviderId } from "@mimikit/protocol/base/provider";
import { Price } from "@mimikit/protocol/base/usage";
import { ChannelName } from "@mimikit/protocol/channels/via";
import { CHECKS_MAX } from "@mimikit/protocol/records/improvement";
import { z } from "zod";
import { factsOf, keyNamesOf, PROVIDER_IDS } from "./providers.ts";
import { SEARCH_ENGINES, type SearchEngine } from "./search-engines.ts";

const TOKENS_MAX = 1_000_000_000_000;
const DOLLARS_MAX = 1_000_000_000;
const RESERVE_TOKENS_MAX = 100_000_000;
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

/** Who answers when nobody before them can be reached, in this order. */
const fallback = () => z.array(Named).max(PROVIDER_IDS.length);

/** How much a model shall think before it answers. */
const Effort = z.enum(["minimal", "low", "medium", "high"]);
export type Effort = z.infer<typeof Effort>;

/** A host by its name or address, without a port. */
const webHost = () =>
  z
    .string()
    .max(255)
    .regex(/^(\*\.)?[\w.-]+$|^[\da-f:.]+$/i, "a host is a name or an address, without a scheme, a port or a path");

/** Settings that belong together; all of them have defaults or need none. */
const group = <Shape extends z.ZodRawShape>(what: string, shape: Shape) =>
  z
    .strictObject(shape)
    .prefault({} as z.input<z.ZodObject<Shape, z.core.$strict>>)
    .describe(what);

/** What may be spent; what is not set is not limited. */
const limits = (what: string, of: string) =>
  group(what, {
    tokens: z.number().int().min(1).max(TOKENS_MAX).optional().describe(`Tokens that ${of}, in and out.`),
    costUsd: z.number().positive().max(DOLLARS_MAX).optional().describe(`US dollars that ${of}.`),
  });

type Table = typeof PROVIDERS;
type Configurable = { [Id in ProviderId]: Table[Id] extends { settings: unknown } ? Id : never }[ProviderId];
type Groups = { [Id in Configurable]: ReturnType<typeof group<ReturnType<Table[Id]["settings"]>>> };

/** What can be set of each provider, as a group of its name. */
const PROVIDER_GROUPS = Object.fromEntries(
  PROVIDER_IDS.flatMap((id) => {
    const { settings } = factsOf(id);
    const names = keyNamesOf(id).join(" or ");
    const secret = names === "" ? "" : ` Its key is in secrets.json or in ${names}, never here.`;
    return settings === undefined ? [] : [[id, group(`The \`${id}\` provider.${secret}`, settings())]];
  }),
) as Groups;

const reserve = (tokens: number, what: string) =>
  whole(0, RESERVE_TOKENS_MAX, tokens, `Tokens that ${what} counts for until it has said what it took.`);

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
    .describe("Host names beyond the loopback under which the gateway answers. A host that is not loopback needs one."),
  publicUrl: z
    .url({ protocol: /^https?$/ })
    .max(PUBLIC_URL_CHARS_MAX)
    .optional()
    .describe(
      "The address under which your other devices reach the page, as `https://mimikit.example`: the gateway answers to its name, and `mimikit pair` prints it.",
    ),
  provider: ProviderName.default("auto").describe(
    `Who answers; auto takes the first that can: ${SOUGHT}, else the offline engine.`,
  ),
  providers: group("Exceptions from `provider`, by role.", {
    ...byRole((role) => ProviderName.optional().describe(`Who answers for ${who(role)}, if not \`provider\`.`)),
  }),
  fallback: fallback().default([]).describe("Who answers, in this order, when nobody before them can be reached."),
  fallbacks: group("Exceptions from `fallback`, by role.", {
    ...byRole((role) =>
      fallback()
        .optional()
        .describe(`Who stands in for ${whose(role)} provider, if not \`fallback\`.`),
    ),
  }),
  circuit: group("How a provider that cannot be reached is tried again.", {
    cooldownSec: whole(1, 3_600, 5, "Seconds that a provider is left alone when it cannot be reached."),
    cooldownMaxSec: whole(1, 3_600, 60, "Seconds that they grow to at most, while it still cannot be reached."),
  }),
  prices: z
    .record(z.string().min(1).max(200), Price)
    .default({})
    .describe(
      "What the tokens of a model cost, by its name: `input`, `cached` and `output` in US dollars for a million, before what is known of well-known models; a variable holds it as JSON.",
    ),
  model: modelName().describe("The model that a model endpoint is asked for, by the name it has there."),
  models: group("Exceptions from `model`, by role.", {
    ...byRole((role) => modelName().describe(`The model of ${who(role)}, if not \`model\`.`)),
  }),
  effort: Effort.optional().describe(
    "How much a model thinks before it answers: openai, anthropic and google; its own default if not set.",
  ),
  efforts: group("Exceptions from `effort`, by role.", {
    ...byRole((role) => Effort.optional().describe(`How much the model of ${who(role)} thinks, if not \`effort\`.`)),
  }),
  ...PROVIDER_GROUPS,
  sandbox: z
    .enum(["auto", "off", "required"])
    .default("auto")
    .describe(
      "Whether the shell of a Worker is kept from the state directory: `auto` does it where bubblewrap works, `required` runs no shell without it.",
    ),
  autonomy: Autonomy.default("workspace").describe(
    "What a model may do without asking: `ask` asks before each command, `workspace` before what goes beyond the workspace and its sandbox, `full` never; see autonomy.md.",
  ),
  web: group("What a Worker of a model endpoint may load from the web; see web.md.", {
    fetch: z
      .boolean()
      .default(true)
      .describe(
        "Whether it can load pages, with `web_fetch`; each asks as `autonomy` has it for a command with the network.",
      ),
    hosts: z
      .array(webHost())
      .max(WEB_HOSTS_MAX)
      .optional()
      .describe("The only hosts that pages are loaded from, `*.example.org` for all below one; every host if not set."),
    privateHosts: z
      .array(webHost())
      .max(WEB_HOSTS_MAX)
      .default([])
      .describe(
        "The only hosts that pages are loaded from where they are at an address of this machine or of a private network.",
      ),
    search: group("The search engine that `web_search` asks; without one there is no such tool.", {
      engine: z
        .enum(Object.keys(SEARCH_ENGINES) as [SearchEngine, ...SearchEngine[]])
        .optional()
        .describe(
          "Which one. brave needs a key in BRAVE_API_KEY, tavily one in TAVILY_API_KEY, or kept as those of providers are; searxng needs its address.",
        ),
      url: z
        .url({ protocol: /^https?$/ })
        .max(WEB_URL_CHARS_MAX)
        .optional()
        .describe("Where it is; searxng needs it, as `https://search.example`, the others have their own if not set."),
    }),
  }),
  maxConcurrency: whole(1, 32, 3, "How many Worker tasks run at once."),
  paused: group("Queues that are paused: what waits there does not begin, what runs goes on.", {
    planner: paused("planner"),
    worker: paused("worker"),
    reviewer: paused("reviewer"),
  }),
  timeoutSec: group("Time limits, by role.", {
    ...limited,
    evaluation: timeout(120, "a batch of semantic conditions"),
    reviewer: review,
  }),
  budget: group("What may be spent; see budgets.md.", {
    day: limits("The budget of a day.", "may be spent in a day of the server's calendar"),
    month: limits("The budget of a month.", "may be spent in a month"),
    task: limits(
      "The budget of one task.",
      "one plan, piece of work or batch of conditions may take, all its attempts together",
    ),
    reserve: group("What is reserved for a run before it begins, by role.", {
      ...byRole((role) => reserve(ROLES[role].reserveTokens, `a running ${ROLES[role].run}`)),
    }),
  }),
  selfImprove: group("Self-improvement; see self-improvement.md.", {
    enabled: z
      .boolean()
      .default(false)
      .describe("Whether it looks for something to improve in the workspace when nobody needs it; it spends money."),
    idleSec: whole(
      60,
      86_400,
      300,
      "Seconds of quiet before it looks; they double whenever a look came to nothing, up to a day.",
    ),
    budget: limits("The budget of self-improvement.", "self-improvement may spend in a day"),
    checks: z
      .array(z.string().min(1).max(1_000))
      .max(CHECKS_MAX)
      .optional()
      .describe("Shell commands that a change is checked with; the `test` script of package.json if not set."),
    checkSec: whole(1, TIMEOUT_SEC_MAX, 600, "Seconds that one of these commands may take."),
    merge: z
      .boolean()
      .default(false)
      .describe("Whether a change that passed is also merged, where nothing of the user's own is in the way."),
  }),
  channels: group("Channels, as Telegram; see channels.md. `mimikit channels add` sets one up.", {
    notify: z
      .array(ChannelName)
      .max(CHANNELS_MAX)
      .optional()
      .describe("The channels that notifications go to as well; all that are set up, if not set."),
  }),
  pools: group("Worker pools on other machines; see pools.md. `mimikit pool invite` adds one.", {
    url: z
      .url({ protocol: /^rediss?$/ })
      .max(PUBLIC_URL_CHARS_MAX)
      .optional()
      .describe("The address of the Redis or Valkey that carries work to them, as `redis://192.0.2.1:6379`."),
    leaseSec: whole(
      5,
      3_600,
      60,
      "Seconds after which a pool that reaches nobody ends what it runs; after twice as many it is given up here.",
    ),
    askSec: whole(
      10,
      604_800,
      3_600,
      "Seconds of silence of a machine that has work after which you are asked whether to give that work up.",
    ),
  }),
  retryDelaySec: whole(0, 86_400, 60, "Seconds before a task that failed for a passing reason is tried once more."),
  tickMs: whole(50, 60_000, 1_000, "Milliseconds between two looks at the state."),
  rereadSec: whole(
    1,
    3_600,
    30,
    "Seconds between two complete readings of the state, the safety net under file notifications.",
  ),
  watchdogSec: whole(
    0,
    86_400,
    30,
    "Seconds that the loop of a process may stand still before another process ends it, so that PM2 starts it anew; 0 for never.",
  ),
  runsKeepDays: whole(0, 3_650, 7, "Days that the scratch folder of a run is kept."),
  archiveFoldDays: whole(30, 3_650, 30, "Days after which an archived record is folded into its month's file."),
  process: group("What each of the three processes may take of the machine.", {
    heapMb: whole(
      HEAP_MB_MIN,
      HEAP_MB_MAX,
      512,
      "Megabytes that the heap of a process grows to at most; one that needs more ends, and is started anew.",
    ),
    youngMb: whole(
      1,
      YOUNG_MB_MAX,
      1,
      "Megabytes of each half of the part of the heap where things are made: more cost memory and save some time.",
    ),
    searchHeapMb: whole(
      HEAP_MB_MIN,
      HEAP_MB_MAX,
      512,
      "Megabytes that the heap of the thread that searches memory grows to at most; without it, there is no index.",
    ),
  }),
  logLevel: z
    .enum(["error", "warn", "info", "debug"])
    .default("info")
    .describe("The least important messages still logged."),
});
export type Config = z.infer<typeof Config>;
export type ConfigInput = z.input<typeof Config>;
