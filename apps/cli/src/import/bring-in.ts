/**
 * Brings in what an export holds: conversations into imported/, memories and schedules as commands like those that are typed.
 * Ids follow from what is brought, so the same file once more, or after a kill, adds only what is missing. `imports/<id>.json`
 * says what can be undone; it is durable before anything else is.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { undoneId } from "@mimikit/protocol/base/id";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { openHome } from "@mimikit/runtime/home/adoption";
import { readToken } from "@mimikit/runtime/home/home";
import { type CommandInput, commandId, createCommand } from "@mimikit/store/disk/create-command";
import { makeDurableDir, replaceView } from "@mimikit/store/disk/record";
import { IMPORTS, recordIn } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { addImported, type ImportedLine, importedIds, removeImported } from "@mimikit/store/views/imported-history";
import { z } from "zod";
import { t } from "../i18n/language.ts";
import { withDisk, withState } from "../instance/state.ts";
import { ask, type CommandAnswer, outcomeOf, refusalIn } from "../instance/write-command.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import {
  type Brought,
  COUNTED,
  type ImportedConversation,
  type ImportSource,
  MEMORIES_MAX,
  MESSAGE_CHARS_MAX,
  MESSAGES_MAX,
  SCHEDULES_MAX,
  SOURCES,
} from "./brought.ts";

const DIGEST_CHARS = 12;
/** A time is in milliseconds, and up to so many messages have the same one and still stand in their order. */
const PER_MS = 1_000;
/** Something is brought in, undone and brought in again; more repetitions than this do not occur. */
const GENERATIONS_MAX = 1_000;

const Import = z.object({
  id: z.string(),
  source: z.enum(SOURCES),
  at: z.iso.datetime(),
  /** The commands for memories and schedules. */
  wishes: z.array(z.string()),
  messages: z.number().int().nonnegative(),
});
export type Import = z.infer<typeof Import>;

interface KeyedCommand {
  id: string;
  said: CommandInput;
}

/** The new part of an export, and how much of it was brought in before. */
export interface Plan {
  id: string;
  source: ImportSource;
  lines: ImportedLine[];
  /** Messages that this very import has brought, when it was cut off. */
  begun: number;
  commands: KeyedCommand[];
  known: { messages: number; memories: number; schedules: number };
  /** Beyond a bound, or of no known time. */
  leftOut: { what: string; reason: string }[];
}

/** Compares an export with what is there. Nothing is changed. @throws Failure where there is no state directory. */
export async function planImport(source: ImportSource, brought: Brought): Promise<Plan> {
  const leftOut: Plan["leftOut"] = [];
  const bounded = <T>(all: readonly T[], max: number, what: (count: number) => string): T[] => {
    if (all.length > max) leftOut.push({ what: what(all.length - max), reason: t("at most {max} at once", { max }) });
    return all.slice(0, max);
  };
  const memories = bounded([...new Set(brought.memories)], MEMORIES_MAX, COUNTED.memories);
  const schedules = bounded(brought.schedules, SCHEDULES_MAX, COUNTED.schedules);
  const all = bounded(linesOf(source, brought.conversations), MESSAGES_MAX, COUNTED.messages);
  const dated = all.filter(({ messages }) => Date.parse(messages[0]?.at ?? "") > 0);
  if (dated.length < all.length)
    leftOut.push({ what: COUNTED.messages(all.length - dated.length), reason: t("their time is unknown") });
  const cut = dated.filter(({ messages }) => messages[0]?.text.length === MESSAGE_CHARS_MAX).length;
  if (cut > 0)
    leftOut.push({
      what: t("the end of {count} messages", { count: cut }),
      reason: t("at most {max} characters each", { max: MESSAGE_CHARS_MAX }),
    });
  const seeds = [
    ...memories,
    ...schedules.map((each) => JSON.stringify(each)),
    ...dated.map((line) => line.messages[0]?.id ?? ""),
  ];
  const id = `${source}-${digest(seeds.join("\n")).slice(0, DIGEST_CHARS)}`;
  return withState(async ({ fs, home, cache }) => {
    const there = await importedIds(fs, home, source);
    const lines = dated.filter(({ messages }) => !there.has(messages[0]?.id ?? ""));
    const remembered = await newOf(
      memories.map((content) => ({ kind: "memory-add", content, longTerm: true })),
      source,
      cache,
    );
    const scheduled = await newOf(
      schedules.map(({ definition }) => ({ kind: "trigger-put", definition })),
      source,
      cache,
    );
    return {
      id,
      source,
      lines: lines.map((line) => ({ ...line, importId: id })),
      begun: [...there.values()].filter((importId) => importId === id).length,
      commands: [...remembered, ...scheduled],
      known: {
        messages: dated.length - lines.length,
        memories: memories.length - remembered.length,
        schedules: schedules.length - scheduled.length,
      },
      leftOut,
    };
  });
}

