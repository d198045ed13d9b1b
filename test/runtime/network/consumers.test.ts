/**
 * Everything that asks other machines, each by its own function: it goes through the proxy, and a refusal of the proxy is told as the
 * proxy's. No request is made in another way than by `fetch`, but where this list says so.
 */
import { createECDH, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, relative } from "node:path";
import { askOllama } from "@mimikit/agent/connect/ask-ollama";
import { TRIAL_REQUEST } from "@mimikit/agent/connect/trial-request";
import { McpConnection } from "@mimikit/agent/mcp/connection";
import { logIn } from "@mimikit/agent/mcp/log-in";
import { searchWeb } from "@mimikit/agent/web/search-web";
import { useProxy } from "@mimikit/runtime/network/use-proxy";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import webPush from "web-push";
import { ntfy } from "../../../apps/channels/src/channels/ntfy.ts";
import { telegram } from "../../../apps/channels/src/channels/telegram.ts";
import { deliver } from "../../../apps/http-gateway/src/push/deliver.ts";
import { callUrl } from "../../../apps/worker-pool/src/hooks/call-url.ts";
import type { Model } from "../../../packages/agent/src/kernel/model.ts";
import { anthropicModel } from "../../../packages/agent/src/providers/anthropic/index.ts";
import { listModels } from "../../../packages/agent/src/providers/endpoint/list-models.ts";
import { googleModel } from "../../../packages/agent/src/providers/google/index.ts";
import { chatCompletions } from "../../../packages/agent/src/providers/openai/chat-completions.ts";
import { temporaryDirectory } from "../../agent/fixtures.ts";
import { HttpProxy } from "../../support/http-proxy.ts";

const ROOT = join(import.meta.dirname, "../../..");
const HOST = "far.vendor.test";
const AT = `http://${HOST}`;
const signal = AbortSignal.timeout(60_000);

const place = { apiKey: "key-of-the-test", model: "m", firstByteMs: 20_000, idleMs: 20_000, retryDelaysMs: [] };
const last = async (model: Model) => {
  let said = "";
  for await (const event of model.ask(TRIAL_REQUEST, signal)) if (event.type === "failure") said = event.message;
  return said;
};
const message = (error: unknown) => (error instanceof Error ? error.message : String(error));
const failing = (work: Promise<unknown>) => work.then(() => "", message);

function browser() {
  const keys = createECDH("prime256v1");
  return { p256dh: keys.generateKeys("base64url"), auth: randomBytes(16).toString("base64url") };
}

async function channel(kind: typeof telegram | typeof ntfy, fields: Record<string, string>) {
  return kind.open({ server: AT, ...fields });
}
const bot = () => channel(telegram, { token: `123456789:${"a".repeat(35)}` });
const topics = () => channel(ntfy, { topic: "notices", listen: "words" });
const read = async (pieces: AsyncIterable<Uint8Array>) => {
  for await (const _ of pieces);
};
const part = { id: "o-1", text: "told", isUrgent: false } as never;

/** Each asks once, and returns its failure in words: empty where it tells none. */
const CONSUMERS: Record<string, () => Promise<string>> = {
  "Chat Completions": () => last(chatCompletions({ ...place, id: "openai", tokensMax: 8_000, baseUrl: `${AT}/v1` })),
  "the wire of Anthropic": () => last(anthropicModel({ ...place, id: "anthropic", baseUrl: `${AT}/v1` } as never)),
  "the wire of Google": () => last(googleModel({ ...place, id: "google", baseUrl: `${AT}/v1beta` } as never)),
  "a list of models": async () => {
    const list = await listModels("chat", { baseUrl: `${AT}/v1` }, signal);
    return Array.isArray(list) ? "" : list.message;
  },
  "a search": () => failing(searchWeb({ engine: "searxng", url: AT }, "words", 1, signal)),
  "a call of a hook": async () => {
    const event = { id: "e-1", event: {} } as never;
    return (await callUrl(AT, event, { signing: null, headers: {} }, 0, signal)).detail;
  },
  "a push": async () => {
    const { publicKey, privateKey } = webPush.generateVAPIDKeys();
    const said = await deliver(
      { address: { endpoint: `${AT}/push`, keys: browser() } as never, origin: "https://mimikit.example" },
      { publicKey, privateKey } as never,
      { payload: "told", ttlSec: 60, urgency: "normal", topic: "t" },
      signal,
    );
    return "reason" in said ? said.reason : "";
  },
  "a call of Telegram": async () => failing((await bot()).about(signal)),
  "a message to Telegram": async () => JSON.stringify(await (await bot()).send("1", part, signal)),
  "a file of Telegram": async () =>
    failing(read((await bot()).fetchFile?.("ref", signal) ?? (async function* () {})())),
  "the stream of ntfy": async () => failing((await topics()).poll("1", signal)),
  "a message to ntfy": async () => JSON.stringify(await (await topics()).send("notices", part, signal)),
  "a file of ntfy": async () =>
    failing(read((await topics()).fetchFile?.(`${AT}/file/a.txt`, signal) ?? (async function* () {})())),
  "an MCP server": async () => {
    const home = temporaryDirectory();
    const options = { name: "it", home, workDir: home, env: {}, sandbox: () => "off" as const, onChange: () => {} };
    const connection = new McpConnection({ ...options, server: { url: `${AT}/mcp` } });
    onTestFinished(() => connection.close());
    return failing(connection.ready(signal));
  },
  "a login to an MCP server": () =>
    failing(logIn({ home: temporaryDirectory(), name: "it", url: `${AT}/mcp`, show: () => {} }, signal)),
};

