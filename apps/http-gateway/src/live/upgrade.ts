/** From an HTTP request to a client of /ws: the same gates as for any request, and only so many at once. */

import type { IncomingMessage, Server } from "node:http";
import { coded, codeOrQuote } from "@mimikit/protocol/texts/coded";
import { WebSocketServer } from "ws";
import type { HostPolicy } from "../auth/host.ts";
import { FRAME_BYTES_MAX, SOCKETS_MAX } from "../http/limits.ts";
import { HttpProblem, problemOf } from "../http/problem.ts";
import { refuse } from "../http/refuse.ts";
import { Socket, type SocketParts } from "./socket.ts";

/** Takes upgrades of `server` from now on. @returns the open clients, those before hello included. */
export function acceptUpgrades(
  server: Server,
  hosts: HostPolicy,
  parts: Omit<SocketParts, "onClose">,
): ReadonlySet<Socket> {
  // A compressed frame could be a thousand times larger than it looks.
  const sockets = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES_MAX, perMessageDeflate: false });
  sockets.on("wsClientError", (error, socket, request) => {
    refuse(socket, new HttpProblem(400, codeOrQuote(error.message)), request.method);
  });
  const clients = new Set<Socket>();
  const socketParts: SocketParts = { ...parts, onClose: (socket) => void clients.delete(socket) };
  server.on("upgrade", (request, socket, head) => {
    try {
      hosts.checkHost(request);
      hosts.checkOrigin(request);
      assertSocketAddress(request);
      if (clients.size >= SOCKETS_MAX) throw new HttpProblem(503, coded("too_many_sockets"));
    } catch (error) {
      refuse(socket, problemOf(error), request.method);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => clients.add(new Socket(client, request, socketParts)));
  });
  return clients;
}

/** A credential in an address ends up in logs and histories, so /ws has no parameters at all. */
function assertSocketAddress({ url = "" }: IncomingMessage): void {
  if (url.startsWith("/ws?")) throw new HttpProblem(400, coded("socket_parameters"));
  if (url !== "/ws") throw new HttpProblem(404, coded("no_socket_at_address"));
}
