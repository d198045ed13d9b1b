/** The address that wrong credentials are counted by: that of the client, also behind a proxy of this machine. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isLoopback } from "./host.ts";

/**
 * The address of the client. Behind a proxy on this machine it is the last one in X-Forwarded-For, which the proxy itself has added:
 * the ones before it are the client's own words. A proxy that adds none has one address for all of its clients.
 * @param isProxied whether the owner has set an address of a proxy; otherwise the header is never read.
 */
export function clientAddress(request: IncomingMessage, isProxied: boolean): string {
  const peer = request.socket.remoteAddress ?? "";
  if (!isProxied || !isLoopback(peer.replace(/^::ffff:/, ""))) return peer;
  const told = request.headers["x-forwarded-for"];
  const last = (Array.isArray(told) ? told.join(",") : (told ?? "")).split(",").at(-1)?.trim() ?? "";
  return isIP(last) === 0 ? peer : last;
}
