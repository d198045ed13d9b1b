/** The failures of a proxy, in words for people: each says what to do. */
import { sentence } from "@mimikit/protocol/texts/coded";
import { type ProxyServer, shownProxy } from "./proxy-rules.ts";

const AUTHENTICATION_REQUIRED = 407;
/** From here on it would connect, and could not: squid and tinyproxy say 500 of a name that they cannot look up. */
const UNREACHED = 500;
/** A certificate that no known authority has signed: by the names of OpenSSL. */
const UNTRUSTED: ReadonlySet<string> = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
]);

/** The proxy's fault, not that of the server behind it. Nothing of the request has reached that server. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** The proxy is not there, or it cannot reach the host: another try may do better. */
  readonly isOutage: boolean;

  constructor(message: string, isOutage: boolean) {
    super(message);
    this.isOutage = isOutage;
  }
}

/** @param host with its port. */
export function refusedBy(proxy: ProxyServer, status: number, host: string): ProxyError {
  const named = { proxy: shownProxy(proxy), host, status };
  if (status === AUTHENTICATION_REQUIRED)
    return new ProxyError(sentence("proxy_login", { ...named, field: proxy.from }), false);
  if (status >= UNREACHED) return new ProxyError(sentence("proxy_cannot_reach", named), true);
  return new ProxyError(sentence("proxy_refused", named), false);
}

/** The proxy itself cannot be reached. @param detail the code of the system. */
export function unreachable(proxy: ProxyServer, detail: string): ProxyError {
  if (UNTRUSTED.has(detail)) return untrusted(proxy, proxy.url.host);
  return new ProxyError(sentence("proxy_unreachable", { proxy: shownProxy(proxy), detail, field: proxy.from }), true);
}

export function isUntrusted(error: unknown): boolean {
  return UNTRUSTED.has(codeIn(error) ?? "");
}

/** Something between here and the host signs certificates of its own, as proxies do that read what is sent. */
export function untrusted(proxy: ProxyServer, host: string): ProxyError {
  return new ProxyError(sentence("proxy_certificate", { proxy: shownProxy(proxy), host }), false);
}

/** The proxy's fault in an error, whatever stands around it; null where it is another's. */
export function proxyErrorIn(error: unknown): ProxyError | null {
  for (let each = error; each instanceof Error; each = each.cause) if (isProxyError(each)) return each;
  return null;
}

/** By its name: what carries requests is a bundle of its own, with a class of its own. */
function isProxyError(error: Error): error is ProxyError {
  return error.name === "ProxyError" && "isOutage" in error;
}

/** The code of the system in an error or its causes. */
export function codeIn(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each && typeof each.code === "string") return each.code;
  return undefined;
}
