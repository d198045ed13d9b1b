/**
 * Stands in for the gateway of another version: a process that notes itself as the gateway of MIMIKIT_HOME and answers every
 * request in a way that this version does not know. `node old-gateway.ts <answer>`
 */
import { createServer } from "node:http";
import { writeRole } from "@mimikit/runtime/process/role-record";

const ANSWERS = {
  "another schema": [200, "application/json", '{"ok": true, "queue": 0, "roles": ["manager"]}'],
  "a page": [200, "text/html", "<!doctype html><title>Mimikit</title>"],
  "no such path": [404, "application/json", '{"error": "not found"}'],
  "an error": [500, "text/plain", "Internal Server Error"],
} as const;
export type OldAnswer = keyof typeof ANSWERS;
export const OLD_ANSWERS = Object.keys(ANSWERS) as OldAnswer[];

if (import.meta.main) {
  const { MIMIKIT_HOME = "", MIMIKIT_PORT = "" } = process.env;
  const [status, type, body] = ANSWERS[process.argv[2] as OldAnswer];
  const server = createServer((_request, response) => response.writeHead(status, { "content-type": type }).end(body));
  server.listen(Number(MIMIKIT_PORT), "127.0.0.1", () => {
    writeRole(MIMIKIT_HOME, "gateway", `http://127.0.0.1:${MIMIKIT_PORT}`);
    process.stdout.write("ready\n");
  });
}
