/** A bare HTTP server that answers every request with 202 when it has read it: what the client itself costs. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "./serve.ts";

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(202, { "Content-Type": "application/json" });
    response.end('{"id":"m-0"}');
  });
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;

serve({ port: () => port });
