/** Opening and closing the port, with reasons that people can act on. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { urlOf } from "@mimikit/runtime/config/address";
import { hasCode } from "@mimikit/store/disk/error-code";

/** Listens and returns the URL. Throws an `Error` of one line that says what to do. */
export function listenOn(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => reject(new Error(whyNotListening(error, host, port), { cause: error }));
    server.once("error", refuse);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", refuse);
      resolve(urlOf({ host, port: (server.address() as AddressInfo).port }));
    });
  });
}

/** Takes no new connections, waits until the open ones have ended, at most `drainMs`, and cuts off the rest. */
export async function drain(server: Server, drainMs: number, cutOff: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = new AbortController();
  await Promise.race([closed, wait(drainMs, undefined, { signal: timer.signal })]);
  timer.abort();
  cutOff();
  server.closeAllConnections();
  await closed;
}

function whyNotListening(error: unknown, host: string, port: number): string {
  const another = "Choose another with MIMIKIT_PORT, for example MIMIKIT_PORT=8788.";
  if (hasCode(error, "EADDRINUSE")) return `port ${port} on ${host} is in use by another program. ${another}`;
  if (hasCode(error, "EACCES")) return `port ${port} may not be used by this user. ${another}`;
  if (hasCode(error, "EADDRNOTAVAIL", "ENOTFOUND")) {
    return `${host} is not an address of this machine. Set MIMIKIT_HOST, for example MIMIKIT_HOST=127.0.0.1.`;
  }
  return `cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`;
}
