/** Settings are read and set over HTTP, all of a request or nothing of it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsAnswer } from "@mimikit/protocol/wire/api";
import { expect, onTestFinished, test } from "vitest";
import { type Started, startGateway } from "../gateway.ts";

/** Variables of this process are those of the gateway. */
function setVariable(name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  onTestFinished(() => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  });
}

async function started() {
  const gateway = await startGateway();
  setVariable("MIMIKIT_HOME", gateway.home);
  const file = join(gateway.home, "config.yaml");
  return { gateway, file, text: () => readFileSync(file, "utf8") };
}

const patch = (gateway: Started, ...changes: object[]) =>
  gateway.post("/api/settings", { changes }, { method: "PATCH" });

const settingIn = (json: unknown, name: string) =>
  (json as SettingsAnswer).settings.find((setting) => setting.name === name);

test("a setting is saved with its neighbours untouched, is answered as it is then, and null takes it out", async () => {
  const { gateway, file, text } = await started();
  writeFileSync(file, "# mine\nport: 9001\n");
  const saved = await patch(
    gateway,
    { name: "budget.day.costUsd", value: 5 },
    { name: "fallback", value: ["offline"] },
  );
  expect(saved.status).toBe(200);
  expect(settingIn(saved.json, "budget.day.costUsd")).toMatchObject({ value: 5, source: "file", default: null });
  expect(text()).toBe("# mine\nport: 9001\nbudget:\n  day:\n    costUsd: 5\nfallback: [ offline ]\n");
  const taken = await patch(gateway, { name: "budget.day.costUsd", value: null }, { name: "fallback", value: null });
  expect(settingIn(taken.json, "fallback")).toMatchObject({ value: [], source: "default" });
  expect(text()).toBe("# mine\nport: 9001\n");
  expect((await gateway.ask("/api/settings")).json).toEqual(taken.json);
});

test("what cannot be is refused with the field's own words, and nothing of the request is saved", async () => {
  const { gateway, file, text } = await started();
  writeFileSync(file, "# mine\n");
  const good = { name: "retryDelaySec", value: 5 };
  for (const [change, message] of [
    [{ name: "budget.day.costUsd", value: -1 }, /^budget\.day\.costUsd: must be more than 0$/],
    [{ name: "maxConcurency", value: 2 }, /did you mean maxConcurrency\?/],
    [{ name: "port" }, /^changes\.1\.value: /],
  ] as const) {
    const refused = await patch(gateway, good, change);
    expect(refused).toMatchObject({ status: 400, json: { error: { message: expect.stringMatching(message) } } });
  }
  expect(text()).toBe("# mine\n");
});

test("a variable wins: what it has set is refused with its name, and so is a file that is broken", async () => {
  const { gateway, file, text } = await started();
  setVariable("MIMIKIT_MAX_CONCURRENCY", "2");
  const refused = await patch(gateway, { name: "maxConcurrency", value: 4 });
  expect(refused).toMatchObject({
    status: 409,
    json: { error: { message: expect.stringContaining("MIMIKIT_MAX_CONCURRENCY") } },
  });
  const shown = settingIn((await gateway.ask("/api/settings")).json, "maxConcurrency");
  expect(shown).toMatchObject({ value: 2, source: "environment", variable: "MIMIKIT_MAX_CONCURRENCY" });
  writeFileSync(file, "port: [\n");
  expect((await patch(gateway, { name: "retryDelaySec", value: 4 })).status).toBe(409);
  expect(text()).toBe("port: [\n");
});
