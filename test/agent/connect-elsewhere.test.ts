/** A key is sent to the server that it was given for and to no other, wherever the key comes from and however the address changes. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { saveConnection, testConnection } from "@mimikit/agent/connect/connect";
import { webOf } from "@mimikit/agent/web/web";
import { loadConfig } from "@mimikit/runtime/config/config";
import { keepKeys } from "@mimikit/runtime/config/keep-keys";
import { setKey } from "@mimikit/runtime/config/secrets";
import { prepareHome } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { temporaryDirectory } from "../runtime/temporary-home.ts";

const KEY = "sk-owners-real-key-0123456789";

/** A server that answers as an endpoint with one model, and remembers the headers of each request. */
async function serve(redirect?: string): Promise<{ url: string; asked: IncomingHttpHeaders[] }> {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    if (redirect !== undefined) response.writeHead(307, { location: redirect }).end();
    else response.setHeader("content-type", "application/json").end('{"data":[{"id":"m"}],"models":[]}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

function emptyHome() {
  const home = join(temporaryDirectory(), "home");
  prepareHome(home);
  return home;
}
const tryIt = (home: string, env: Record<string, string>, wanted: object) =>
  testConnection({ provider: "openai", ...wanted }, { home, env, workDir: home }, AbortSignal.timeout(20_000));
const keysIn = (asked: IncomingHttpHeaders[]) => JSON.stringify(asked).split(KEY).length - 1;

test.each([
  ["openai", "OPENAI_API_KEY"],
  ["anthropic", "ANTHROPIC_API_KEY"],
  ["google", "GEMINI_API_KEY"],
  ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ["azure", "AZURE_OPENAI_API_KEY"],
  ["openrouter", "OPENROUTER_API_KEY"],
])("a trial of %s at another address gets neither the key of %s nor the kept one", async (provider, variable) => {
  const { url, asked } = await serve();
  const home = emptyHome();
  await setKey(home, provider, KEY);
  await tryIt(home, { [variable]: KEY }, { provider, baseUrl: url, model: "m" });
  expect(asked.length).toBeGreaterThan(0);
  expect(keysIn(asked)).toBe(0);
  // One that is given with the address is for it.
  await tryIt(home, { [variable]: "sk-another-0123456789" }, { provider, baseUrl: url, key: KEY });
  expect(keysIn(asked)).toBe(1);
});

test("the key of a variable is for the address that is in force", async () => {
  const [here, other] = [await serve(), await serve()];
  const env = { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: here.url };
  const home = emptyHome();
  await tryIt(home, env, {});
  await tryIt(home, env, { baseUrl: `${here.url}/` });
  expect(keysIn(here.asked)).toBe(2);
  await expect(tryIt(home, env, { baseUrl: other.url })).resolves.toBeDefined();
  expect(keysIn(other.asked)).toBe(0);
  const fs = openDisk(home, "test", () => undefined);
  const wanted = { provider: "openai", baseUrl: other.url, model: "m" };
  await expect(saveConnection(wanted, { home, env: { OPENAI_API_KEY: KEY }, fs })).rejects.toThrow("OPENAI_API_KEY");
});

test("a kept key follows no change of the address: not of the file, not of a variable", async () => {
  const [here, other] = [await serve(), await serve()];
  const home = emptyHome();
  const set = (url: string) => writeFileSync(join(home, "config.yaml"), `openai: { baseUrl: "${url}" }\n`);
  set(here.url);
  await setKey(home, "openai", KEY, new URL(here.url).origin);
  expect(loadConfig(home, {}).keys).toEqual({ openai: KEY });
  set(other.url);
  const moved = loadConfig(home, {});
  expect(moved.keys).toEqual({});
  expect(moved.problems).toEqual([expect.stringContaining("the saved key of openai belongs to another address")]);
  await tryIt(home, {}, { model: "m" });
  expect(keysIn(other.asked)).toBe(0);
  expect(loadConfig(home, { OPENAI_BASE_URL: here.url }).keys).toEqual({ openai: KEY });
  set(here.url);
  expect(loadConfig(home, { OPENAI_BASE_URL: other.url }).keys).toEqual({});
  await tryIt(home, {}, {});
  expect(keysIn(here.asked)).toBe(1);
});

test("the key of a search engine follows no change of its address", async () => {
  const home = emptyHome();
  const set = (search: string) => writeFileSync(join(home, "config.yaml"), `web: { search: { ${search} } }\n`);
  set("engine: brave");
  await keepKeys(home, { BRAVE_API_KEY: KEY });
  const keyOf = () => {
    const { config, keys } = loadConfig(home, {});
    return webOf(config, { env: {}, keys }).search?.apiKey;
  };
  expect(keyOf()).toBe(KEY);
  set('engine: brave, url: "http://127.0.0.1:1/search"');
  expect(keyOf()).toBeUndefined();
});

test("a key of an earlier version is for the address that is in force at the next start", async () => {
  const home = emptyHome();
  await setKey(home, "openai", KEY);
  await keepKeys(home, {});
  writeFileSync(join(home, "config.yaml"), 'openai: { baseUrl: "http://127.0.0.1:1/v1" }\n');
  expect(loadConfig(home, {}).keys).toEqual({});
});

test("no redirect takes a key to another server, in whatever header it is", async () => {
  for (const provider of ["openai", "anthropic", "google", "azure"]) {
    const other = await serve();
    const here = await serve(other.url);
    const home = emptyHome();
    await tryIt(home, {}, { provider, baseUrl: here.url, key: KEY, model: "m" });
    expect(keysIn(here.asked)).toBeGreaterThan(0);
    expect(other.asked).toEqual([]);
  }
});

test("the command uses the key of its shell for no other address", async () => {
  const { url, asked } = await serve();
  const home = emptyHome();
  const place = { home, workDir: temporaryDirectory() };
  const line = ["connect", "openai", "--url", url, "--model", "m"];
  const said = await runCli(place, line, "", { OPENAI_API_KEY: KEY });
  expect(asked.length).toBeGreaterThan(0);
  expect(keysIn(asked)).toBe(0);
  expect(said.code).toBe(1);
  expect(JSON.stringify(loadConfig(home, {}))).not.toContain(KEY);
});
