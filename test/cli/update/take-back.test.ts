/** A newer version has carried a state forward and is taken back: the state of before is put back, with what was acknowledged since. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHome } from "@mimikit/runtime/home/adoption";
import { readToken } from "@mimikit/runtime/home/home";
import { type Migration, readStateVersion } from "@mimikit/runtime/home/state-version";
import { sign } from "@mimikit/store/disk/sign";
import { expect, test } from "vitest";
import { carryForward } from "../../../apps/cli/src/update/carry-forward.ts";
import { temporaryDirectory } from "../../runtime/temporary-home.ts";
import { runCli } from "../run-cli.ts";

const NOON = "2026-11-21T12:00:00.000Z";
const NEXT: readonly Migration[] = [
  { to: 1 },
  { to: 2, carry: (path, text) => (path === "backlog.md" ? text.replace("boat", "ship") : text) },
];

const message = (id: string, more: object = {}) => ({ kind: "message", id, at: NOON, text: `text of ${id}`, ...more });

test("what a newer version accepted waits again in the state that is put back, once; its own notes do not", async () => {
  const home = join(temporaryDirectory(), "state");
  openHome(home, { MIMIKIT_HOME: home });
  const place = { home, workDir: temporaryDirectory() };
  const put = (name: string, record: object) =>
    writeFileSync(join(home, `${name}.json`), `${JSON.stringify(record)}\n`);
  const token = readToken(home);
  writeFileSync(join(home, "backlog.md"), "- [ ] paint the boat\n");
  put("inbox/m-1", message("m-1"));
  const backup = (await carryForward(home, NEXT)) ?? "";
  expect(readFileSync(join(home, "backlog.md"), "utf8")).toContain("ship");

  // The new version runs: it answers one message, and accepts others, a command, and a dropped file.
  renameSync(join(home, "inbox/m-1.json"), join(home, "archive/m-1.json"));
  put("archive/m-2", message("m-2"));
  const file = { id: "a".repeat(64), name: "a.txt", type: "text/plain", bytes: 4 };
  mkdirSync(join(home, "attachments"), { recursive: true });
  writeFileSync(join(home, "attachments", file.id), "blue");
  put("inbox/m-3", message("m-3", { attachments: [file] }));
  const clear = { kind: "clear", id: "clear-1", at: NOON };
  put("inbox/clear-1", { ...clear, mac: sign(token, clear) });
  writeFileSync(join(home, "inbox/dropped.json"), '{"kind":"message","text":"dropped"}');
  put("inbox/x-1", { kind: "of a later version", id: "x-1", at: NOON });
  const event = { kind: "event", id: "e-1", at: NOON, name: "plan_settled", text: "", data: {}, mac: "" };
  put("inbox/e-1", event);

  const { code, out, error } = await runCli(place, ["restore", "--json", backup]);
  expect([code, error]).toEqual([0, ""]);
  expect(JSON.parse(out).takenOver).toEqual({
    waiting: expect.arrayContaining(["m-3.json", "clear-1.json", "dropped.json"]),
    answered: ["m-2.json"],
    unknown: ["x-1.json"],
  });
  expect(readStateVersion(home).state).toBe(1);
  expect(readFileSync(join(home, "backlog.md"), "utf8")).toContain("boat");
  expect(readdirSync(join(home, "inbox")).sort()).toEqual(["clear-1.json", "dropped.json", "m-1.json", "m-3.json"]);
  expect(readFileSync(join(home, "attachments", file.id), "utf8")).toBe("blue");

  // Going back in time is something else: nothing of a state that this version knows comes along.
  const kept = join(temporaryDirectory(), "kept.tar.gz");
  copyFileSync(backup, kept);
  expect((await runCli(place, ["restore", kept])).code).toBe(0);
  expect(readdirSync(join(home, "inbox"))).toEqual(["m-1.json"]);
  expect(existsSync(join(home, "archive/m-1.json"))).toBe(false);
});

test("a home that is made by a version is of that version, also where a kill left nothing but the stamp", () => {
  const home = join(temporaryDirectory(), "state");
  expect(openHome(home, { MIMIKIT_HOME: home }, NEXT)).toBe(true);
  expect(readStateVersion(home).state).toBe(2);
  expect(() => openHome(home, { MIMIKIT_HOME: home }, NEXT)).not.toThrow();

  const cut = join(temporaryDirectory(), "state");
  mkdirSync(cut);
  writeFileSync(join(cut, "version.json"), '{"state":1,"program":"0.3.0"}\n');
  openHome(cut, { MIMIKIT_HOME: cut }, NEXT);
  expect(readStateVersion(cut).state).toBe(2);

  const old = join(temporaryDirectory(), "state");
  openHome(old, { MIMIKIT_HOME: old });
  expect(() => openHome(old, { MIMIKIT_HOME: old }, NEXT)).toThrow(/is of version 1: stop what runs/);
});
