/**
 * A home in which every feature was used once goes through every check of state, a backup, its restoring, a migration and its taking
 * back (docs/updates.md). A check that does not know a feature fails here.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  latestOf,
  MIGRATIONS,
  type Migration,
  readStateVersion,
  writeStateVersion,
} from "@mimikit/runtime/home/state-version";
import { VERSION } from "@mimikit/runtime/home/version";
import { AUDIT, COMPACTED } from "@mimikit/store/disk/state";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LEFT_OUT } from "../../apps/cli/src/backup/write-backup.ts";
import { findViolations } from "../../apps/cli/src/checks/find-violations.ts";
import { withState } from "../../apps/cli/src/instance/state.ts";
import { carryForward } from "../../apps/cli/src/update/carry-forward.ts";
import { type CliPlace, runCli } from "../cli/run-cli.ts";
import { FullHome, fullHomeScript } from "../support/full-home.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { ModelServer } from "../support/model-server.ts";
import { PushService } from "../support/push-service.ts";
import { modelSettings } from "../support/start-with-model.ts";
import { makeRepository } from "../support/user-tree.ts";

const DAY_MS = 86_400_000;
/** So long that the months in which all of it was said are compacted. */
const LATER_MS = 100 * DAY_MS;

/** Full homes of releases; `KEEP_HOME=1` adds the one of this version (docs/RELEASING.md). */
const KEPT = join(import.meta.dirname, "../homes/full");
const kept = existsSync(KEPT) ? readdirSync(KEPT) : [];

/** Writes every record and document of the state again, with the same content in another form. */
const REWRITES: readonly Migration[] = [
  ...MIGRATIONS,
  {
    to: 2,
    carry: (path, text) => {
      if (path.endsWith(".json")) return `${JSON.stringify(JSON.parse(text), null, 1)}\n`;
      return path === "backlog.md" ? `${text.trimEnd()}\n- [ ] made by a migration\n` : text;
    },
  },
];

let mimikit: Instance;
let close: () => Promise<void>;
const scratch = mkdtempSync(join(tmpdir(), "mimikit-full-"));

beforeAll(async () => {
  const model = await ModelServer.start(fullHomeScript());
  const push = await PushService.start();
  mimikit = await Instance.start({
    hasClock: true,
    roles: [],
    env: { ...modelSettings(model), TZ: "UTC", NODE_EXTRA_CA_CERTS: push.certificate },
  });
  close = async () => {
    await mimikit.dispose();
    await model.close();
    await push.dispose();
  };
  makeRepository(mimikit.workDir);
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
  const full = await FullHome.fill(mimikit, push);
  await full.close();
}, 300_000);

afterAll(async () => {
  await close?.();
  rmSync(scratch, { recursive: true, force: true });
});

const violationsOf = async (home: string) =>
  (await findViolations((look) => withState(look, { home, workDir: mimikit.workDir }))).violations;

/** All files of a state that a backup with secrets has, with their content. */
function filesOf(home: string): Record<string, string> {
  // The notes of the audit log are of the log as a process left it.
  const skipped = new Set([...LEFT_OUT, AUDIT]);
  const walk = (dir: string): string[] =>
    readdirSync(join(home, dir), { withFileTypes: true }).flatMap(({ name }) => {
      const path = dir === "" ? name : `${dir}/${name}`;
      if (skipped.has(path)) return [];
      return statSync(join(home, path)).isDirectory() ? walk(path) : [path];
    });
  return Object.fromEntries(walk("").map((path) => [path, readFileSync(join(home, path), "latin1")]));
}

const pick = (files: Record<string, string>, path: string) => ({ [path]: files[path] });

async function json<T>(place: CliPlace, ...words: string[]): Promise<T> {
  const { code, out, error } = await runCli(place, [...words, "--json"]);
  expect([code, error]).toEqual([0, ""]);
  return JSON.parse(out) as T;
}

/** A backup of it, restored into a place of its own. */
async function restoredElsewhere(name: string, ...options: string[]): Promise<CliPlace> {
  const file = join(scratch, `${name}.tar.gz`);
  expect(await json(mimikit, "backup", file, ...options)).toMatchObject({ damaged: [], cut: [] });
  const place = { home: join(scratch, name), workDir: mimikit.workDir };
  expect(await json(place, "restore", file)).toMatchObject({ leftOut: [], broken: [] });
  return place;
}

test("while it runs, no check finds a fault in it", async () => {
  expect(await violationsOf(mimikit.home)).toEqual([]);
  const { out } = await runCli(mimikit, ["doctor"]);
  expect(out).toMatch(/turns and \d+ tasks are consistent/);
});

test("killed with work open, it is backed up and restored whole, with and without secrets", async () => {
  await mimikit.replyTo(await mimikit.send("run `sleep 300; echo held` then `echo after`"));
  await mimikit.until("work that runs", async () => (await mimikit.tasks()).find(({ state }) => state === "running"));
  await mimikit.replyTo(await mimikit.send("which region"));
  await mimikit.stop("SIGKILL");
  expect(await violationsOf(mimikit.home)).toEqual([]);
  const place = await restoredElsewhere("secrets", "--with-secrets");
  expect(filesOf(place.home)).toEqual({ ...filesOf(mimikit.home), ...pick(filesOf(place.home), "version.json") });
  if (process.env.KEEP_HOME !== undefined) {
    mkdirSync(KEPT, { recursive: true });
    copyFileSync(join(scratch, "secrets.tar.gz"), join(KEPT, `${VERSION}.tar.gz`));
  }
  await restoredElsewhere("plain");
});

test("it is carried forward by a migration that changes every record, keeps every promise, and is taken back", async () => {
  const before = filesOf(mimikit.home);
  const backup = await carryForward(mimikit.home, REWRITES);
  expect(readStateVersion(mimikit.home).state).toBe(2);
  // The checks are those of this version: only the stamp is of the next.
  writeStateVersion(mimikit.home, latestOf(MIGRATIONS));
  expect(await violationsOf(mimikit.home)).toEqual([]);
  expect(await json(mimikit, "restore", backup ?? "")).toMatchObject({ leftOut: [], broken: [] });
  expect(filesOf(mimikit.home)).toEqual({ ...before, ...pick(filesOf(mimikit.home), "version.json") });
});

test("it goes on, and months later, with its archive compacted, it is still whole", async () => {
  mimikit.setClock(LATER_MS);
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
  await mimikit.until("a compacted month", () => readdirSync(join(mimikit.home, COMPACTED)).length > 0 || undefined);
  await mimikit.replyTo(await mimikit.send("hello again"));
  expect(await violationsOf(mimikit.home)).toEqual([]);
  await mimikit.stop("SIGKILL");
  await restoredElsewhere("later");
});

test.each(kept)("the full home of %s is restored whole", async (name) => {
  const place = { home: join(scratch, `kept-${name}`), workDir: mimikit.workDir };
  expect(await json(place, "restore", join(KEPT, name))).toMatchObject({ leftOut: [], broken: [] });
});
