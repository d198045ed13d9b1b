/** In which order the gateway does what it does by itself, and what somebody waits for. */

import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import type { Log } from "@mimikit/runtime/audit/log";
import { readToken } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { INBOX } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, onTestFinished, test } from "vitest";
import { Commands } from "../../apps/http-gateway/src/state/commands.ts";
import { View } from "../../apps/http-gateway/src/state/view.ts";
import { startUpkeep, type UpkeepParts } from "../../apps/http-gateway/src/upkeep.ts";
import { NEVER_MS, temporaryHome } from "./gateway.ts";

const turns = async (count: number) => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
};

/** A log that keeps what it is told in one call. */
function keeping() {
  const calls: AuditEvent[][] = [];
  const silent = () => undefined;
  const audit = (...events: AuditEvent[]) => void calls.push(events);
  const log: Log = { audit, debug: silent, info: silent, warn: silent, error: silent, flush: async () => undefined };
  return { calls, log };
}

/** @param syncDir is called in the place of that of the disk. */
function commandsOn(home: string, log: Log, syncDir?: (sync: () => Promise<void>) => Promise<void>): Commands {
  const disk = openDisk(home, "test");
  const fs: FileSystem = { ...disk, ...(syncDir && { syncDir: (dir) => syncDir(() => disk.syncDir(dir)) }) };
  const token = readToken(home);
  const cache = new StateCache(fs, { token, durable: false, onBadArchive: () => undefined });
  return new Commands({ fs, cache, view: new View(fs, cache), token, timeZone: () => "UTC", log });
}

/** Starts the loops of a home. @returns resolves at the next look. */
function looking(parts: Pick<UpkeepParts, "home" | "commands" | "log" | "putOffMs">, onLook: () => void) {
  let next = Promise.withResolvers<void>();
  const live = {
    async tick() {
      onLook();
      next.resolve();
      next = Promise.withResolvers();
    },
    readStreams: () => undefined,
    heartbeat: async () => undefined,
  };
  const config = { tickMs: NEVER_MS, rereadSec: 3_600 };
  onTestFinished(startUpkeep({ ...parts, live, config, sessions: { isSignedIn: async () => true } }));
  return () => next.promise;
}

test("a message is answered before the gateway looks at it, though it is told of its record before", async () => {
  const home = temporaryHome();
  const order: string[] = [];
  const { log } = keeping();
  const watcher = watch(join(home, INBOX));
  onTestFinished(() => watcher.close());
  const named = once(watcher, "change");
  const commands = commandsOn(home, log, async (sync) => {
    await named;
    await turns(10);
    await sync();
  });
  const nextLook = looking({ home, commands, log, putOffMs: NEVER_MS }, () => order.push("look"));
  await nextLook();
  const looked = nextLook();
  await commands.sendMessage({ text: "hello" }, undefined).then(() => order.push("answer"));
  await looked;
  expect(order).toEqual(["look", "answer", "look"]);
});

test("a look comes all the same where answers take too long", async () => {
  const home = temporaryHome();
  const { log } = keeping();
  const never = new Promise<void>(() => undefined);
  const looks: string[] = [];
  await looking({ home, commands: { atRest: () => never }, log, putOffMs: 1 }, () => looks.push("look"))();
  expect(looks).toEqual(["look"]);
});

test("messages that become durable together are noted together, each once, when they are answered", async () => {
  const { calls, log } = keeping();
  const commands = commandsOn(temporaryHome(), log);
  const texts = Array.from({ length: 20 }, (_, n) => `message ${n}`);
  const ids = await Promise.all(texts.map((text) => commands.sendMessage({ text }, undefined)));
  expect(calls).toEqual([]);
  await turns(1);
  expect(calls.map((events) => events.map(({ detail }) => detail?.id).sort())).toEqual([ids.sort()]);
});
