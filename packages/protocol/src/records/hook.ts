/**
 * Hooks (docs/hooks.md): what the owner wants to be started or called when something has happened, the event that it is told,
 * and the records of each delivery.
 */
import { z } from "zod";
import { Id } from "../base/id.ts";
import { Role } from "../base/role.ts";
import { sentence } from "../texts/coded.ts";
import { Identity } from "./claim.ts";

/** The events that a hook can wait for. */
export const HOOK_EVENTS = ["task_done", "task_failed", "question_asked", "budget_reached", "trigger_fired"] as const;
export type HookEventType = (typeof HOOK_EVENTS)[number];
/** The event of `mimikit hooks test`: it reaches the hook that it is sent to, whatever that waits for. */
export const TEST_EVENT = "test";

/** Characters of a text in an event; a longer one is cut. */
export const HOOK_TEXT_CHARS_MAX = 4_000;
export const HOOK_ARGUMENTS_MAX = 64;
export const HOOK_ARGUMENT_CHARS_MAX = 4_096;
export const HOOK_HEADERS_MAX = 16;
/** Seconds that the command of a hook may take. */
export const HOOK_TIMEOUT_SEC = 60;
export const HOOK_TIMEOUT_SEC_MAX = 3_600;

/** The name of a hook is that of its file, `hooks/<name>.yaml`; secrets are named alike. */
export const HookName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, sentence("hook_name"));

/** A text that a header can carry: other characters could end the header. */
const HeaderText = z
  .string()
  .max(1_024)
  .regex(/^[\x20-\x7e]*$/, sentence("header_ascii"));
/** The headers of a delivery that are ours, and those that belong to the connection. */
const HEADERS_TAKEN =
  /^(webhook-.*|content-type|content-length|content-encoding|transfer-encoding|connection|host|user-agent|expect|upgrade|keep-alive|te|trailer)$/i;
/** Their values are credentials, so they do not belong into a file that is read, shown and backed up. */
const HEADERS_SECRET = /^(authorization|cookie|proxy-authorization|.*(-|_)?(token|secret|api-?key|password)s?)$/i;

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/, sentence("header_name"))
  .refine((name) => !HEADERS_TAKEN.test(name), sentence("header_ours"));
const HeaderValue = z.union([HeaderText, z.strictObject({ secret: HookName })], { error: sentence("header_value") });

const Url = z
  .url({ protocol: /^https?$/, error: sentence("wrong_address") })
  .max(2_048)
  .refine((text) => {
    const url = URL.parse(text);
    return url === null || (url.username === "" && url.password === "");
  }, sentence("hook_password"));

const OnEvent = z.enum(HOOK_EVENTS);

/** `hooks/<name>.yaml`. */
export const HookFile = z
  .strictObject({
    on: z.union([OnEvent, z.array(OnEvent).min(1)], {
      error: sentence("hook_events", { options: HOOK_EVENTS.join(", ") }),
    }),
    /** Only tasks of this role. */
    role: Role.optional(),
    /** Only where the title fits; `*` stands for any characters. */
    title: z.string().min(1).max(200).optional(),
    /** Only this trigger, and the task that it fires. */
    trigger: Id.optional(),
    run: z
      .array(
        z
          .string()
          .max(HOOK_ARGUMENT_CHARS_MAX)
          .refine((word) => !word.includes("\0"), sentence("hook_nul")),
      )
      .min(1)
      .max(HOOK_ARGUMENTS_MAX)
      .refine(([program]) => program !== "", sentence("hook_program"))
      .optional(),
    /** Seconds. */
    timeout: z.number().int().min(1).max(HOOK_TIMEOUT_SEC_MAX).optional(),
    url: Url.optional(),
    /** The secret that signs, if not the one with the hook's own name; false: nothing signs. */
    secret: z.union([HookName, z.literal(false)], { error: sentence("hook_secret") }).optional(),
    headers: z
      .record(HeaderName, HeaderValue)
      .refine(
        (headers) => Object.keys(headers).length <= HOOK_HEADERS_MAX,
        sentence("field_too_long", { max: HOOK_HEADERS_MAX, unit: "entries" }),
      )
      .optional(),
  })
  .superRefine(({ run, timeout, url, secret, headers = {} }, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
    if ((run === undefined) === (url === undefined)) refuse([], sentence("hook_run_or_url"));
    if (url === undefined && secret !== undefined) refuse(["secret"], sentence("hook_signs_url"));
    if (url === undefined && Object.keys(headers).length > 0) refuse(["headers"], sentence("hook_headers_url"));
    if (run === undefined && timeout !== undefined) refuse(["timeout"], sentence("hook_timeout_run"));
    for (const [name, value] of Object.entries(headers))
      if (HEADERS_SECRET.test(name) && typeof value === "string") refuse(["headers", name], sentence("header_secret"));
  });
