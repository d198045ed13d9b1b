/** Files that go to another machine and come from it, with a real redis-server and real processes (docs/pools.md). */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskSummary } from "@mimikit/protocol/wire/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProgram } from "../../scripts/bench/measure/find-program.ts";
import { type Machine, type Pools, startPools } from "../support/pools.ts";

const MEBIBYTE = 1_048_576;
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

/** Debian's package has it, and CI installs that. */
const hasRedis = findProgram("redis-server") !== null;

describe.runIf(hasRedis)("a home with a machine", () => {
  let pools: Pools;
  let machine: Machine;
  beforeAll(async () => {
    pools = await startPools();
    machine = await pools.join("box");
  });
  afterAll(() => pools.dispose());

  const upload = async (bytes: Buffer) => {
    const response = await fetch(`http://127.0.0.1:${pools.mimikit.port}/api/attachments`, {
      method: "POST",
      headers: { authorization: `Bearer ${pools.mimikit.token}`, "content-type": "application/octet-stream" },
      body: new Uint8Array(bytes),
    });
    return ((await response.json()) as { id: string }).id;
  };
  /** Orders a command for the machine, with files. @returns the id of its task. */
  const order = async (command: string, files: readonly { id: string; name: string }[] = []) => {
    const body = { text: `run \`${command}\``, pool: "box", attachments: files };
    const { id } = await pools.mimikit.api<{ id: string }>("/api/input", { method: "POST", body });
    return `${(await pools.mimikit.replyTo(id)).taskIds?.[0]}.0`;
  };
  const ended = (id: string) =>
    pools.mimikit.until(`${id} has ended`, async () => {
      const task: TaskSummary & { result?: unknown } = await pools.mimikit.task(id);
      return task.state === "done" || task.state === "failed" ? task : undefined;
    });
  const sumOf = (name: string) => `sha256sum .mimikit-pool/runs/*/attachments/1-${name}.bin`;
  const idle = () =>
    pools.mimikit.until("nothing is left on the machine", () => {
      const left = [machine.home, "away"].join("/");
      return readdirSync(left).length === 0 || undefined;
    });
  const part = (pattern: string) => pools.mimikit.until(`a part of ${pattern}`, () => globSync(pattern)[0]);

  test("a run there reads the files of its message, byte for byte, and leaves nothing of them behind", async () => {
    const bytes = randomBytes(3 * MEBIBYTE + 17);
    const id = await order(sumOf("data"), [{ id: await upload(bytes), name: "data.bin" }]);
    expect(await ended(id)).toMatchObject({ state: "done", attempts: 1 });
    expect((await pools.mimikit.task(id)).result).toMatchObject({ text: expect.stringContaining(sha256(bytes)) });
    await idle();
    expect(globSync(join(machine.home, "runs/*/attachments"))).toEqual([]);
  });

  test("the machine, its dispatcher and the engine are killed while a file is on its way: the run reads it whole, once", async () => {
    const bytes = randomBytes(20 * MEBIBYTE);
    const id = await order(`${sumOf("large")}; echo ran >> ran.txt`, [{ id: await upload(bytes), name: "large.bin" }]);
    await part(join(machine.home, "away/*.files/*.part"));
    await Promise.all([machine.kill(), pools.mimikit.kill("dispatcher"), pools.redis.kill()]);
    await pools.redis.run();
    expect(await ended(id)).toMatchObject({ state: "done", attempts: 1 });
    expect((await pools.mimikit.task(id)).result).toMatchObject({ text: expect.stringContaining(sha256(bytes)) });
    expect(machine.read("ran.txt")).toBe("ran\n");
    await idle();
  });

  test("the output of a run comes home whole, also where all are killed while it does", async () => {
    const id = await order("head -c 9000000 /dev/urandom | base64 | tee printed.txt; echo ran >> printed-times.txt");
    await part(join(pools.mimikit.home, `runs/${id}.a1/*.part`));
    await Promise.all([machine.kill(), pools.mimikit.kill("dispatcher"), pools.redis.kill()]);
    await pools.redis.run();
    expect(await ended(id)).toMatchObject({ state: "done", attempts: 1 });
    const { artifact = "" } = (await pools.mimikit.task(id)).result as { artifact?: string };
    expect(artifact).toBe(join(pools.mimikit.home, `runs/${id}.a1/away-1-output.txt`));
    expect(sha256(readFileSync(artifact))).toBe(sha256(readFileSync(join(machine.workDir, "printed.txt"))));
    expect(machine.read("printed-times.txt")).toBe("ran\n");
    const { files } = await pools.mimikit.api<{ files: unknown[] }>(`/api/tasks/${id}/files`);
    expect(files).toContainEqual(expect.objectContaining({ path: artifact, change: "output" }));
    await idle();
  });

  test("the second task of a chain there reads all that the first has printed, and leaves nothing of it behind", async () => {
    const printed = "seq 1 200000";
    const id = await order(`${printed}\` then \`sha256sum; wc -l < "$MIMIKIT_UPSTREAM"`);
    const task = await ended(id.replace(/\.0$/, ".1"));
    const text = Array.from({ length: 200_000 }, (_, n) => `${n + 1}\n`).join("");
    expect(task).toMatchObject({ state: "done", attempts: 1 });
    expect((await pools.mimikit.task(task.id)).result).toMatchObject({
      text: expect.stringContaining(`${sha256(Buffer.from(text))}  -\n200000`),
    });
    await idle();
    expect(globSync(join(machine.home, "runs/*away*"))).toEqual([]);
  });

  test("more than 64 MB of files are refused with what to do, and nothing begins", async () => {
    const files = [];
    for (let i = 0; i < 4; i++) files.push({ id: await upload(randomBytes(17 * MEBIBYTE)), name: `${i}.bin` });
    const task = await ended(await order("echo no > no.txt", files));
    expect(task).toMatchObject({ state: "failed", attempts: 1 });
    expect(task.error).toContain("68 MB, and at most 64 MB go to another machine: send fewer or smaller ones");
    expect(existsSync(join(machine.workDir, "no.txt"))).toBe(false);
  });
});
