/**
 * Sends the requests of this process through the proxy of its settings or variables: `fetch` is the one place that all of them pass
 * (docs/decisions/0071-one-place-for-proxies.md). Without a proxy it is Node's own, and nothing is loaded for it.
 */
import type { Environment } from "../home/home.ts";
import { programOf } from "../home/programs.ts";
import { type ProxyRules, type ProxyServer, type ProxySettings, proxyOf, proxyRules } from "./proxy-rules.ts";

const DIRECT: ProxyRules = { http: null, https: null, noProxy: [], problems: [] };
/** Programs that are started are told to reach this machine directly, as this process does. */
const THIS_MACHINE = ["localhost", "127.0.0.1", "::1"];

const direct = globalThis.fetch;
let rules = DIRECT;

/** From now on, requests go as these settings and variables say. It may be called again, when they have changed. */
export function useProxy(settings: ProxySettings, env: Environment): void {
  rules = proxyRules(settings, env);
  globalThis.fetch = isProxied() ? proxiedFetch : direct;
}

/** The first request, if there is one, finds out whether there is a proxy. @param find calls `useProxy`. */
export function useProxyLater(find: () => Promise<void>): void {
  globalThis.fetch = async (...asked) => {
    await find();
    return fetch(...asked);
  };
}

/** The proxy of a request to `url`; null where it goes directly. */
export function currentProxyOf(url: URL): ProxyServer | null {
  return proxyOf(url, rules);
}

/**
 * The variables that send a program that is started through the same proxy: none where that is named by variables, which it may
 * inherit. @param isTrusted false: the program must not learn the password, so that it is not told of a proxy that has one.
 */
export function proxyVariables(isTrusted: boolean): Record<string, string> {
  const { https: proxy, noProxy } = rules;
  if (proxy?.from !== "proxy.url" || (!isTrusted && proxy.url.password !== "")) return {};
  const href = proxy.url.href.replace(/\/$/, "");
  const values = { HTTP_PROXY: href, HTTPS_PROXY: href, NO_PROXY: [...THIS_MACHINE, ...noProxy].join(",") };
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}

function isProxied(): boolean {
  return rules.http !== null || rules.https !== null;
}

const proxiedFetch: typeof fetch = async (input, init) => {
  // It was taken while there was a proxy.
  if (!isProxied()) return direct(input, init);
  const { fetchThrough }: typeof import("./fetch-through.ts") = await import(programOf("fetch-through"));
  return fetchThrough(direct, currentProxyOf, input, init);
};
