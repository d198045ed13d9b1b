/** `npm run versus` drives a real assistant, ours, through real kills, from the command line to the table. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const VERSUS = join(import.meta.dirname, "../../scripts/versus/versus.ts");
const KILLS = 3;
const hasSandbox = spawnSync("bwrap", ["--unshare-net", "--dev-bind", "/", "/", "--", "true"]).status === 0;

function start(...args: string[]) {
  const child = spawn(process.execPath, [VERSUS, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function versus(...args: string[]) {
  const child = start(...args);
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: child.exitCode, out, error };
}

test.runIf(hasSandbox)(
  "Mimikit is killed, and loses and doubles nothing; a run that is broken off goes on, and one that is over is not run again",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "mimikit-versus-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
    const args = ["--only", "mimikit", "--kills", `${KILLS}`, "--seed", "7", "--folder", folder];
    const brokenOff = start(...args);
    for await (const line of createInterface(brokenOff.stderr)) if (line.includes("kill 1 of 3")) break;
    brokenOff.kill("SIGKILL");
    const ran = await versus(...args, "--resume", "--json");
    expect({ code: ran.code, error: ran.code === 0 ? "" : ran.error }).toEqual({ code: 0, error: "" });
    expect(ran.error).not.toContain("kill 1 of 3");
    const [result] = JSON.parse(ran.out);
    expect(result).toMatchObject({ id: "mimikit", kills: KILLS, seed: 7, lost: 0, doubled: 0 });
    expect(result.taken).toBeGreaterThan(KILLS);
    const journal = join(folder, "trials/mimikit/1/journal.jsonl");
    const before = readFileSync(journal, "utf8");
    const again = await versus(...args, "--resume");
    expect(again).toMatchObject({ code: 0, error: "" });
    expect(again.out).toMatch(/\| Mimikit \| [\d.]+, \w+ \| 3 \| \d+ \| 0 \| 0 \|/);
    expect(readFileSync(journal, "utf8")).toBe(before);
  },
);

test("bad input says what would be right, and --help names the assistants with examples", async () => {
  expect(await versus("--only", "siri")).toMatchObject({
    code: 2,
    error: expect.stringContaining("there are: mimikit"),
  });
  expect(await versus("--kills", "0")).toMatchObject({ code: 2, error: expect.stringContaining("--kills needs") });
  const { out } = await versus("--help");
  expect(out).toContain("openclaw");
  expect(out).toContain("npm run versus -- --only mimikit --kills 10");
});
