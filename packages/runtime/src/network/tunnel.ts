/** A connection through a proxy (RFC 9110, CONNECT). */
import * as http from "node:http";
import * as https from "node:https";
import { connect, isIP, type Socket } from "node:net";
import { codeIn, ProxyError, refusedBy, unreachable } from "./proxy-error.ts";
import { type ProxyServer, plainHost, proxyAuthorization } from "./proxy-rules.ts";

/** Until the proxy has connected, or refused to. */
const CONNECT_MS_MAX = 20_000;
/** Until it is known that the proxy listens. */
const LOOK_MS_MAX = 5_000;
const OK = 200;
const MULTIPLE_CHOICES = 300;

/**
 * Lets the proxy connect to a host.
 * @param authority `api.openai.com:443`. @throws ProxyError, and the reason of `signal` when that aborts.
 */
export function openTunnel(proxy: ProxyServer, authority: string, signal?: AbortSignal): Promise<Socket> {
  const { url } = proxy;
  const authorization = proxyAuthorization(proxy);
  const host = plainHost(url.hostname);
  const { request } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const asked = request({
      host,
      port: portOf(proxy),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(authorization !== undefined && { "proxy-authorization": authorization }) },
      agent: false,
      // Else it would be made of the header.
      servername: isIP(host) === 0 ? host : "",
      timeout: CONNECT_MS_MAX,
      ...(signal !== undefined && { signal }),
    });
    asked.once("connect", ({ statusCode = 0 }, socket, head) => {
      if (statusCode < OK || statusCode >= MULTIPLE_CHOICES) {
        socket.destroy();
        return reject(refusedBy(proxy, statusCode, authority));
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket as Socket);
    });
    asked.once("timeout", () => asked.destroy(unreachable(proxy, "ETIMEDOUT")));
    asked.once("error", (error) => {
      if (signal?.aborted) return reject(signal.reason);
      reject(error instanceof ProxyError ? error : unreachable(proxy, codeIn(error) ?? error.message));
    });
    asked.end();
  });
}

/** Does the proxy listen? null where it does. */
export function isThere(proxy: ProxyServer): Promise<ProxyError | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: plainHost(proxy.url.hostname), port: portOf(proxy), timeout: LOOK_MS_MAX });
    const end = (failure: ProxyError | null) => {
      socket.destroy();
      resolve(failure);
    };
    socket.once("connect", () => end(null));
    socket.once("timeout", () => end(unreachable(proxy, "ETIMEDOUT")));
    socket.once("error", (error) => end(unreachable(proxy, codeIn(error) ?? error.message)));
  });
}

function portOf({ url }: ProxyServer): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}
