/** The routes of Web Push, without a push service: who may subscribe, and with what. The pushes themselves are in test/e2e/push.test.ts. */
import { createECDH, randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forgetSignedIn } from "@mimikit/runtime/home/adoption";
import { expect, test } from "vitest";
import { Device } from "../../support/device.ts";
import { startGateway } from "../gateway.ts";

function addressAt(endpoint: string) {
  const p256dh = createECDH("prime256v1").generateKeys("base64url");
  return { endpoint, keys: { p256dh, auth: randomBytes(16).toString("base64url") } };
}
const ENDPOINT = "https://push.invalid/abc";

async function subscribe(device: Device, subscription: unknown = addressAt(ENDPOINT)) {
  return device.ask("POST", "/api/push", { subscription, language: "en" });
}

test("a browser that is signed in can be notified, is listed so, and can end it; a script cannot be notified", async () => {
  const gateway = await startGateway();
  const device = await Device.pair(gateway);
  const other = await Device.pair(gateway);
  const key = await device.ask("POST", "/api/push/key", {});
  expect(key).toMatchObject({ status: 200, json: { publicKey: expect.stringMatching(/^[\w-]{87}$/) } });
  expect(await other.ask("POST", "/api/push/key", {})).toEqual(key);
  expect((await subscribe(device)).status).toBe(200);
  expect((await device.ask("GET", "/api/devices")).json).toMatchObject({
    devices: expect.arrayContaining([
      expect.objectContaining({ id: device.id, push: { refused: null } }),
      expect.objectContaining({ id: other.id, push: null }),
    ]),
  });
  expect((await gateway.post("/api/push", { subscription: addressAt(ENDPOINT), language: "en" })).status).toBe(409);
  expect((await other.ask("DELETE", "/api/push")).status).toBe(404);
  expect((await other.ask("POST", "/api/push/test", {})).status).toBe(404);
  expect((await device.ask("DELETE", "/api/push")).status).toBe(200);
  expect(gateway.names("push")).toEqual(["keys.json"]);
});

test("an address is https and bounded, and its key a point of the curve; nothing else is kept", async () => {
  const gateway = await startGateway();
  const device = await Device.pair(gateway);
  const good = addressAt(ENDPOINT);
  const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString("base64url");
  for (const wrong of [
    { ...good, endpoint: "http://push.invalid/abc" },
    { ...good, endpoint: "javascript:alert(1)" },
    { ...good, endpoint: `${ENDPOINT}${"x".repeat(2_048)}` },
    { ...good, keys: { ...good.keys, p256dh: offCurve } },
    { ...good, keys: { ...good.keys, auth: "short" } },
    { endpoint: ENDPOINT },
  ])
    expect((await subscribe(device, wrong)).status).toBe(400);
  expect(gateway.names("push").filter((name) => name !== "keys.json")).toEqual([]);
});

test("signing out, here or from another device, ends the subscription too", async () => {
  const gateway = await startGateway();
  const [device, other] = [await Device.pair(gateway), await Device.pair(gateway)];
  for (const each of [device, other]) await subscribe(each);
  await other.ask("DELETE", `/api/devices/${device.id}`);
  expect(gateway.names("push").sort()).toEqual([`${other.id}.json`, "keys.json"].sort());
  await other.ask("POST", "/api/sign-out", {});
  expect(gateway.names("push")).toEqual(["keys.json"]);
});

test("a subscription without its session, and a file that is none, notify nobody after a start", async () => {
  const first = await startGateway();
  const device = await Device.pair(first);
  await subscribe(device);
  await first.close();
  rmSync(join(first.home, "sessions/web", `${device.id}.json`));
  writeFileSync(join(first.home, "push/strange.json"), "{}");
  const second = await startGateway({ home: first.home });
  await expect.poll(() => second.names("push").sort()).toEqual(["keys.json", "strange.json"]);
  expect(second.logged.join("\n")).toContain("a subscription cannot be read");
});

test("an answer without a proof of ours is a wrong credential, whether or not anything was ever pushed", async () => {
  const gateway = await startGateway();
  const device = await Device.pair(gateway);
  const body = { questionId: "t-000001.0", option: 0, proof: "A".repeat(43) };
  expect((await device.askAsWorker("/api/push/answer", body)).status).toBe(401);
  await subscribe(device);
  expect((await device.askAsWorker("/api/push/answer", body)).status).toBe(401);
  expect((await gateway.post("/api/push/answer", body, { signedIn: false })).status).toBe(401);
});

test("a state directory that is not adopted notifies nobody, and forgets who was subscribed", async () => {
  const gateway = await startGateway({ adopted: false });
  const device = await Device.pair(gateway);
  expect((await device.ask("POST", "/api/push/key", {})).status).toBe(409);
  expect((await subscribe(device)).status).toBe(409);
  mkdirSync(join(gateway.home, "push"));
  writeFileSync(join(gateway.home, "push/keys.json"), "{}");
  forgetSignedIn(gateway.home);
  expect(() => gateway.names("push")).toThrow("ENOENT");
});
