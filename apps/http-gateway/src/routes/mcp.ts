/** `/api/mcp`: the MCP servers whose tools runs are given (docs/mcp.md). Values of variables and headers come in, and never go out. */

import { coded, codeOrQuote } from "@mimikit/protocol/texts/coded";
import { NoBody } from "@mimikit/protocol/wire/api";
import { McpAddBody, McpCondition, McpList, McpNameParams } from "@mimikit/protocol/wire/mcp";
import { loadConfig } from "@mimikit/runtime/config/config";
import { type Environment, HomeError } from "@mimikit/runtime/home/home";
import { DocumentBusy } from "@mimikit/store/documents/document";
import type { Response } from "express";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";

/** Loaded on the first request: most have no such servers. */
const files = () => import("@mimikit/agent/mcp/files/mcp-file");

export const mcpServers = route({
  method: "get",
  path: "/api/mcp",
  summary:
    "the MCP servers of `mcp.json`: their configuration, their state as far as a run has needed them, and their tools with levels",
  status: 200,
  answer: McpList,
  handle: (_asked, { home, environment }) => describe(home, environment),
});

export const addMcpServer = route({
  method: "post",
  path: "/api/mcp",
  summary: "adds a server to `mcp.json`, or replaces the one of that name; runs that begin from now on have its tools",
  body: McpAddBody,
  status: 200,
  answer: McpList,
  errors: { 409: "mcp.json cannot be edited as it is" },
  handle: async ({ body: { name, server } }, { home, environment, log }) => {
    await refusing(async () => (await files()).setMcpServer(home, name, server));
    log.audit({ event: "mcp_server_added", detail: { name } });
    return describe(home, environment);
  },
});

export const testMcpServer = route({
  method: "post",
  path: "/api/mcp/:name/test",
  summary: "starts the server, lists its tools and stops it; also 200 if it does not start: `problems` says why",
  params: McpNameParams,
  body: NoBody,
  status: 200,
  answer: McpCondition,
  errors: { 404: "unknown" },
  handle: async ({ params: { name }, response }, { home, environment: env, memory: { workDir } }) => {
    const { readMcpFile } = await files();
    const server = readMcpFile(home, env).servers.get(name);
    if (server === undefined) throw unknown();
    const { tryServer } = await import("@mimikit/agent/mcp/try-server");
    const sandbox = () => loadConfig(home, env).config.sandbox;
    return tryServer({ name, server, home, workDir, env, sandbox }, whileListening(response));
  },
});

export const removeMcpServer = route({
  method: "delete",
  path: "/api/mcp/:name",
  summary: "removes a server from `mcp.json` and stops it",
  params: McpNameParams,
  status: 200,
  answer: McpList,
  errors: { 404: "unknown", 409: "mcp.json cannot be edited as it is" },
  handle: async ({ params: { name } }, { home, environment, log }) => {
    const { setLogin } = await import("@mimikit/agent/mcp/files/logins");
    await refusing(() => setLogin(home, name, null));
    if (!(await refusing(async () => (await files()).setMcpServer(home, name, null)))) throw unknown();
    log.audit({ event: "mcp_server_removed", detail: { name } });
    return describe(home, environment);
  },
});

async function describe(home: string, env: Environment): Promise<McpList> {
  return (await import("@mimikit/agent/mcp/describe-servers")).describeServers(home, env);
}

function unknown(): HttpProblem {
  return new HttpProblem(404, coded("mcp_unknown"));
}

/** Aborts when the client has gone and no longer waits for the answer. */
function whileListening(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HomeError || error instanceof DocumentBusy)
      throw new HttpProblem(409, codeOrQuote(error.message));
    throw error;
  }
}
