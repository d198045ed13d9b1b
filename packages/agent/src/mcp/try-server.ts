/** Starts a server to see whether it works and what it has, and ends it again. Runs call another one. */
import type { McpCondition } from "@mimikit/protocol/wire/mcp";
import { type ConnectionOptions, McpConnection } from "./connection.ts";

/** Resolves with how it was, whatever that is. */
export async function tryServer(
  options: Omit<ConnectionOptions, "onChange">,
  signal: AbortSignal,
): Promise<McpCondition> {
  const connection = new McpConnection({ ...options, onChange: () => undefined });
  try {
    await connection.ready(signal).catch(() => undefined);
    return connection.condition;
  } finally {
    await connection.close();
  }
}
