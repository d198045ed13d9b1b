/** A damaged record costs itself: a backup names it and holds the rest, and a restore puts back all that is whole (docs/updates.md). */
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { openHome } from "@mimikit/runtime/home/adoption";
import { readToken } from "@mimikit/runtime/home/home";
import { isSigned, sign } from "@mimikit/store/disk/sign";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../runtime/temporary-home.ts";
import { type CliPlace, runCli, startCli } from "../run-cli.ts";

const KEPT = join(import.meta.dirname, "../../homes/0.3.0.tar.gz");
const NOON = "2026-11-21T12:00:00.000Z";

/** A home of 0.3.0 with turns, tasks and a trigger, restored into a directory of its own. */
async function lived(): Promise<CliPlace> {
  const directory = temporaryDirectory();
  const place = { home: join(directory, "state"), workDir: join(directory, "work") };
  mkdirSync(place.workDir);
  await json(place, "restore", KEPT);
  return place;
}

async function json<T = { damaged: unknown[]; cut: unknown[] }>(place: CliPlace, ...words: string[]): Promise<T> {
  const { code, out, error } = await runCli(place, [...words, "--json"]);
  expect([code, error]).toEqual([0, ""]);
  return JSON.parse(out) as T;
}

const pathsOf = (damaged: readonly { path: string }[]) => damaged.map(({ path }) => path).sort();

/** A sparse file of that many bytes. */
function sparse(path: string, bytes: number): void {
  const file = openSync(path, "w");
  ftruncateSync(file, bytes);
  closeSync(file);
}

const beside = (place: CliPlace, name: string) => join(place.home, "..", name);

test("a backup names what is damaged and holds the rest; a restore puts back the rest, and says where the damaged records are", async () => {
  const place = await lived();
  writeFileSync(join(place.home, "archive/c-1.json"), "");
  writeFileSync(join(place.home, "inbox/torn.json"), '{"kind":"mess');
  writeFileSync(join(place.home, "worker/results/t-000099.json"), "\0\0\0");
  const [id] = readdirSync(join(place.home, "archive")).filter((name) => name.startsWith("m-"));
  const message = readFileSync(join(place.home, `archive/${id}`), "utf8");
  const month = join(place.home, "archive/folded/2026-01.jsonl");
  writeFileSync(
    month,
    `{"kind":"fold","month":"2026-0\n${JSON.stringify({ ...JSON.parse(message), id: "m-old" })}\n{"ki`,
  );

  const file = beside(place, "damaged.tar.gz");
  const said = await runCli(place, ["backup", file]);
  expect(said.code).toBe(1);
  const damaged = [
    "archive/c-1.json",
    "archive/folded/2026-01.jsonl",
    "inbox/torn.json",
    "worker/results/t-000099.json",
  ];
  for (const path of damaged) expect(said.error).toContain(`! ${path} cannot be read: `);
  expect(said.error).toContain("the backup is made; 4 files in it are damaged, the rest is whole");
  const whole = readdirSync(join(place.home, "archive"));

  const restored = await runCli(place, ["restore", "--json", file]);
  // The message of the month was taken up by no turn: that is for the owner to decide.
  expect(restored).toMatchObject({ code: 1, error: expect.stringContaining("m-old is in the archive and in no turn") });
  expect(restored.error).toContain("mimikit restore --salvage");
  expect(readFileSync(join(place.home, "inbox/torn.json"), "utf8")).toBe('{"kind":"mess');
  const { code, out } = await runCli(place, ["restore", "--json", "--salvage", file]);
  expect(code).toBe(0);
  const salvaged = JSON.parse(out) as { leftOut: { path: string; aside: string | null }[]; broken: string[] };
  expect(pathsOf(salvaged.leftOut)).toEqual(damaged);
  for (const { path, aside } of salvaged.leftOut) {
    expect(existsSync(join(place.home, aside ?? path)), path).toBe(true);
    expect(aside === null, path).toBe(path.startsWith("archive/"));
  }
  expect(readdirSync(join(place.home, "archive")).sort()).toEqual(whole.sort());
  expect(salvaged.broken).toEqual(["the message m-old is in the archive and in no turn"]);
});

test("a restore asks nothing where a damaged record breaks no promise of another", async () => {
  const place = await lived();
  const before = readdirSync(join(place.home, "archive"));
  writeFileSync(join(place.home, "archive/c-1.json"), "");
  const file = beside(place, "damaged.tar.gz");
  expect((await runCli(place, ["backup", file])).code).toBe(1);
  const { code, out, error } = await runCli(place, ["restore", file]);
  expect([code, error]).toEqual([0, ""]);
  expect(out).toContain("archive/c-1.json cannot be read: ");
  expect(readdirSync(join(place.home, "archive")).sort()).toEqual([...before, "c-1.json"].sort());
});

