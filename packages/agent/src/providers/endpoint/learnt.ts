/**
 * Remembers what endpoints refuse to models, so that they are not asked for it again, and the windows that they told. It is a
 * note: where it is lost or cannot be written, an endpoint refuses once more.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { hasCode } from "@mimikit/store/disk/error-code";
import { LEARNT_PATH } from "@mimikit/store/disk/state";
import { z } from "zod";
import type { ModelEndpoint } from "./place.ts";

/** Endpoints and models that are remembered; the oldest give way. */
const ENTRIES_MAX = 200;
/** Servers are updated and organizations verified: after this time it is tried again. */
const KEPT_MS = 7 * 86_400_000;

export const Learnt = z.object({
  /** The API that answers, where the address would have said the other one. */
  api: z.enum(["chat", "responses"]).optional(),
  /** Tools are taken only from a model that does not reason. */
  noEffort: z.boolean().optional(),
  /** Parts of a request that are left out. */
  left: z.array(z.string().max(50)).max(20).optional(),
  /** Tokens that the model holds, as its server says. */
  window: z.number().int().positive().optional(),
  /** Names of corrections of requests over Chat Completions. */
  corrections: z.array(z.string().max(50)).max(20).optional(),
});
export type Learnt = z.infer<typeof Learnt>;

const Entries = z.record(z.string(), Learnt.extend({ at: z.iso.datetime() }));
type Entries = z.infer<typeof Entries>;

/** The model at an address. */
export type LearntAt = Pick<ModelEndpoint, "baseUrl" | "model"> & {
  /** The state directory; this process alone remembers if not given. */
  home?: string;
};

/** The memory of this process, by state directory: what could not be written there. */
const known = new Map<string, Entries>();

/** Nothing where nothing was refused. */
export function readLearnt(at: LearntAt): Learnt {
  const { [nameOf(at)]: entry } = entriesOf(at);
  if (entry === undefined) return {};
  const { at: since, ...learnt } = entry;
  if (Date.now() - Date.parse(since) <= KEPT_MS) return learnt;
  const { window } = learnt;
  return window === undefined ? {} : { window };
}

/** Adds to what is known. Never throws for what the disk does: the process remembers it in any case. */
export function learn(at: LearntAt, more: Learnt): void {
  keep(at, { ...readLearnt(at), ...more });
}

/** Forgets what is known. Never throws for what the disk does. */
export function forgetLearnt(at: LearntAt): void {
  if (entriesOf(at)[nameOf(at)] !== undefined) keep(at, {});
}

function keep(at: LearntAt, learnt: Learnt): void {
  const { home = "" } = at;
  const name = nameOf(at);
  const { [name]: _, ...others } = entriesOf(at);
  const entry = { ...learnt, at: new Date().toISOString() };
  const entries = Object.fromEntries([...Object.entries(others), [name, entry] as const].slice(-ENTRIES_MAX));
  known.set(home, entries);
  if (home === "") return;
  try {
    replaceFile(join(home, LEARNT_PATH), `${JSON.stringify(entries)}\n`);
    known.delete(home);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

function entriesOf({ home = "" }: LearntAt): Entries {
  const remembered = known.get(home);
  if (remembered !== undefined || home === "") return remembered ?? {};
  try {
    return parseRecord(Entries, readFileSync(join(home, LEARNT_PATH), "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) return {};
    throw error;
  }
}

/** Without what an address may hold beside the place. */
function nameOf({ baseUrl, model }: LearntAt): string {
  if (!URL.canParse(baseUrl)) return model;
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/(?<!\/)\/+$/, "")} ${model}`;
}
