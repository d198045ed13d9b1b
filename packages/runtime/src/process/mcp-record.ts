/** The worker pool's word on its MCP servers, for the commands and views that show them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Identity } from "@mimikit/protocol/records/claim";
import { McpCondition } from "@mimikit/protocol/wire/mcp";
import { hasCode } from "@mimikit/store/disk/error-code";
import { MCP_STATE_PATH } from "@mimikit/store/disk/state";
import { z } from "zod";
import { replaceFile } from "../home/replace-file.ts";
import { isAliveFor, ownIdentity } from "./identity.ts";

const McpRecord = Identity.extend({ servers: z.record(z.string(), McpCondition) });

/** Throws what the disk throws. */
export function writeMcpRecord(home: string, servers: Readonly<Record<string, McpCondition>>): void {
  replaceFile(join(home, MCP_STATE_PATH), `${JSON.stringify({ ...ownIdentity(), servers })}\n`);
}

/** How the servers are, by their names. Of a pool that is gone, only which tools they had. */
export function readMcpRecord(home: string): Readonly<Record<string, McpCondition>> {
  try {
    const record = parseRecord(McpRecord, readFileSync(join(home, MCP_STATE_PATH), "utf8"));
    if (isAliveFor(home, record)) return record.servers;
    const gone = Object.entries(record.servers).map(([name, { tools }]) => [
      name,
      { state: "unknown" as const, problems: [], stderr: [], tools },
    ]);
    return Object.fromEntries(gone);
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT")) return {};
    throw error;
  }
}
