/** The promises of a record that is seen before it is durable (docs/durability.md#what-is-seen-before-it-is-durable). */
import { linkSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createShown, createUnsynced, makeDurable } from "@mimikit/store/disk/record";
import { expect, test } from "vitest";
import { z } from "zod";
import { quarantine } from "../../../apps/supervisor/src/execute/commands.ts";
import type { ExecContext } from "../../../apps/supervisor/src/execute/exec-context.ts";
import { temporaryState } from "../home.ts";

const Shape = z.object({ id: z.string(), text: z.string() });
const PATH = "worker/queue/t-000001.0.json";
const RECORD = { id: "t-000001.0", text: "first" };
const WHOLE = `${JSON.stringify(RECORD)}\n`;

test("others see it before it is durable, and it is durable when its creation ends", async () => {
  const { home, fs } = temporaryState();
  const order: string[] = [];
  const told = {
    ...fs,
    link: async (from: string, to: string) => {
      const linked = await fs.link(from, to);
      order.push("named");
      return linked;
    },
    syncContent: async (path: string) => {
      await fs.syncContent(path);
      order.push("synced");
    },
    syncDir: async (dir: string) => {
      await fs.syncDir(dir);
      order.push("synced");
    },
  };
  expect(await createShown(told, Shape, PATH, RECORD)).toBe(true);
  expect(order).toEqual(["named", "synced", "synced"]);
  expect(readFileSync(join(home, PATH), "utf8")).toBe(WHOLE);
  expect(readdirSync(join(home, "tmp/test-1-1"))).toEqual([]);
});

test("a whole record that is there stays, and the second writer is told", async () => {
  const { home, fs } = temporaryState();
  await createShown(fs, Shape, PATH, RECORD);
  expect(await createShown(fs, Shape, PATH, { ...RECORD, text: "second" })).toBe(false);
  expect(readFileSync(join(home, PATH), "utf8")).toBe(WHOLE);
});

test("a record that a power loss has torn is made whole by whoever creates it again", async () => {
  const { home, fs } = temporaryState();
  for (const torn of ["", WHOLE.slice(0, 9), "\0".repeat(WHOLE.length)]) {
    writeFileSync(join(home, PATH), torn);
    expect(await createShown(fs, Shape, PATH, RECORD)).toBe(true);
    expect(readFileSync(join(home, PATH), "utf8")).toBe(WHOLE);
  }
  expect(readdirSync(join(home, "tmp/test-1-1"))).toEqual([]);
});

/** A disk on which the first sync of content fails, and every later one of the same file seems to go well. */
function failingOnce(fs: FileSystem): FileSystem {
  let hasFailed = false;
  return {
    ...fs,
    syncContent: async (path) => {
      if (hasFailed) return;
      hasFailed = true;
      throw new Error(`EIO: ${path}`);
    },
  };
}

test("a record whose content could not be synced is written anew before it counts as durable", async () => {
  const makers = [
    async (fs: FileSystem) => {
      await createShown(fs, Shape, PATH, RECORD);
    },
    async (fs: FileSystem) => {
      await createUnsynced(fs, Shape, PATH, RECORD);
      await makeDurable(fs, [PATH]);
    },
  ];
  for (const make of makers) {
    const { home, fs } = temporaryState();
    const failing = failingOnce(fs);
    await expect(make(failing)).rejects.toThrow("EIO");
    const first = await fs.info(PATH);
    await make(failing);
    expect((await fs.info(PATH))?.inode).not.toBe(first?.inode);
    expect(readFileSync(join(home, PATH), "utf8")).toBe(WHOLE);
    expect(readdirSync(join(home, "tmp/test-1-1"))).toEqual([]);
  }
});

test("a record that is gone after its sync has failed does not come back", async () => {
  const { fs } = temporaryState();
  const failing = failingOnce(fs);
  await expect(createShown(failing, Shape, PATH, RECORD)).rejects.toThrow("EIO");
  await fs.unlink(PATH);
  await makeDurable(failing, [PATH]);
  expect(await fs.exists(PATH)).toBe(false);
});

test("quarantine keeps 4 MiB of a damaged file of any length, and another name of that file keeps all", async () => {
  const { home, fs } = temporaryState();
  const long = 1_099_511_627_776;
  writeFileSync(join(home, PATH), "torn");
  truncateSync(join(home, PATH), long);
  linkSync(join(home, PATH), join(home, "owners"));
  const { inode = 0 } = (await fs.info(PATH)) ?? {};
  const context = { fs, nowMs: () => 0, audit: () => undefined } as unknown as ExecContext;
  await quarantine(PATH, "longer than 4194304 bytes", inode, context);
  const [name = ""] = readdirSync(join(home, "quarantine"));
  expect(statSync(join(home, "quarantine", name)).size).toBe(4 * 1_048_576);
  expect(readFileSync(join(home, "quarantine", name), "latin1").slice(0, 4)).toBe("torn");
  expect(statSync(join(home, "owners")).size).toBe(long);
});

test("what took the place of a damaged record is not set aside in its stead", async () => {
  const { home, fs } = temporaryState();
  writeFileSync(join(home, PATH), "torn");
  const { inode = 0 } = (await fs.info(PATH)) ?? {};
  await createShown(fs, Shape, PATH, RECORD);
  const heard: string[] = [];
  const context = {
    fs,
    nowMs: () => 0,
    audit: ({ event }: { event: string }) => heard.push(event),
  } as unknown as ExecContext;
  await quarantine(PATH, "not valid JSON", inode, context);
  expect(readFileSync(join(home, PATH), "utf8")).toBe(WHOLE);
  expect(readdirSync(join(home, "quarantine"))).toEqual([]);
  expect(heard).toEqual([]);
});
