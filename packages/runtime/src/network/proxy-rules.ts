/** Which proxy a request goes through: by the settings, or by the variables that other programs know (docs/proxies.md). */
import { BlockList, isIP } from "node:net";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { Environment } from "../home/home.ts";

/** The group `proxy` of the settings. */
export interface ProxySettings {
  url?: string | undefined;
  noProxy?: readonly string[] | undefined;
}

export interface ProxyServer {
  /** http: or https:, with the name and password for it. */
  url: URL;
  /** The setting or variable that names it. */
  from: string;
}

export interface ProxyRules {
  /** For requests to http: addresses; null for none. */
  http: ProxyServer | null;
  /** For requests to https: addresses; null for none. */
  https: ProxyServer | null;
  /** As they were written: the hosts that are reached directly. */
  noProxy: readonly string[];
  /** Addresses of proxies that cannot be used, one line each for people. They do not hold the address. */
  problems: string[];
}

type Scheme = "http" | "https";
/** The first of them that names a usable proxy counts. Without one of its own, https: takes that of http:, as Node does. */
const VARIABLES: Record<Scheme, readonly string[]> = {
  http: ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"],
  https: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy", "HTTP_PROXY"],
};
const NO_PROXY = ["no_proxy", "NO_PROXY"];

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Addresses of this machine. Those of version 4 count as well where they are written as version 6. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("0.0.0.0", "ipv4");
LOOPBACK.addAddress("::1", "ipv6");
LOOPBACK.addAddress("::", "ipv6");

/** `proxy.url` counts before all variables; `proxy.noProxy` before NO_PROXY. */
export function proxyRules({ url, noProxy }: ProxySettings, env: Environment): ProxyRules {
  const problems: string[] = [];
  const set = url === undefined ? null : usable(url, "proxy.url", problems);
  const of = (scheme: Scheme) => {
    const refused: string[] = [];
    const found = VARIABLES[scheme].map((name) => usable(env[name], name, refused)).find((proxy) => proxy !== null);
    // A variable that cannot be used matters only where there is no other.
    if (found === undefined) problems.push(...refused);
    return found ?? null;
  };
  const proxies = url === undefined ? { http: of("http"), https: of("https") } : { http: set, https: set };
  return { ...proxies, noProxy: noProxy ?? listed(env), problems: [...new Set(problems)] };
}

/** The proxy of a request; null where it goes directly. This machine is always reached directly. */
export function proxyOf(url: URL, rules: ProxyRules): ProxyServer | null {
  const proxy = url.protocol === "https:" ? rules.https : url.protocol === "http:" ? rules.http : null;
  if (proxy === null) return null;
  const host = plainHost(url.hostname);
  const port = Number(url.port) || DEFAULT_PORTS[url.protocol];
  return isLoopback(host) || rules.noProxy.some((entry) => matches(entry, host, port)) ? null : proxy;
}

/** The address for people: without a name and a password. */
export function shownProxy({ url }: ProxyServer): string {
  return `${url.protocol}//${url.host}`;
}

/** The passwords, which no log may hold: as they are, and as they stand in the address. */
export function proxySecrets({ http, https }: ProxyRules): string[] {
  return [http, https].flatMap((proxy) =>
    proxy === null ? [] : [proxy.url.password, decoded(proxy.url.password)].filter((text) => text !== ""),
  );
}

/** The value of the header `Proxy-Authorization`; undefined where the address holds no name. */
export function proxyAuthorization({ url: { username, password } }: ProxyServer): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

/** A host without the brackets and the last dot that it may be written with. */
export function plainHost(host: string): string {
  const bare = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
  return (bare.endsWith(".") ? bare.slice(0, -1) : bare).toLowerCase();
}

function usable(text: string | undefined, from: string, problems: string[]): ProxyServer | null {
  const address = text?.trim() ?? "";
  if (address === "") return null;
  // curl and others take a host without a scheme, too.
  const url = URL.parse(address.includes("://") ? address : `http://${address}`);
  if (url === null || url.hostname === "") problems.push(sentence("proxy_invalid", { variable: from }));
  else if (DEFAULT_PORTS[url.protocol] === undefined)
    problems.push(sentence("proxy_unsupported", { variable: from, scheme: url.protocol.slice(0, -1) }));
  else return { url, from };
  return null;
}

function listed(env: Environment): string[] {
  const text = NO_PROXY.map((name) => env[name]).find((value) => value !== undefined && value !== "") ?? "";
  return text.split(/[,\s]/).filter((entry) => entry !== "");
}

function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === "localhost" || host.endsWith(".localhost");
  return LOOPBACK.check(host, version === 4 ? "ipv4" : "ipv6");
}

/** `*`; a name, which stands for the names below it too, also as `.name` and `*.name`; an address; a network: each but the last may have a port. */
function matches(entry: string, host: string, port: number | undefined): boolean {
  if (entry === "*") return true;
  const slash = entry.indexOf("/");
  if (slash > 0) return isWithin(host, entry.slice(0, slash), entry.slice(slash + 1));
  const { name, port: only } = splitPort(entry);
  if (only !== undefined && only !== port) return false;
  const wanted = plainHost(name);
  const below = wanted.startsWith("*.") ? wanted.slice(2) : wanted.startsWith(".") ? wanted.slice(1) : wanted;
  return below !== "" && (host === below || (isIP(host) === 0 && host.endsWith(`.${below}`)));
}

function splitPort(entry: string): { name: string; port?: number } {
  const at = entry.lastIndexOf(":");
  // An address of version 6 has more colons, and no port unless it stands in brackets.
  const hasPort = at > 0 && (entry[at - 1] === "]" || entry.indexOf(":") === at);
  const digits = entry.slice(at + 1);
  return hasPort && /^\d+$/.test(digits) ? { name: entry.slice(0, at), port: Number(digits) } : { name: entry };
}

function isWithin(host: string, net: string, prefix: string): boolean {
  const version = isIP(host);
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (version === 0 || isIP(net) !== version || !(bits <= (version === 4 ? 32 : 128))) return false;
  const list = new BlockList();
  list.addSubnet(net, bits, version === 4 ? "ipv4" : "ipv6");
  return list.check(host, version === 4 ? "ipv4" : "ipv6");
}

/** A percent sign that encodes nothing is itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
