import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Identity } from "@mimikit/protocol/records/claim";
import { homeHash, prepareHome } from "@mimikit/runtime/home/home";
import { isAlive } from "@mimikit/runtime/process/identity";
import { claimSingleton, isSingletonClaimed } from "@mimikit/runtime/process/singleton";
import { expect, onTestFinished, test } from "vitest";
import { type Started, startProcess } from "../start-process.ts";
import { temporaryHome } from "../temporary-home.ts";

const ROUNDS = 50;

async function held(contender: Started): Promise<{ contender: Started; identity: Identity }> {
  for (;;) {
    const line = JSON.parse(await contender.nextLine()) as { waits: true } | Identity;
    if ("pid" in line) return { contender, identity: line };
  }
}

test(`in ${ROUNDS} rounds of killing the holder there is never a second one, and always a next one`, {
  timeout: 120_000,
}, async () => {
  const home = temporaryHome();
  const contend = () => {
    const contender = startProcess("hold-singleton", [home]);
    const holds = held(contender);
    // Those that still wait at the end of the test are killed without ever having held it.
    holds.catch(() => undefined);
    return { contender, holds };
  };
  const contenders = [contend(), contend()];
  for (let round = 0; round < ROUNDS; round++) {
    const holder = await Promise.race(contenders.map(({ holds }) => holds));
    const others = contenders.filter(({ contender }) => contender !== holder.contender);
    for (const { contender } of others) expect(contender.lines.some((line) => line.includes("pid"))).toBe(false);
    expect(await claimSingleton(home, "supervisor")).toBe(false);
    expect(isAlive(holder.identity)).toBe(true);

    holder.contender.process.kill("SIGKILL");
    await holder.contender.ended;
    expect(isAlive(holder.identity)).toBe(false);
    contenders.splice(0, contenders.length, ...others, contend());
  }
});

test("each role of each home has a claim of its own", async () => {
  const [one, other] = [temporaryHome(), temporaryHome()];
  expect(await claimSingleton(one, "supervisor")).toBe(true);
  expect(await claimSingleton(one, "supervisor")).toBe(false);
  expect(await claimSingleton(one, "workers")).toBe(true);
  expect(await claimSingleton(other, "supervisor")).toBe(true);
});

test.runIf(process.platform === "linux" && process.env.MIMIKIT_PLATFORM !== "portable")(
  "another user cannot claim a role by the path of the home",
  async () => {
    const home = temporaryHome();
    for (const name of [homeHash(home), createHash("sha256").update(home).digest("hex").slice(0, 32)]) {
      const squatter = createServer();
      onTestFinished(() => void squatter.close());
      await once(squatter.listen(`\0mimikit-${name}-supervisor`), "listening");
    }
    expect(await claimSingleton(home, "supervisor")).toBe(true);
  },
);

test.runIf(process.platform === "linux" && process.env.MIMIKIT_PLATFORM !== "portable")(
  "the name of the socket is 128 bits of an HMAC with the token, and another one after the token has changed",
  async () => {
    const home = temporaryHome();
    const bound = () =>
      [...readFileSync("/proc/net/unix", "utf8").matchAll(/@mimikit-(\w+)-supervisor$/gm)].map(([, name]) => name);
    const ofToken = () =>
      createHmac("sha256", readFileSync(join(home, "token"), "utf8").trim())
        .update(`singleton ${homeHash(home)}`)
        .digest("hex")
        .slice(0, 32);
    const first = ofToken();
    expect(await claimSingleton(home, "supervisor")).toBe(true);
    expect(bound()).toContain(first);
    rmSync(join(home, "token"));
    prepareHome(home);
    const second = ofToken();
    expect(second).not.toBe(first);
    expect(bound()).not.toContain(second);
    expect(await claimSingleton(home, "supervisor")).toBe(true);
    expect(bound()).toContain(second);
  },
);

test("a living role with a record is the only one, whatever its socket is called", async () => {
  const home = temporaryHome();
  const holder = startProcess("hold-singleton", [home]);
  const { identity } = await held(holder);
  const other = temporaryHome();
  writeFileSync(
    join(other, "locks/supervisor.json"),
    JSON.stringify({ ...identity, startedAt: new Date().toISOString(), version: "0.2.0" }),
  );
  expect(await claimSingleton(other, "supervisor")).toBe(false);
  expect(await claimSingleton(other, "workers")).toBe(true);
  holder.process.kill("SIGKILL");
  await holder.ended;
  expect(await claimSingleton(other, "supervisor")).toBe(true);
});

test("one that stands still keeps it, however long", async () => {
  const home = temporaryHome();
  const holder = startProcess("hold-singleton", [home]);
  await held(holder);
  holder.process.kill("SIGSTOP");
  for (let look = 0; look < 200; look++) expect(await claimSingleton(home, "supervisor")).toBe(false);
  expect(await isSingletonClaimed(home, "supervisor")).toBe(true);
  expect(await isSingletonClaimed(home, "gateway")).toBe(false);
});

test("the one that waits says so once, and takes over when the other is gone", async () => {
  const home = temporaryHome();
  const first = startProcess("hold-singleton", [home]);
  await held(first);
  const second = startProcess("hold-singleton", [home]);
  expect(await second.nextLine()).toBe('{"waits":true}');
  first.process.kill("SIGKILL");
  const { identity } = await held(second);
  expect(identity.pid).toBe(second.process.pid);
  expect(second.lines).toHaveLength(2);
});
