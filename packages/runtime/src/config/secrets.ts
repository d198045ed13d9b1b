/**
 * The keys of providers, the secrets of hooks and what channels sign in with: `secrets.json`, which this user alone may read (docs/security.md#keys). None of them
 * is in another file, a log or an answer of the API.
 */

import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { ChannelName } from "@mimikit/protocol/channels/via";
import { sentence } from "@mimikit/protocol/texts/coded";
import { problemWith } from "@mimikit/protocol/texts/issues";
import { SECRETS_PATH } from "@mimikit/store/disk/state";
import { z } from "zod";
import { isAdopted } from "../home/adoption.ts";
import { type Environment, HomeError } from "../home/home.ts";
import { editPrivateFile, readPrivateFile } from "../home/private-file.ts";

const KEY_CHARS_MAX = 4_096;
/** Less of a key opens nothing, and is the same for many: `sk-proj-`. */
const KEY_PART_CHARS_MIN = 8;
/** Characters of an origin. */
const HOST_CHARS_MAX = 300;
/** Shorter ones can be guessed. */
const HOOK_SECRET_CHARS_MIN = 16;

/** Characters that a header of a request can carry. */
const Key = z
  .string()
  .max(KEY_CHARS_MAX, `a key has at most ${KEY_CHARS_MAX} characters`)
  .regex(/^[\x21-\x7e]+$/, sentence("key_not_plain"));

/** The secret of a hook may be the whole value of a header: `Bearer …`. */
const HookSecret = z
  .string()
  .min(HOOK_SECRET_CHARS_MIN, `a secret has at least ${HOOK_SECRET_CHARS_MIN} characters`)
  .max(KEY_CHARS_MAX, `a secret has at most ${KEY_CHARS_MAX} characters`)
  .regex(/^[\x20-\x7e]+$/, "a secret has printable ASCII only, on one line");

const CHANNEL_FIELDS_MAX = 16;
const CHANNEL_VALUE_CHARS_MAX = 1_024;
/** The secrets of a channel, by the names of its fields: tokens, addresses, topics. */
const ChannelFields = z
  .record(
    z.string().regex(/^[a-z][A-Za-z]{0,31}$/),
    z
      .string()
      .min(1)
      .max(CHANNEL_VALUE_CHARS_MAX)
      .regex(/^[\x21-\x7e]+$/),
  )
  .refine((fields) => Object.keys(fields).length <= CHANNEL_FIELDS_MAX);
export type ChannelFields = z.infer<typeof ChannelFields>;

/** A later version may keep more in it, which this one leaves as it is. */
const Secrets = z.looseObject({
  keys: z.record(z.string().max(64), Key).default({}),
  /** The server that each key was given for, `https://api.openai.com`; missing for keys of earlier versions. */
  hosts: z.record(z.string().max(64), z.string().max(HOST_CHARS_MAX)).optional(),
  hooks: z.record(z.string().max(64), HookSecret).optional(),
  channels: z.record(ChannelName, ChannelFields).optional(),
});
type Secrets = z.infer<typeof Secrets>;

/** Keys by provider. */
export type Keys = Readonly<Record<string, string>>;

/**
 * The keys that are kept in a state directory; none of one that is not adopted, because its addresses are a stranger's.
 * @returns why the file cannot be used, in a line for people, where it is there and cannot.
 */
export function readKeys(home: string, env: Environment): { keys: Keys; hosts?: Keys; problem?: string } {
  if (!isAdopted(home, env)) return { keys: {} };
  try {
    const { keys, hosts } = readSecrets(home);
    return { keys, ...(hosts !== undefined && { hosts }) };
  } catch (error) {
    if (error instanceof HomeError) return { keys: {}, problem: error.message };
    throw error;
  }
}

/** Why `key` cannot be a key, for people; null where it can. Surrounding space is not part of it. */
export function problemOfKey(key: string): string | null {
  return problemWith(Key, key.trim());
}

