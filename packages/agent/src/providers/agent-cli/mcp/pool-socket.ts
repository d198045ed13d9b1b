/**
 * Calls of tools from outside, from our MCP server of an agent CLI to the worker pool: a socket of the run's own. The pool
 * holds the connections and the keys; the server, which may be in the sandbox of a Worker, has neither. One call is one
 * connection: its JSON one way, the answer the other.
 */
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createConnection, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseRecord } from "@mimikit/protocol/base/json";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { z } from "zod";
import type { ToolAnswer, ToolBus } from "../../../bus.ts";

const CALL_BYTES_MAX = 1_048_576;
const PREFIX = "mimikit-tools-";
/** Where the usual folder of temporary files has too long a path for a socket. */
const SHORT_TMP = "/tmp";

const Call = z.object({ tool: z.string(), input: z.unknown() });
const Answer: z.ZodType<ToolAnswer> = z.union([
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    code: z.enum(["not_allowed", "unknown_tool", "bad_input", "failed", "needs_approval"]),
    message: z.string(),
  }),
]);

export interface PoolSocket {
  /** Its path; only this user may open it. */
  path: string;
  close(): void;
}

/** @param names of the tools that may be called through it. Throws what the disk throws. */
export async function openPoolSocket(bus: ToolBus, names: ReadonlySet<string>): Promise<PoolSocket> {
  const dir = await makeDirectory();
  const path = join(dir, "s");
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    // A CLI that was stopped hears no answer; the call is in the log all the same.
    socket.on("error", () => socket.destroy());
    void answer(socket, bus, names);
  });
  server.listen(path);
  await once(server, "listening");
  return {
    path,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function answer(socket: Socket, bus: ToolBus, names: ReadonlySet<string>): Promise<void> {
  try {
    const { tool, input } = parseRecord(Call, await read(socket));
    const refused: ToolAnswer = { ok: false, code: "unknown_tool", message: `there is no tool "${tool}" here` };
    const answered = names.has(tool) ? await bus.call(tool, input) : refused;
    socket.end(JSON.stringify(answered));
  } catch {
    // Not one of our servers: it is told nothing.
    socket.destroy();
  }
}

async function read(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > CALL_BYTES_MAX) throw new Error("too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Has the pool make a call. Never throws: where there is no pool any more, that is the answer. */
export async function callPool(path: string, tool: string, input: unknown): Promise<ToolAnswer> {
  try {
    const socket = createConnection(path);
    await once(socket, "connect");
    socket.end(JSON.stringify({ tool, input }));
    return parseRecord(Answer, await text(socket));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, code: "failed", message: `the worker pool does not answer: ${why}` };
  }
}

async function makeDirectory(): Promise<string> {
  const longest = join(tmpdir(), `${PREFIX}000000`, "s");
  const base = Buffer.byteLength(longest) < platform.socketPathBytesMax ? tmpdir() : SHORT_TMP;
  return mkdtemp(join(base, PREFIX));
}
