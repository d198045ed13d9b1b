/**
 * A user who tidies up in the state directory while Mimikit runs loses what was in there, and nothing else: it goes on
 * working, and says what was removed. The safety net under that, which looks at all directories every so often, is out
 * of the way here.
 */
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import { DIRECTORIES } from "@mimikit/store/disk/state";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

let mimikit: Instance;
beforeAll(async () => {
  mimikit = await Instance.start({ env: { MIMIKIT_REREAD_SEC: "600" } });
});
afterAll(() => mimikit?.dispose());

const problems = async () => (await mimikit.api<Status>("/api/status")).problems.join("\n");
const told = (what: string) =>
  mimikit.until(`a problem with "${what}"`, async () => (await problems()).includes(what) || undefined);
const remove = (path: string) => rmSync(join(mimikit.home, path), { recursive: true, maxRetries: 5 });
let orders = 0;

/** A message goes through every directory of records, and comes back as a report. */
async function works(): Promise<void> {
  const word = `order-${++orders}`;
  await mimikit.replyTo(await mimikit.send(`run \`echo ${word}\``));
  await mimikit.replyWith(`${word}\n`);
}

test.each(DIRECTORIES)(
  "%s/ that is removed while it runs comes back, is named in the status, and orders go on",
  async (dir) => {
    await mimikit.drained();
    remove(dir);
    await mimikit.until("the directory", () => existsSync(join(mimikit.home, dir)) || undefined);
    expect(statSync(join(mimikit.home, dir)).mode & 0o777).toBe(0o700);
    await told(`${dir}/ was removed`);
    await works();
    const status = await mimikit.ready();
    expect(Object.values(status.processes).map(({ alive }) => alive)).toEqual([true, true, true]);
  },
);

test("an input that comes at the moment in which its directories are gone is taken all the same", async () => {
  for (const dir of ["tmp", "inbox"]) {
    await mimikit.drained();
    remove(dir);
    await mimikit.replyTo(await mimikit.send("help"));
  }
});

test.each(ROLE_NAMES)(
  "the audit file of the %s that is removed while it runs is begun anew, and that is told",
  async (role) => {
    const file = { supervisor: "log.jsonl", workers: "log.workers.jsonl", gateway: "log.gateway.jsonl" }[role];
    await works();
    const path = join(mimikit.home, file);
    const last = JSON.parse(readFileSync(path, "utf8").trim().split("\n").at(-1) ?? "").seq;
    remove(file);
    await works();
    const [first] = readFileSync(path, "utf8").split("\n");
    expect(JSON.parse(first ?? "")).toMatchObject({
      event: "audit_file_reopened",
      detail: { file, was: "removed", after: expect.any(Number) },
    });
    expect(JSON.parse(first ?? "").seq).toBeGreaterThan(last);
    await told(`${file} was removed`);
  },
);
