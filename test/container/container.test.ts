/**
 * The container of Dockerfile does the main job, brings its processes back, and ends when it is asked to. No engine is needed: its steps
 * are carried out in an empty root. The workflow of GitHub builds and runs the real one.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { type Box, build, whyNoBox } from "./box.ts";

const missing = whyNoBox();
/** Installing all packages takes minutes on a loaded machine. */
const BUILD_MS_MAX = 600_000;
const COMES_BACK = { timeout: 60_000, interval: 500 };
let directory: string;
let box: Box;

describe.skipIf(missing !== null)(missing === null ? "the container" : `the container, for ${missing}`, () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "mimikit-container-"));
    box = build(directory);
    box.start();
    await isHealthy();
  }, BUILD_MS_MAX);

  afterAll(async () => {
    await box.stop("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  });

  test("its own health check says that it is ready, as a user without rights whose root is read-only", async () => {
    const { out } = await box.exec("sh", "-c", "id -u; touch /app/written /written 2>/dev/null || echo read-only");
    expect(out).toBe("1000\nread-only\n");
    expect(await status()).toMatchObject({ ready: true, problems: [], workDir: "/workspace" });
    // A program of the container calls it by a name that it answers to.
    expect((await box.exec("mimikit", "pair")).out).toMatch(/^http:\/\/127\.0\.0\.1:8787\/#pair=/);
  });

  test("a chain is answered in full, and doctor finds the process that brings the others back", async () => {
    const { code, out } = await box.exec("mimikit", "ask", "run `echo $((20+1))` then `cat; id -u`");
    expect([code, out]).toEqual([0, expect.stringMatching(/\n21\n[\s\S]*\n21\n1000\n/)]);
    const { checks } = JSON.parse((await box.exec("mimikit", "doctor", "--json")).out) as {
      checks: { name: string; level: string }[];
    };
    expect(checks.filter(({ name }) => name === "daemon")).toMatchObject([{ level: "ok" }]);
    expect(checks.filter(({ level }) => level === "fail")).toEqual([]);
  });

  test("a process that is killed comes back", async () => {
    for (const role of ["supervisor", "workers", "gateway"] as const) {
      const { pid } = (await status()).processes[role];
      await box.exec("kill", "-9", String(pid));
      await vi.waitFor(async () => expect((await status()).processes[role]).toMatchObject({ alive: true }), COMES_BACK);
      expect((await status()).processes[role].pid).not.toBe(pid);
    }
  });

  test("SIGTERM while a command runs ends everything in order, and another container goes on with the state", async () => {
    const waits = "run `touch started; until [ -e go ]; do sleep 0.1; done; echo it went on`";
    await box.exec("mimikit", "send", waits);
    await vi.waitFor(async () => expect((await box.exec("ls")).out).toContain("started"), COMES_BACK);
    box.output = "";
    expect(await box.stop("SIGTERM")).toBe(0);
    // Each left by itself: none was killed because its time was up.
    expect(box.output.match(/exited with code \[0\] via signal \[SIGINT\]/g)).toHaveLength(3);
    expect(box.output).toContain("PM2 successfully stopped");

    box.start();
    await isHealthy();
    await box.exec("touch", "go");
    await vi.waitFor(
      async () => expect((await box.exec("mimikit", "history", "--json")).out).toContain("it went on"),
      COMES_BACK,
    );
  });
});

test("compose.yaml gives it what the Dockerfile counts on", () => {
  const root = join(import.meta.dirname, "../..");
  const { services } = parse(readFileSync(join(root, "compose.yaml"), "utf8"), { merge: true });
  expect(services.mimikit).toMatchObject({ build: ".", read_only: true, cap_drop: ["ALL"], restart: "unless-stopped" });
  expect(services.mimikit.ports).toEqual(["127.0.0.1:8787:8787"]);
  const targets = services.mimikit.volumes.map((volume: string) => volume.split(":")[1]);
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  expect(dockerfile).toContain(`VOLUME ${JSON.stringify(targets).replace(",", ", ")}`);
  expect(existsSync(join(root, ".dockerignore"))).toBe(true);
});

test("compose.yaml has an engine and four machines, which start only with their profile", () => {
  const text = readFileSync(join(import.meta.dirname, "../../compose.yaml"), "utf8");
  const { services, volumes } = parse(text, { merge: true });
  const { mimikit, engine, ...pools } = services;
  expect(mimikit.profiles).toBeUndefined();
  // Empty is not set: without the profile no dispatcher runs.
  expect(mimikit.environment.MIMIKIT_POOLS_URL).toMatch(/^\$\{MIMIKIT_POOLS_URL:-\}$/);
  expect(engine.profiles).toEqual(["pools"]);
  expect(engine.command.join(" ")).toBe("redis-server --appendonly yes --maxmemory-policy noeviction");
  expect(engine.ports).toBeUndefined();
  expect(Object.keys(pools)).toEqual(["pool-1", "pool-2", "pool-3", "pool-4"]);
  for (const [name, pool] of Object.entries<Record<string, unknown>>(pools)) {
    expect(pool).toMatchObject({ image: mimikit.image, profiles: ["pools"], read_only: true, cap_drop: ["ALL"] });
    expect(pool).toMatchObject({
      command: ["mimikit", "pool", "join", "--work-dir", "/workspace"],
      volumes: [`${name}:/workspace`],
    });
    expect(volumes).toHaveProperty(name);
  }
});

async function isHealthy(): Promise<void> {
  await vi.waitFor(async () => expect((await box.exec("sh", "-c", box.plan.healthCheck)).code).toBe(0), COMES_BACK);
}

async function status(): Promise<Status> {
  return JSON.parse((await box.exec("mimikit", "status", "--json")).out) as Status;
}
