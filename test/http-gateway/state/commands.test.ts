/** A request that is sent again while the first is on its way. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "@mimikit/runtime/audit/log";
import { readToken } from "@mimikit/runtime/home/home";
import { commandId } from "@mimikit/store/disk/create-command";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { APPROVALS, approvalPath, archivePath, INBOX, inboxPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { Commands } from "../../../apps/http-gateway/src/state/commands.ts";
import { View } from "../../../apps/http-gateway/src/state/view.ts";
import { temporaryHome } from "../gateway.ts";

const QUESTION = "t-000001.0.a1.approve";
const KEY = "a key";

const silent = () => undefined;
const log: Log = {
  audit: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  flush: async () => undefined,
};

/** A gateway whose disk is changed as the test says, with something that is allowed for good. */
function gatewayOn(change: (disk: FileSystem, home: string) => Partial<FileSystem>): Commands {
  const home = temporaryHome();
  mkdirSync(join(home, APPROVALS));
  writeFileSync(join(home, approvalPath(QUESTION)), "{}");
  const disk = openDisk(home, "test");
  const fs: FileSystem = { ...disk, ...change(disk, home) };
  const token = readToken(home);
  const cache = new StateCache(fs, { token, durable: false, onBadArchive: silent });
  return new Commands({ fs, cache, view: new View(fs, cache), token, timeZone: () => "UTC", log });
}

test("it is answered only when the first is durable, which may be on its way to the disk", async () => {
  const syncs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const disk = Promise.withResolvers<void>();
  let begun = 0;
  const commands = gatewayOn(({ syncDir }) => ({
    async syncDir(dir) {
      if (dir === INBOX) syncs[begun++]?.resolve();
      await disk.promise;
      await syncDir(dir);
    },
  }));
  const first = commands.revoke(QUESTION, KEY);
  await syncs[0]?.promise;
  const again = commands.revoke(QUESTION, KEY);
  expect(await Promise.race([again.then(() => "answered"), syncs[1]?.promise.then(() => "waits for the disk")])).toBe(
    "waits for the disk",
  );
  disk.resolve();
  expect(await again).toBe(await first);
});

test("it is known also where the first is carried out while it is looked for", async () => {
  const id = commandId("revoke", KEY);
  let isDue = false;
  const commands = gatewayOn((disk, home) => ({
    async exists(path) {
      const isThere = await disk.exists(path);
      // Behind whichever look comes first, the supervisor does what was asked for.
      if (isDue && [inboxPath(id), archivePath(id)].includes(path)) {
        isDue = false;
        renameSync(join(home, inboxPath(id)), join(home, archivePath(id)));
        rmSync(join(home, approvalPath(QUESTION)));
      }
      return isThere;
    },
  }));
  await commands.revoke(QUESTION, KEY);
  isDue = true;
  expect(await commands.revoke(QUESTION, KEY)).toBe(id);
});