export type HookFile = z.infer<typeof HookFile>;

/** `hooks/<name>.yaml` of what comes in: a signed delivery to `POST /hooks/<name>` runs this trigger, and does nothing else. */
export const SourceFile = z.strictObject({
  receive: Id,
  /** The secret that the other side signs with, if not the one with the hook's own name. */
  secret: HookName.optional(),
});
export type SourceFile = z.infer<typeof SourceFile>;

/** An event as a hook is told it, in the shape of Standard Webhooks. All of it is data of others. */
export const HookEvent = z.object({
  type: z.enum([...HOOK_EVENTS, TEST_EVENT]),
  /** When it happened. */
  timestamp: z.iso.datetime(),
  data: z.object({
    /** Of the task, the question, the firing or the notice. */
    id: Id,
    title: z.string(),
    /** The result or the error of a task, the question, or the order of a trigger. */
    text: z.string(),
    role: Role.optional(),
    trigger: Id.optional(),
    failureReason: z.string().optional(),
    /** The answers that a question offers, and until when it is open. */
    options: z.array(z.string()).optional(),
    expiresAt: z.iso.datetime().optional(),
    /** The moment that a firing is for. */
    occurrence: z.string().optional(),
  }),
});
export type HookEvent = z.infer<typeof HookEvent>;

/** `deliveries/<id>.json`: this event is to reach this hook. Created once, before anything is sent or started. */
export const HookDelivery = z.object({ id: Id, hook: HookName, at: z.iso.datetime(), event: HookEvent });
export type HookDelivery = z.infer<typeof HookDelivery>;

/** `deliveries/<id>.begun.json`: a command is being started by `owner`. Created once, so that it is never started again. */
export const BegunDelivery = z.object({ id: Id, at: z.iso.datetime(), owner: Identity });
export type BegunDelivery = z.infer<typeof BegunDelivery>;

/** `deliveries/<id>.tries.json`: how often a call has failed, and when it is tried again. The newest counts. */
export const FailedCalls = z.object({
  id: Id,
  tries: z.number().int().positive(),
  at: z.iso.datetime(),
  retryAt: z.iso.datetime(),
  error: z.string(),
});
export type FailedCalls = z.infer<typeof FailedCalls>;

/**
 * `deliveries/<id>.ended.json`: what became of it, once and for all. `sent`: the address has taken it; `ran`: the command ended
 * well; `failed`: it did not; `interrupted`: it was begun and cut off, or may never have run; `gave_up`: the address did not take it in time.
 */
export const EndedDelivery = z.object({
  id: Id,
  hook: HookName,
  at: z.iso.datetime(),
  outcome: z.enum(["sent", "ran", "failed", "interrupted", "gave_up"]),
  tries: z.number().int().nonnegative(),
  detail: z.string(),
  /** The end of what a command has printed. */
  output: z.string().optional(),
});
export type EndedDelivery = z.infer<typeof EndedDelivery>;

/** `deliveries/hook-<name>.json`: the hook gets what has happened since then. `wants` says what it waited for then. */
export const HookBeginning = z.object({ hook: HookName, since: z.iso.datetime(), wants: z.string() });
export type HookBeginning = z.infer<typeof HookBeginning>;
