/** One request through a proxy, without following where its answer leads. */
import * as http from "node:http";
import * as https from "node:https";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { codeIn, isUntrusted, refusedBy, unreachable, untrusted } from "@mimikit/runtime/network/proxy-error";
import { type ProxyServer, plainHost, proxyAuthorization } from "@mimikit/runtime/network/proxy-rules";
import { openTunnel } from "@mimikit/runtime/network/tunnel";

const AUTHENTICATION_REQUIRED = 407;

type Options = Pick<http.RequestOptions, "maxHeaderSize" | "signal"> & { headers: Record<string, string> };

/** Resolves when the headers are there. @throws ProxyError where the proxy failed. */
export async function getThrough(proxy: ProxyServer, url: URL, options: Options): Promise<http.IncomingMessage> {
  const response = await (url.protocol === "https:" ? tunnelled : forwarded)(proxy, url, options);
  if (url.protocol === "https:" || response.statusCode !== AUTHENTICATION_REQUIRED) return response;
  response.destroy();
  throw refusedBy(proxy, AUTHENTICATION_REQUIRED, url.host);
}

async function tunnelled(proxy: ProxyServer, url: URL, options: Options): Promise<http.IncomingMessage> {
  const host = plainHost(url.hostname);
  const authority = `${url.hostname}:${url.port || 443}`;
  const tunnel = await openTunnel(proxy, authority, options.signal);
  const createConnection = () => connect({ socket: tunnel, servername: isIP(host) === 0 ? host : "" });
  return new Promise((resolved, reject) => {
    https
      .get(url, { ...options, createConnection }, resolved)
      .on("error", (error) => reject(isUntrusted(error) ? untrusted(proxy, authority) : error));
  });
}

function forwarded(proxy: ProxyServer, url: URL, { headers, ...options }: Options): Promise<http.IncomingMessage> {
  const { hostname, protocol, port } = proxy.url;
  const host = plainHost(hostname);
  const authorization = proxyAuthorization(proxy);
  const { get } = protocol === "https:" ? https : http;
  return new Promise((resolved, reject) => {
    const asked = get(
      {
        ...options,
        host,
        port: port || undefined,
        servername: isIP(host) === 0 ? host : "",
        path: url.href,
        headers: { ...headers, host: url.host, ...(authorization && { "proxy-authorization": authorization }) },
        agent: false,
      },
      resolved,
    );
    let isConnected = false;
    asked.on("socket", (socket) => socket.on("connect", () => (isConnected = true)));
    asked.on("error", (error) =>
      reject(isConnected || options.signal?.aborted ? error : unreachable(proxy, codeIn(error) ?? error.message)),
    );
  });
}