/** `text` with `[key]` in place of the key, also of its beginning where the text was cut within it. */
export function withoutKey(text: string, key: string): string {
  let shown = text;
  for (let chars = key.length; chars >= Math.min(key.length, KEY_PART_CHARS_MIN); chars--)
    if (chars > 0) shown = shown.replaceAll(key.slice(0, chars), "[key]");
  return shown;
}

/**
 * Keeps a key durably, or forgets it.
 * @param key undefined: there is to be none.
 * @param host the server that it is for (`hostOfKey`), and no other.
 * @throws HomeError where the file cannot be used as it is: it stays. @throws DocumentBusy if another process holds it
 * for seconds.
 */
export function setKey(home: string, provider: string, key: string | undefined, host?: string): Promise<void> {
  const kept = (text: string) => Key.parse(text.trim());
  return change(home, ({ keys, hosts, ...others }) => {
    const all = withEntry(hosts ?? {}, provider, key === undefined ? undefined : host, (text) => text);
    return {
      ...others,
      keys: withEntry(keys, provider, key, kept),
      ...(Object.keys(all).length > 0 && { hosts: all }),
    };
  });
}

/** The secrets of hooks by their names; none of a state directory that is not adopted. Throws HomeError as `setKey` does. */
export function readHookSecrets(home: string, env: Environment): Readonly<Record<string, string>> {
  return isAdopted(home, env) ? (readSecrets(home).hooks ?? {}) : {};
}

/** Why `secret` cannot be that of a hook, for people; null where it can. Surrounding space is not part of it. */
export function problemOfHookSecret(secret: string): string | null {
  return problemWith(HookSecret, secret.trim());
}

/** Keeps the secret of a hook durably, or forgets it. Throws as `setKey` does. */
export function setHookSecret(home: string, name: string, secret: string | undefined): Promise<void> {
  const kept = (text: string) => HookSecret.parse(text.trim());
  return change(home, ({ hooks = {}, ...others }) => ({ ...others, hooks: withEntry(hooks, name, secret, kept) }));
}

/** The channels that are set up, and what each signs in with; none of a state directory that is not adopted. Throws as `setKey` does. */
export function readChannels(home: string, env: Environment): Readonly<Record<string, ChannelFields>> {
  return isAdopted(home, env) ? (readSecrets(home).channels ?? {}) : {};
}

/** Sets a channel up durably, or removes it. Throws as `setKey` does, and a ZodError for what no channel can need. */
export function setChannel(home: string, name: string, fields: ChannelFields | undefined): Promise<void> {
  return change(home, ({ channels = {}, ...others }) => {
    const { [name]: _old, ...rest } = channels;
    return { ...others, channels: fields === undefined ? rest : { ...rest, [name]: ChannelFields.parse(fields) } };
  });
}

/** The table with this entry, or without it where there is to be none. */
function withEntry(
  table: Readonly<Record<string, string>>,
  name: string,
  value: string | undefined,
  kept: (value: string) => string,
): Record<string, string> {
  const { [name]: _old, ...others } = table;
  return value === undefined ? others : { ...others, [name]: kept(value) };
}

function change(home: string, edit: (secrets: Secrets) => Secrets): Promise<void> {
  return editPrivateFile(
    home,
    SECRETS_PATH,
    (text) => `${JSON.stringify(edit(secretsIn(join(home, SECRETS_PATH), text)), null, 2)}\n`,
  );
}

/** Throws HomeError for a file that is not this user's alone, or holds something else. */
function readSecrets(home: string): Secrets {
  const path = join(home, SECRETS_PATH);
  return secretsIn(path, readPrivateFile(path));
}

function secretsIn(path: string, text: string | null): Secrets {
  if (text === null) return { keys: {} };
  try {
    return parseRecord(Secrets, text);
  } catch (error) {
    // Its words may quote what stands in the file.
    if (error instanceof BadJson)
      throw new HomeError(`${path} holds no valid keys: correct it, or remove it and connect again`);
    throw error;
  }
}