/** Those that have no command yet, or that were undone since. */
async function newOf(
  all: readonly CommandInput[],
  source: ImportSource,
  { archiveIndex, inbox }: StateCache,
): Promise<KeyedCommand[]> {
  const commands: KeyedCommand[] = [];
  for (const said of all) {
    const seed = `import ${source} ${digest(JSON.stringify(said))}`;
    for (let generation = 1; generation < GENERATIONS_MAX; generation++) {
      const id = commandId(said.kind, `${seed} ${generation}`);
      const isKnown = inbox.has(id) || (await archiveIndex.confirm(id));
      if (isKnown && (await archiveIndex.confirm(undoneId(id)))) continue;
      if (!isKnown) commands.push({ id, said });
      break;
    }
  }
  return commands;
}

function linesOf(source: ImportSource, conversations: readonly ImportedConversation[]): ImportedLine[] {
  return conversations.flatMap(({ id: conversation, title, messages }) =>
    messages.map(({ id, role, text, atMs }, i): ImportedLine => {
      const name = `x-${digest(`${source}\n${conversation}\n${id}`).slice(0, 32)}`;
      const message = {
        id: name,
        role,
        text: beginningOf(text, MESSAGE_CHARS_MAX).toWellFormed(),
        at: new Date(atMs).toISOString(),
      };
      const turn = atMs * PER_MS + Math.min(i, PER_MS - 1) + 1;
      return { turn, messages: [message], importId: "", conversation, title };
    }),
  );
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** The outcome of an import. */
export interface Done {
  id: string;
  /** Nothing runs that takes the commands up: they wait for the next start. */
  waits: boolean;
  refused: string[];
}

/** @throws what the disk throws; the same command goes on from there. */
export async function bringIn(home: string, { id, source, lines, begun, commands }: Plan): Promise<Done> {
  openHome(home, process.env);
  const earlier = importsOf(home).find((each) => each.id === id);
  const record: Import = {
    id,
    source,
    at: new Date().toISOString(),
    wishes: [...new Set([...(earlier?.wishes ?? []), ...commands.map((each) => each.id)])],
    messages: begun + lines.length,
  };
  await writeRecord(home, record);
  await withDisk(home, (fs) => addImported(fs, source, lines));
  const token = readToken(home);
  // Their ids follow from their content.
  await withDisk(home, async (fs) => {
    for (const { said, id } of commands) await createCommand(fs, token, said, id);
  });
  const asked: CommandAnswer[] = [];
  for (const each of commands) asked.push(await outcomeOf(home, each.id));
  const refused = asked.filter((each) => refusalIn(each) !== undefined).map((each) => each.id);
  if (refused.length > 0)
    await writeRecord(home, { ...record, wishes: record.wishes.filter((each) => !refused.includes(each)) });
  return {
    id,
    waits: asked.some(({ outcome }) => outcome === null),
    refused: asked.flatMap((each) => refusalIn(each) ?? []),
  };
}

/** The imports that were not undone, the newest first. A file that is no record is passed over. */
export function importsOf(home: string): Import[] {
  const dir = join(home, IMPORTS);
  const names = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith(".json")) : [];
  return names
    .flatMap((name) => {
      const record = Import.safeParse(jsonIn(join(dir, name))).data;
      return record === undefined || `${record.id}.json` !== name ? [] : [record];
    })
    .sort((a, b) => (a.at > b.at ? -1 : 1));
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export interface TakenBack {
  messages: number;
  /** Memories and schedules that are gone, or go at the next start. */
  undone: number;
  /** Why others stay. */
  kept: string[];
}

/** Takes all of an import back that can be; what was changed since stays, with the reason. @throws Failure where there is no such import. */
export async function takeBack(home: string, given: string): Promise<TakenBack> {
  const [record, ...others] = importsOf(home).filter(({ id }) => id.startsWith(given));
  if (record === undefined)
    throw new Failure("failed", t("there is no import {given}:  mimikit import  lists them", { given }));
  if (others.length > 0)
    throw new Failure(
      "usage",
      t("{given} means {count} of them: say more of its id", { given, count: others.length + 1 }),
    );
  const { id, source, wishes: commands } = record;
  const messages = await withDisk(home, (fs) => removeImported(fs, home, source, id));
  const kept: string[] = [];
  for (const changeId of commands) {
    try {
      await ask(home, { kind: "undo", changeId });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      kept.push(reasonOf(error));
    }
  }
  await withDisk(home, (fs) => fs.unlink(recordPath(id)));
  return { messages, undone: commands.length - kept.length, kept };
}

const recordPath = (id: string) => recordIn(IMPORTS, id);

async function writeRecord(home: string, record: Import): Promise<void> {
  await withDisk(home, async (fs) => {
    await makeDurableDir(fs, IMPORTS);
    await replaceView(fs, recordPath(record.id), `${JSON.stringify(record)}\n`);
  });
}
