/** Requests of `fetch` through a proxy, by undici. Loaded with the first request of a process that has a proxy. */
import { isIP } from "node:net";
import type { buildConnector as Connector, Dispatcher } from "undici";
import { codeIn, isUntrusted, proxyErrorIn, refusedBy, unreachable, untrusted } from "./proxy-error.ts";
import { type ProxyServer, plainHost, proxyAuthorization } from "./proxy-rules.ts";
import { openTunnel } from "./tunnel.ts";
import { Agent, buildConnector, Pool } from "./undici-parts.mjs";

type Fetch = typeof fetch;
type ProxyOf = (url: URL) => ProxyServer | null;
/** The part of a dispatcher that fetch uses. */
type Dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => boolean;

const AUTHENTICATION_REQUIRED = 407;

const directly = new Agent();
/** By the address of the proxy and the kind of request: connections are kept open as without a proxy. */
const carriers = new Map<string, Dispatch>();

/**
 * Asks as `own` would, through the proxy that `proxyOf` names for each address, also where a redirect leads.
 * @throws as fetch does; the cause of its error is a ProxyError where the proxy failed.
 */
export async function fetchThrough(
  own: Fetch,
  proxyOf: ProxyOf,
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
): Promise<Response> {
  const dispatch: Dispatch = (options, handler) =>
    carrierFor(new URL(String(options.origin)), proxyOf)(options, handler);
  try {
    return await own(input, { ...init, dispatcher: { dispatch } } as RequestInit);
  } catch (error) {
    const ofProxy = proxyErrorIn(error);
    // "fetch failed" says nothing to those who show the message alone.
    throw ofProxy === null ? error : new TypeError(ofProxy.message, { cause: ofProxy });
  }
}

function carrierFor(origin: URL, proxyOf: ProxyOf): Dispatch {
  const proxy = proxyOf(origin);
  if (proxy === null) return (options, handler) => directly.dispatch(options, handler);
  const key = `${origin.protocol} ${proxy.from} ${proxy.url.href}`;
  const carrier = carriers.get(key) ?? (origin.protocol === "https:" ? tunnelled(proxy) : forwarded(proxy));
  carriers.set(key, carrier);
  return carrier;
}

/** Requests to https: addresses: the proxy connects, and TLS is with the server behind it. */
function tunnelled(proxy: ProxyServer): Dispatch {
  const secure = buildConnector({});
  const connect: Connector.connector = (options, callback) => {
    const authority = `${options.hostname.includes(":") ? `[${options.hostname}]` : options.hostname}:${options.port || 443}`;
    openTunnel(proxy, authority).then(
      (httpSocket) =>
        secure({ ...options, httpSocket }, (...[error, socket]) => {
          if (error === null) callback(null, socket);
          else callback(isUntrusted(error) ? untrusted(proxy, authority) : error, null);
        }),
      (error: Error) => callback(error, null),
    );
  };
  const agent = new Agent({ connect });
  return (options, handler) => agent.dispatch(options, handler);
}

/** Requests to http: addresses: the proxy is asked for the whole address (RFC 9112, absolute-form). */
function forwarded(proxy: ProxyServer): Dispatch {
  const host = plainHost(proxy.url.hostname);
  const plain = buildConnector({});
  const connect: Connector.connector = (options, callback) =>
    // Else undici takes the name of the server behind it, which is in the header `host`.
    plain({ ...options, servername: isIP(host) === 0 ? host : "" }, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(proxyErrorIn(error) ?? unreachable(proxy, codeIn(error) ?? error.message), null);
    });
  const pool = new Pool(proxy.url.origin, { connect });
  const authorization = proxyAuthorization(proxy);
  return (options, handler) => {
    const origin = new URL(String(options.origin));
    const headers = {
      ...headersOf(options.headers),
      host: origin.host,
      ...(authorization !== undefined && { "proxy-authorization": authorization }),
    };
    return pool.dispatch(
      { ...options, origin: proxy.url.origin, path: `${origin.origin}${options.path}`, headers },
      withLogin(handler, refusedBy(proxy, AUTHENTICATION_REQUIRED, origin.host)),
    );
  };
}

/** fetch shows a response of status 407 to nobody, and fails without a word: the request is ended before, with the reason. */
function withLogin(handler: Dispatcher.DispatchHandler, refused: Error): Dispatcher.DispatchHandler {
  let abort: (error: Error) => void = () => {};
  const watching: Dispatcher.DispatchHandler = Object.create(handler);
  // The two ways in which versions of Node listen.
  if (handler.onHeaders !== undefined) {
    watching.onConnect = (stop) => {
      abort = stop as typeof abort;
      handler.onConnect?.call(watching, stop);
    };
    watching.onHeaders = (status, ...rest) => {
      if (status !== AUTHENTICATION_REQUIRED) return handler.onHeaders?.call(watching, status, ...rest) ?? true;
      abort(refused);
      return false;
    };
  } else {
    watching.onResponseStart = (controller, status, ...rest) => {
      if (status === AUTHENTICATION_REQUIRED) controller.abort(refused);
      else handler.onResponseStart?.call(watching, controller, status, ...rest);
    };
  }
  return watching;
}

/** fetch hands them over as a table, or as a list of names and values in turn. */
function headersOf(headers: Dispatcher.DispatchOptions["headers"]): Record<string, string | string[] | undefined> {
  if (!Array.isArray(headers)) return { ...(headers as Record<string, string>) };
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])));
}
