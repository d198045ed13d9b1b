/** The settings as others are shown them: what each is, what it may be, what it is, and where that comes from. */
import type { SettingView } from "@mimikit/protocol/wire/api";
import { z } from "zod";
import type { Environment } from "../home/home.ts";
import { loadSettings } from "./config.ts";
import { type ConfigField, valueAt } from "./fields.ts";
import { Config } from "./schema.ts";

export const MASK = "********";

/** The settings that processes read once, when they start. Their types keep them from reading others then. */
export const READ_AT_START = [
  "host",
  "port",
  "allowedHosts",
  "publicUrl",
  "tickMs",
  "rereadSec",
  "process",
  "logLevel",
] as const;
/** The settings of a process that it reads once. */
export type StartSettings = Pick<Config, (typeof READ_AT_START)[number]>;

const DEFAULTS: unknown = Config.parse({});

/** Every setting in the order of the schema. Addresses are shown without the passwords in them. */
export function describeSettings(home: string, env: Environment): SettingView[] {
  return loadSettings(home, env).map(({ field, value, source, variable }) => ({
    name: field.path.join("."),
    group: field.path.length > 1 ? (field.path[0] ?? null) : null,
    description: descriptionOf(field),
    schema: schemaOf(field),
    default: (valueAt(DEFAULTS, field.path) ?? null) as SettingView["default"],
    value: (maskedIn(value) ?? null) as SettingView["value"],
    source,
    ...(variable !== undefined && { variable }),
    needsRestart: needsRestart(field),
  }));
}

/** Does it count only when the processes start again? Every other setting counts within a moment. */
export function needsRestart({ path }: ConfigField): boolean {
  return READ_AT_START.some((name) => name === path[0]);
}

export function descriptionOf({ schema }: ConfigField): string {
  return z.globalRegistry.get(schema)?.description ?? "";
}

/** The names and passwords of addresses of any scheme. */
const USER_INFO = /([a-z][a-z0-9+.-]{0,31}:\/\/)[^/?#\s"']*@/gi;
/** A parameter of an address whose name says that it lets somebody in. */
const SECRET_PARAMETER =
  /([?&#;](?:[\w.-]{0,32}[_.-])?(?:key|apikey|token|secret|password|passwd|pwd|pass|auth|signature|sig|code)=)[^&#;\s"']+/gi;

/** A text without the secrets in its addresses. */
export function withoutAddressSecrets(text: string): string {
  return text.replace(USER_INFO, `$1${MASK}@`).replace(SECRET_PARAMETER, `$1${MASK}`);
}

/** A value of a setting without the secrets in its addresses, wherever they are in it. */
export function maskedIn(value: unknown): unknown {
  if (typeof value === "string") return withoutAddressSecrets(value);
  if (Array.isArray(value)) return value.map(maskedIn);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, maskedIn(each)]));
}

/** JSON Schema of its value. */
function schemaOf({ schema }: ConfigField): SettingView["schema"] {
  const { $schema: _schema, description: _text, default: _standard, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}
