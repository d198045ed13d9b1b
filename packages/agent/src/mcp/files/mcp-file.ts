/**
 * `mcp.json` in the state directory: the MCP servers of the owner, in the format of Claude Desktop, Cursor and `.mcp.json`.
 * Its environments and headers may hold keys, so it is kept as `secrets.json` is. The file of a directory that is not
 * adopted names none, and a `.mcp.json` of the workspace is never read (docs/security.md).
 */
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { describeIssues, problemWith } from "@mimikit/protocol/texts/issues";
import { MCP_SERVERS_MAX, McpName, McpServer } from "@mimikit/protocol/wire/mcp";
import { isAdopted } from "@mimikit/runtime/home/adoption";
import { type Environment, HomeError } from "@mimikit/runtime/home/home";
import { editPrivateFile, PRIVATE_FILE_BYTES_MAX, readPrivateFile } from "@mimikit/runtime/home/private-file";
import { MCP_PATH } from "@mimikit/store/disk/state";
import { z } from "zod";

const LIMITS = { bytes: PRIVATE_FILE_BYTES_MAX, depth: 32 };
/** Other clients keep other things in theirs, which stay. */
const File = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });
type File = z.infer<typeof File>;

export interface McpFile {
  /** In the order of the file. */
  servers: ReadonlyMap<string, McpServer>;
  /** Why a server, or the whole file, cannot be used, by the name of the server ("" for the file). */
  problems: ReadonlyMap<string, string>;
}

const NONE: McpFile = { servers: new Map(), problems: new Map() };

/** The servers that the owner has set up; none in a directory that is not adopted. One bad server takes no other with it. */
export function readMcpFile(home: string, env: Environment): McpFile {
  return isAdopted(home, env) ? readMcpServers(home) : NONE;
}

/** The same of a directory that may be a stranger's: for showing it, never for starting anything. */
export function readMcpServers(home: string): McpFile {
  try {
    return checked(readFile(home));
  } catch (error) {
    if (error instanceof HomeError) return { servers: new Map(), problems: new Map([["", error.message]]) };
    throw error;
  }
}

function checked({ mcpServers }: File): McpFile {
  const servers = new Map<string, McpServer>();
  const problems = new Map<string, string>();
  for (const [name, value] of Object.entries(mcpServers)) {
    const wrongName = problemWith(McpName, name);
    const server = McpServer.safeParse(value);
    if (wrongName !== null) problems.set(name, wrongName);
    else if (!server.success) problems.set(name, describeIssues(server.error));
    else if (servers.size >= MCP_SERVERS_MAX) problems.set(name, `at most ${MCP_SERVERS_MAX} servers can be used`);
    else servers.set(name, server.data);
  }
  return { servers, problems };
}

/** A server, for people: its command line, or its address without the parts that may hold a key. */
export function targetOf({ command, args = [], url = "" }: McpServer): string {
  if (command !== undefined) return [command, ...args].join(" ");
  if (!URL.canParse(url)) return url.split("?", 1)[0] ?? "";
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/**
 * Adds a server, or replaces the one of that name; null takes it out.
 * @returns whether there was one before.
 * @throws HomeError where the file cannot be used as it is: it stays. @throws DocumentBusy if another process holds it
 * for seconds.
 */
export async function setMcpServer(home: string, name: string, server: McpServer | null): Promise<boolean> {
  let wasThere = false;
  await editPrivateFile(home, MCP_PATH, (text) => {
    const file = fileIn(home, text);
    wasThere = Object.hasOwn(file.mcpServers, name);
    if (server === null && !wasThere) return null;
    const { [name]: _old, ...others } = file.mcpServers;
    // One that is replaced keeps its place: the names of tools keep their order, and so the prompt's beginning its cache.
    const mcpServers = server === null ? others : { ...file.mcpServers, [name]: server };
    return `${JSON.stringify({ ...file, mcpServers }, null, 2)}\n`;
  });
  return wasThere;
}

function readFile(home: string): File {
  return fileIn(home, readPrivateFile(join(home, MCP_PATH)));
}

function fileIn(home: string, text: string | null): File {
  if (text === null) return { mcpServers: {} };
  try {
    return parseRecord(File, text, LIMITS);
  } catch (error) {
    // Not what stands in it: that may be a key.
    if (error instanceof BadJson)
      throw new HomeError(`${join(home, MCP_PATH)} names no servers: correct it, or remove it`);
    throw error;
  }
}
