/** The browsers that are signed in: how they are listed, added and signed out (docs/security.md#signing-in). */
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Device, PairingAnswer } from "@mimikit/protocol/wire/api";
import { createPairing } from "@mimikit/runtime/home/pairing";
import { expect, test } from "vitest";
import { deviceName } from "../../../apps/http-gateway/src/auth/device-name.ts";
import { open } from "../client.ts";
import { type Ask, type Started, startGateway } from "../gateway.ts";

interface Browser {
  cookie: string;
  secret: string;
  as: Ask & { headers: Record<string, string> };
}

async function pairBrowser(gateway: Started, userAgent = ""): Promise<Browser> {
  const { code } = await createPairing(gateway.home);
  const answer = await gateway.post("/api/pair", { code }, { signedIn: false, headers: { "User-Agent": userAgent } });
  expect(answer.status).toBe(200);
  const cookie = answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const { secret } = answer.json as { secret: string };
  return { cookie, secret, as: { signedIn: false, headers: { Cookie: cookie, "X-Mimikit-Secret": secret } } };
}

async function devicesOf(gateway: Started, as: Ask = {}): Promise<Device[]> {
  return ((await gateway.ask("/api/devices", as)).json as { devices: Device[] }).devices;
}

const ANDROID = "Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0";
const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15";

test("the browsers that are signed in are listed by name, the one that was seen last first", async () => {
  const gateway = await startGateway();
  const phone = await pairBrowser(gateway, ANDROID);
  await pairBrowser(gateway, MAC);
  for (const [index, name] of gateway.names("sessions/web").entries()) {
    const atSec = Date.parse(`2026-11-0${index + 1}T00:00:00Z`) / 1_000;
    utimesSync(join(gateway.home, "sessions/web", name), atSec, atSec);
  }
  const all = await devicesOf(gateway, phone.as);
  expect(all.map(({ name, isThis }) => [name, isThis])).toEqual([
    ["Firefox on Android", true],
    ["Safari on Mac", false],
  ]);
  // The request itself was a visit of the phone.
  expect(Date.parse(all[0]?.seenAt ?? "")).toBeGreaterThan(Date.now() - 60_000);
  expect(all[1]?.seenAt).toMatch(/^2026-11-0[12]T00:00:00/);
});

test("a browser signs another one out, with its sockets, and stays signed in itself", async () => {
  const gateway = await startGateway();
  const [mine, lost] = [await pairBrowser(gateway), await pairBrowser(gateway)];
  const socket = await open(gateway, { headers: { Cookie: lost.cookie } });
  socket.send({ type: "hello", token: lost.secret });
  await socket.next("snapshot");
  const other = (await devicesOf(gateway, mine.as)).find(({ isThis }) => !isThis);
  const path = `/api/devices/${other?.id}`;
  expect((await gateway.ask(path, { ...mine.as, method: "DELETE" })).status).toBe(200);
  expect(await socket.closed).toBe(1008);
  expect((await gateway.ask("/api/status", lost.as)).status).toBe(401);
  expect((await gateway.ask("/api/status", mine.as)).status).toBe(200);
  expect((await gateway.ask(path, { ...mine.as, method: "DELETE" })).status).toBe(404);
});

test("a session of an earlier version has no name, and one that is no session is not listed", async () => {
  const gateway = await startGateway();
  await pairBrowser(gateway, ANDROID);
  const [name = ""] = gateway.names("sessions/web");
  const path = join(gateway.home, "sessions/web", name);
  const { name: _, ...nameless } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify(nameless));
  writeFileSync(join(gateway.home, "sessions/web", `${"0".repeat(64)}.json`), "{}");
  expect((await devicesOf(gateway)).map((device) => device.name)).toEqual([null]);
});

test.each([
  [ANDROID, "Firefox on Android"],
  [MAC, "Safari on Mac"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
    "Chrome on iPhone",
  ],
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 OPR/120.0",
    "Opera on Linux",
  ],
  ["curl/8.14.1", "a browser"],
  [undefined, "a browser"],
])("%s is called %s", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});

test("a browser that is signed in adds another one, by either code, and a stranger adds none", async () => {
  const gateway = await startGateway({ config: { publicUrl: "https://mimi.example/assistant" } });
  const mine = await pairBrowser(gateway);
  for (const which of ["code", "typed"] as const) {
    const answer = await gateway.post("/api/pairings", {}, mine.as);
    expect(answer.status).toBe(201);
    const pairing = answer.json as PairingAnswer;
    expect(pairing.publicUrl).toBe("https://mimi.example/assistant");
    expect(Date.parse(pairing.expiresAt)).toBeGreaterThan(Date.now());
    expect((await gateway.post("/api/pair", { code: pairing[which] }, { signedIn: false })).status).toBe(200);
  }
  expect((await gateway.post("/api/pairings", {}, { signedIn: false })).status).toBe(401);
  expect(gateway.logged.filter((line) => line.includes("pairing_created"))).toHaveLength(2);
});

test("the zone of the browser that was signed in last is the owner's, and moves no trigger that is there", async () => {
  const gateway = await startGateway();
  const greet = async (timeZone: string, { cookie, secret }: Pick<Browser, "cookie" | "secret">) => {
    const socket = await open(gateway, { headers: { Cookie: cookie } });
    socket.send({ type: "hello", token: secret, timeZone });
    await socket.next("snapshot");
    // The next frame is answered when the hello is done.
    socket.send({ type: "hello" });
    await socket.next("error");
  };
  const zoneOfNew = async (): Promise<string> => {
    const body = { cron: "0 0 9 * * *", prompt: "stretch" };
    expect((await gateway.post("/api/triggers", body)).status).toBe(202);
    const all = gateway.names("inbox").map((name) => readFileSync(join(gateway.home, "inbox", name), "utf8"));
    const zones = all.map((text) => JSON.parse(text).definition.when.schedule.timezone as string);
    return zones.toSorted().join();
  };
  const browser = await pairBrowser(gateway);
  await greet("Australia/Sydney", browser);
  expect(await zoneOfNew()).toBe("Australia/Sydney");
  await greet("Asia/Tokyo", browser);
  expect(await zoneOfNew()).toBe("Asia/Tokyo,Australia/Sydney");
  // A program is at home wherever it runs, and a zone that there is not is none.
  await greet("Europe/Berlin", { cookie: "", secret: gateway.token });
  await greet("Mars/Olympus", browser);
  expect(await zoneOfNew()).toBe("Asia/Tokyo,Asia/Tokyo,Australia/Sydney");
});