test("what was said at the moment of a backup without secrets is carried out in another home; what nobody signed is not", async () => {
  const place = await lived();
  const put = (name: string, record: object) =>
    writeFileSync(join(place.home, "inbox", `${name}.json`), `${JSON.stringify(record)}\n`);
  const clear = { kind: "clear", id: "clear-1", at: NOON };
  put("clear-1", { ...clear, mac: sign(readToken(place.home), clear) });
  put("clear-2", { ...clear, id: "clear-2", mac: "of nobody" });
  const file = beside(place, "plain.tar.gz");
  expect((await runCli(place, ["backup", file])).error).toContain("inbox/clear-2.json cannot be read: ");
  const other = { home: beside(place, "other"), workDir: place.workDir };
  await json(other, "restore", file);
  const token = readToken(other.home);
  expect(token).not.toBe(readToken(place.home));
  expect(isSigned(token, JSON.parse(readFileSync(join(other.home, "inbox/clear-1.json"), "utf8")))).toBe(true);
  expect(existsSync(join(other.home, "inbox/clear-2.json"))).toBe(false);
  expect(readdirSync(join(other.home, "quarantine")).join()).toContain("inbox-clear-2.json");
});

test("a sparse file costs a backup nothing: it is bounded or left out, and named", async () => {
  const place = await lived();
  const huge = 1_099_511_627_776;
  for (const path of ["inbox/s.json", "quarantine/1-inbox-s.json", "memory/notes.bin"])
    sparse(join(place.home, path), huge);
  const file = beside(place, "sparse.tar.gz");
  const { code, out } = await runCli(place, ["backup", "--json", file]);
  expect(code).toBe(1);
  expect(pathsOf(JSON.parse(out).cut)).toEqual(["inbox/s.json", "memory/notes.bin", "quarantine/1-inbox-s.json"]);
  expect(gunzipSync(readFileSync(file)).length).toBeLessThan(16 * 1_048_576);
  expect((await runCli(place, ["restore", "--json", file])).code).toBe(0);
});

test("a backup that a signal ends leaves nothing unfinished behind", async () => {
  const place = await lived();
  sparse(join(place.home, "memory/large.bin"), 1_000_000_000);
  const into = beside(place, "backups");
  mkdirSync(into);
  const watcher = watch(into);
  const begun = once(watcher, "change");
  const child = startCli(place, ["backup", join(into, "b.tar.gz")]);
  await begun;
  watcher.close();
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
  expect(child.exitCode).toBe(143);
  expect(readdirSync(into)).toEqual([]);
  expect(readdirSync(join(place.home, "tmp")).filter((name) => name.startsWith("backup-"))).toEqual([]);
});

test("a restore over the same home keeps its keys, logins and browsers; those of another home are not taken over, and are named", async () => {
  const place = await lived();
  const secrets = {
    "secrets.json": '{"OPENAI_API_KEY":"sk-1"}',
    "mcp.json": '{"mcpServers":{}}',
    "sessions/web/a.json": "{}",
  };
  const give = (home: string) => {
    for (const [path, text] of Object.entries(secrets)) writeFileSync(join(home, path), text);
  };
  give(place.home);
  const file = beside(place, "plain.tar.gz");
  await json(place, "backup", file);
  const { out } = await runCli(place, ["restore", file]);
  for (const [path, text] of Object.entries(secrets)) expect(readFileSync(join(place.home, path), "utf8")).toBe(text);
  expect(out).toContain("kept, as they are in no backup: secrets.json, mcp.json, sessions/web");
  expect(out).not.toContain("browsers sign in anew");

  const other = { home: beside(place, "other"), workDir: place.workDir };
  mkdirSync(other.home);
  openHome(other.home, { MIMIKIT_HOME: other.home });
  give(other.home);
  const said = await runCli(other, ["restore", file]);
  expect(existsSync(join(other.home, "secrets.json"))).toBe(false);
  expect(said.out).toContain("not taken over, as the backup is of another home: secrets.json, mcp.json, sessions/web");

  const fresh = { home: beside(place, "fresh"), workDir: place.workDir };
  expect((await runCli(fresh, ["restore", file])).out).toContain("keys and logins are in no backup: mimikit connect");
});
