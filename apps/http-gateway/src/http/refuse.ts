/** Answers for connections that have no response of Node's: one that would become a WebSocket, and one whose bytes are no request. */
import { type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { coded } from "@mimikit/protocol/texts/coded";
import { hasCode } from "@mimikit/store/disk/error-code";
import { HttpProblem } from "./problem.ts";

/** Answers with the problem, and ends the connection. @param method of the request, where it is one: HEAD is told no body. */
export function refuse(socket: Duplex, problem: HttpProblem, method?: string): void {
  const body = JSON.stringify(problem.body);
  const told = method === "HEAD" ? "" : body;
  // The client may be gone already, and cannot be told.
  socket.on("error", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nConnection: close\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${told}`,
    () => socket.destroy(),
  );
}

/** Bytes that are no HTTP, headers that are too large and requests that are too slow are told so, as any other mistake is. */
export function refuseMalformed(server: Server): void {
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on("request", (request, response) => answers.set(request.socket, response));
  server.on("clientError", (error, socket) => {
    const last = answers.get(socket);
    const answer = last?.writableFinished === false ? last : undefined;
    if (!socket.writable || answer?.headersSent === true || hasCode(error, "ECONNRESET")) socket.destroy();
    else refuse(socket, malformed(error), answer?.req.method ?? beginningOf(error));
  });
}

/** The first letters of what could not be read, where they came with the rest. */
function beginningOf(error: Error & { rawPacket?: Buffer }): string | undefined {
  return error.rawPacket?.toString("latin1", 0, "HEAD".length);
}

function malformed(error: Error): HttpProblem {
  const status = hasCode(error, "HPE_HEADER_OVERFLOW") ? 431 : hasCode(error, "ERR_HTTP_REQUEST_TIMEOUT") ? 408 : 400;
  return new HttpProblem(status, coded("http_status", { status }));
}
