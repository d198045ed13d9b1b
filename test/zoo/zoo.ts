/** Starts the scripted server of a vendor, and creates the provider that asks it. */
import dns from "node:dns";
import type { ServerResponse } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { Provider } from "@mimikit/agent/provider";
import { TABLE } from "@mimikit/agent/providers/index";
import type { Role } from "@mimikit/protocol/base/role";
import { Config } from "@mimikit/runtime/config/config";
import { openStream, type Utterance } from "../support/model-server/wire.ts";
import { ModelServer, type SentRequest } from "../support/model-server.ts";
import { HOSTED } from "./hosted.ts";
import { OWN } from "./own.ts";
import { refusalOf, type Vendor } from "./vendor.ts";

export const VENDORS: readonly Vendor[] = [...HOSTED, ...OWN];
/** Tokens. */
const LARGE_WINDOW = 32_768;
const KEY = "sk-zoo-0123456789";

/** Resolves the vendors' host names to loopback, until the returned function is called. */
export function leadHome(): () => void {
  const hosts = new Set(VENDORS.map(({ host }) => host));
  const { lookup } = dns;
  const led = (host: string, ...rest: unknown[]) =>
    Reflect.apply(lookup, dns, [hosts.has(host) ? "127.0.0.1" : host, ...rest]);
  dns.lookup = Object.assign(led, lookup);
  syncBuiltinESMExports();
  return () => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  };
}

export interface Resident {
  vendor: Vendor;
  server: ModelServer;
  baseUrl: string;
  key: string | undefined;
  /** @param window the context window in tokens; as the settings and the model have it if not given. */
  provider: (role: Role, home: string, window?: number) => Promise<Provider>;
}

export async function resident(vendor: Vendor): Promise<Resident> {
  const { name, provider: id, host, base, wire = "/v1", model, key, refuses, models, serves = {}, says } = vendor;
  const server = await ModelServer.start();
  const baseUrl = `http://${host}:${new URL(server.url).port}${base}`;
  server.route = (path) => (path.startsWith(`${base}/`) ? `${wire}${path.slice(base.length)}` : path);
  server.demandsThoughts = wire === "/v1beta" || id === "anthropic";
  server.seal = (n) => Buffer.from(`zoo ${name.split(" ")[0]} ${n}`).toString("base64");
  server.refuse = (request) => {
    if (key !== null && request.headers[key[0]] !== `${key[1]}${KEY}`)
      return refusalOf(vendor, { status: 401, message: "Incorrect API key provided" });
    if (request.method !== "POST") return null;
    const objection = refuses.map((rule) => rule.objects(request)).find((each) => each !== null);
    return objection === undefined ? null : refusalOf(vendor, objection);
  };
  server.serve = ({ method, path }: SentRequest) => {
    if (path in serves) return { status: 200, body: serves[path] };
    if (method === "GET" && path === `${wire}/models` && models !== null) return { status: 200, body: models };
    return null;
  };
  if (says !== undefined) server.speech = (response, utterance) => speak(response, says(utterance), utterance);
  return {
    vendor,
    server,
    baseUrl,
    key: key === null ? undefined : KEY,
    provider: (role, home, window) => {
      const { settings = {} } = vendor;
      // Endpoints without settings of their own share those of `openai`.
      const shared = id === "anthropic" || id === "google" ? id : "openai";
      const of = (name: string) => settings[name] as object | undefined;
      // Of a small window an answer does not take half.
      const sized = {
        contextWindow: window,
        ...(window !== undefined && window < LARGE_WINDOW && { reservedOutput: 2_048 }),
      };
      const config = Config.parse({
        ...settings,
        model,
        [shared]: { ...of(shared), ...sized },
        [id]: { ...of(id), ...(id === shared && sized), baseUrl },
      });
      return TABLE[id].create(role, config, { home, env: {}, keys: key === null ? {} : { [id]: KEY } });
    },
  };
}

function speak(response: ServerResponse, events: readonly (object | string)[], { withoutUsage }: Utterance): void {
  openStream(response);
  for (const event of events) {
    if (withoutUsage === true && typeof event === "object" && "usage" in event) continue;
    response.write(typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}
