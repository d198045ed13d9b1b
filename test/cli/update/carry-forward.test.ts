import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "@mimikit/runtime/home/adoption";
import { readToken } from "@mimikit/runtime/home/home";
import { type Migration, readStateVersion } from "@mimikit/runtime/home/state-version";
import { expect, test } from "vitest";
import { unpackBackup } from "../../../apps/cli/src/backup/read-backup.ts";
import { carryForward } from "../../../apps/cli/src/update/carry-forward.ts";
import { temporaryDirectory } from "../../runtime/temporary-home.ts";

const NEWER: readonly Migration[] = [
  { to: 1 },
  { to: 2, carry: (path, text) => (path === "backlog.md" ? text.replace("- [ ]", "-") : text) },
  { to: 3, carry: (path, text) => (path.startsWith("signals/") ? null : text) },
];

function home(): string {
  const home = join(temporaryDirectory(), "home");
  openHome(home, { MIMIKIT_HOME: home });
  writeFileSync(join(home, "backlog.md"), "- [ ] one\n");
  writeFileSync(join(home, "signals", "s-1.json"), "{}\n");
  mkdirSync(join(home, "attachments"), { recursive: true });
  writeFileSync(join(home, "attachments", "backlog.md"), "- [ ] of the user\n");
  return home;
}

const backupsOf = (home: string) => (existsSync(join(home, "copies")) ? readdirSync(join(home, "copies")) : []);

test("an older state is carried forward step by step, after a backup of what it was", async () => {
  const old = home();
  const backup = await carryForward(old, NEWER);
  expect(readFileSync(join(old, "backlog.md"), "utf8")).toBe("- one\n");
  expect(readdirSync(join(old, "signals"))).toEqual([]);
  expect(readFileSync(join(old, "attachments", "backlog.md"), "utf8")).toBe("- [ ] of the user\n");
  expect(readStateVersion(old).state).toBe(3);
  const before = join(temporaryDirectory(), "before");
  mkdirSync(before);
  await unpackBackup(backup ?? "", before);
  expect(readFileSync(join(before, "backlog.md"), "utf8")).toBe("- [ ] one\n");
  expect(readToken(before)).toBe(readToken(old));
  expect(readStateVersion(before).state).toBe(1);

  expect(await carryForward(old, NEWER)).toBeNull();
  expect(backupsOf(old)).toHaveLength(1);
});

test("one that is cut off in between is done again, and comes to the same", async () => {
  const old = home();
  const failing: Migration[] = NEWER.map((step) => ({ ...step }));
  failing[2] = {
    to: 3,
    carry: (path, text) => {
      if (path.startsWith("signals/")) throw new Error("cut off");
      return text;
    },
  };
  await expect(carryForward(old, failing)).rejects.toThrow("cut off");
  expect(readStateVersion(old).state).toBe(1);
  await carryForward(old, NEWER);
  expect(readFileSync(join(old, "backlog.md"), "utf8")).toBe("- one\n");
  expect(readdirSync(join(old, "signals"))).toEqual([]);
  expect(readStateVersion(old).state).toBe(3);
});

test("where only the stamp is missing, no backup is made", async () => {
  const old = home();
  expect(await carryForward(old, [{ to: 1 }, { to: 2 }])).toBeNull();
  expect(backupsOf(old)).toEqual([]);
});
