/** MCP servers: how `mcp.json` names them, and how they are shown (docs/mcp.md). */
import { z } from "zod";
import { Level } from "../base/skill.ts";
import { sentence } from "../texts/coded.ts";

export const MCP_NAME_CHARS_MAX = 64;
/** Servers that one file may name. */
export const MCP_SERVERS_MAX = 64;
export const MCP_TOOL_SEC_MAX = 600;
const TEXT_CHARS_MAX = 32_768;
const ITEMS_MAX = 256;

export const McpName = z
  .string()
  .max(MCP_NAME_CHARS_MAX)
  .regex(/^[A-Za-z0-9][A-Za-z0-9 ._-]*$/, sentence("mcp_name"));

/** The roles that may be given tools from outside. A Reviewer judges a change from the diff alone. */
export const EXTERNAL_ROLES = ["teller", "planner", "worker"] as const;
export const ExternalRole = z.enum(EXTERNAL_ROLES);
export type ExternalRole = z.infer<typeof ExternalRole>;

/** The owner's word on a server, under the key `mimikit`; other clients ignore it. */
export const McpRights = z.strictObject({
  /** The roles that have its tools; the Worker where none is named. */
  roles: z.array(ExternalRole).max(EXTERNAL_ROLES.length).optional(),
  /** The level of all its tools, in place of what the server says of them. */
  level: Level.optional(),
  /** The level of single tools, by the names that the server gives them. */
  levels: z.record(z.string().max(TEXT_CHARS_MAX), Level).optional(),
  /** Only these of its tools, by the names that the server gives them. */
  tools: z.array(z.string().max(TEXT_CHARS_MAX)).max(ITEMS_MAX).optional(),
  /** Seconds that one call may take. */
  timeoutSec: z.number().int().min(1).max(MCP_TOOL_SEC_MAX).optional(),
});
export type McpRights = z.infer<typeof McpRights>;

const Text = z.string().max(TEXT_CHARS_MAX);
const Texts = z.record(Text, Text);

/** One server of `mcpServers`. Other fields are for other clients, and stay in the file. */
export const McpServer = z
  .looseObject({
    type: z.string().optional(),
    command: Text.min(1).optional(),
    args: z.array(Text).max(ITEMS_MAX).optional(),
    env: Texts.optional(),
    cwd: Text.optional(),
    url: Text.min(1).optional(),
    headers: Texts.optional(),
    disabled: z.boolean().optional(),
    mimikit: McpRights.optional(),
  })
  .superRefine(({ type, command, url }, context) => {
    const complain = (message: string) => context.addIssue({ code: "custom", message });
    if (type === "sse") complain(sentence("mcp_sse"));
    else if (command === undefined && url === undefined) complain(sentence("mcp_neither"));
    else if (command !== undefined && url !== undefined) complain(sentence("mcp_both"));
  });
export type McpServer = z.infer<typeof McpServer>;

/** A tool of a server as a role is given it. */
export const McpToolView = z.object({
  /** As models call it: `server__tool`. */
  name: z.string(),
  level: Level,
  description: z.string(),
});
export type McpToolView = z.infer<typeof McpToolView>;

/** `idle`: it is started when a run needs it. `unknown`: nothing runs that would know. */
export const McpState = z.enum(["idle", "starting", "running", "failed", "disabled", "invalid", "unknown"]);
export type McpState = z.infer<typeof McpState>;

/** The state of a server that the pool looks after. */
export const McpCondition = z.object({
  state: McpState,
  /** It does not run before a login: `mimikit mcp login`. */
  needsLogin: z.literal(true).optional(),
  /** Why it does not run, or what of it cannot be used, for people; no key is in it. */
  problems: z.array(z.string()),
  /** The last lines that it wrote to standard error. */
  stderr: z.array(z.string()),
  /** As it listed them last; empty before the first time. */
  tools: z.array(McpToolView),
});
export type McpCondition = z.infer<typeof McpCondition>;

/** A server as people are shown it. No variable's or header's value is in it. */
export const McpServerView = McpCondition.extend({
  name: z.string(),
  transport: z.enum(["stdio", "http"]),
  /** The command line, or the address without its query. */
  target: z.string(),
  roles: z.array(ExternalRole),
});
export type McpServerView = z.infer<typeof McpServerView>;

export const McpList = z.object({
  servers: z.array(McpServerView),
  /** The owner's commands as tools. */
  commands: z.array(McpToolView.extend({ roles: z.array(ExternalRole) })),
  /** Problems in `mcp.json` and `tools/`, for people. */
  problems: z.array(z.string()),
});
export type McpList = z.infer<typeof McpList>;

export const McpNameParams = z.object({ name: McpName });
export const McpAddBody = z.strictObject({ name: McpName, server: McpServer });