afterEach(() => useProxy({}, {}));

describe.each(Object.entries(CONSUMERS))("%s", (_name, ask) => {
  test("goes through the proxy, and to no other place", async () => {
    const server = createServer((_request, response) => response.writeHead(404).end("{}"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const proxy = await HttpProxy.start({ routes: { [`${HOST}:80`]: (server.address() as AddressInfo).port } });
    onTestFinished(() => proxy.stop());
    useProxy({}, { http_proxy: proxy.url });
    await ask();
    expect(proxy.targets.length).toBeGreaterThan(0);
    expect(proxy.targets.filter((target) => !target.startsWith(AT))).toEqual([]);
  });

  test("says that it is the proxy that wants a login", async () => {
    const proxy = await HttpProxy.start({ login: "me:word" });
    onTestFinished(() => proxy.stop());
    useProxy({}, { HTTP_PROXY: proxy.url });
    expect(await ask()).toContain(`the proxy ${proxy.url} wants a name and a password (HTTP 407)`);
  });
});

test("Ollama elsewhere is asked through the proxy, and an Ollama of this machine is not", async () => {
  const proxy = await HttpProxy.start();
  onTestFinished(() => proxy.stop());
  useProxy({ url: proxy.url }, {});
  await askOllama({ ...place, baseUrl: "http://127.0.0.1:1/v1" }, signal);
  expect(proxy.targets).toEqual([]);
  await askOllama({ ...place, baseUrl: `${AT}/v1` }, signal);
  expect(proxy.targets.length).toBeGreaterThan(0);
});

/** Files that use the network in another way than by fetch, each with its reason. */
const OTHERWISE: Readonly<Record<string, string>> = {
  "apps/cli/src/instance/client.ts": "the gateway, on this machine",
  "packages/agent/src/web/get-page.ts": "it checks the addresses that it connects to, and asks the proxy itself",
  "packages/agent/src/web/get-through.ts": "a page through the proxy",
  "packages/runtime/src/network/tunnel.ts": "the proxy",
  "packages/runtime/src/network/undici-parts.mjs": "the proxy",
};

test("no other file makes requests in another way than by fetch", () => {
  const sources = ["apps", "packages"]
    .flatMap((dir) =>
      readdirSync(join(ROOT, dir), { recursive: true, encoding: "utf8" }).map((name) => join(ROOT, dir, name)),
    )
    .filter((path) => /\/src\/.*\.(tsx?|mjs)$/.test(path) && !/node_modules|\.d\.ts$|apps\/web\//.test(path));
  const found = sources.filter((path) => {
    const text = readFileSync(path, "utf8");
    const imports = [
      ...text.matchAll(/^(?:import|export) (?!type)([^;]*?) from "(?:node:)?(https?|tls|http2|undici[^"]*)";/gms),
    ];
    return imports.some(([, names = "", from = ""]) => from !== "http" || /\b(request|get|http)\b/.test(names));
  });
  expect(found.map((path) => relative(ROOT, path)).sort()).toEqual(Object.keys(OTHERWISE).sort());
});
