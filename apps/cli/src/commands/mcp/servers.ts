/** The MCP servers of mcp.json, for the sub-commands of `mimikit mcp`. */

import { mkdirSync } from "node:fs";
import { readMcpFile } from "@mimikit/agent/mcp/files/mcp-file";
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { McpCondition, McpServer } from "@mimikit/protocol/wire/mcp";
import type { Argv } from "yargs";
import type { CommonOptions } from "../../arguments/command.ts";
import { t, told } from "../../i18n/language.ts";
import { Failure } from "../../io/failure.ts";
import { adoptedHome, currentPlace } from "../../io/place.ts";
import { plainLine, printLine, printProgress, printTable, styled } from "../../io/print.ts";

const DESCRIPTION_CHARS = 80;

export function nameArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("name", {
    type: "string",
    demandOption: true,
    describe: "the server: mimikit mcp lists them",
  });
}

export function noServer(name: string): Failure {
  return new Failure("failed", t('there is no MCP server "{name}":  mimikit mcp  lists them', { name }));
}

/** @throws Failure if there is none, or none that can be used. */
export function serverNamed(name: string): McpServer {
  const { servers, problems } = readMcpFile(adoptedHome(), process.env);
  const server = servers.get(name);
  if (server !== undefined) return server;
  const why = problems.get(name) ?? problems.get("");
  throw why === undefined ? noServer(name) : new Failure("failed", why);
}

/** Starts a server once. @throws Failure if it does not start, unless only a login is missing. */
export async function tried(name: string, server: McpServer, json: boolean): Promise<McpCondition> {
  const { tryServer } = await import("@mimikit/agent/mcp/try-server");
  const { home, workDir, config } = currentPlace();
  // Nothing may have been started here yet: programs run in the workspace.
  mkdirSync(workDir, { recursive: true });
  printProgress(t("starting {name}", { name }));
  const sandbox = () => config.sandbox;
  const options = { name, server, home, workDir, env: process.env, sandbox };
  const condition = await tryServer(options, new AbortController().signal);
  const { tools, problems, stderr } = condition;
  if (condition.needsLogin) return condition;
  if (condition.state !== "running") {
    const said = stderr.length === 0 ? "" : ` · stderr: ${stderr.map(plainLine).join(" · ")}`;
    throw new Failure(
      "failed",
      t("{name} does not work: {problems}{said}", {
        name,
        problems: problems.map((each) => plainLine(told(each))).join("; "),
        said,
      }),
    );
  }
  if (!json) {
    printTable(
      [t("tools of {name}", { name }), "level", "what for"],
      tools.map(toolRow),
      t("{name} has no tools", { name }),
    );
    for (const problem of problems) printLine(styled("yellow", plainLine(`! ${told(problem)}`)));
  }
  return condition;
}

export const toolRow = ({ name, level, description }: McpCondition["tools"][number]) => [
  name,
  level,
  plainLine(description.length > DESCRIPTION_CHARS ? `${beginningOf(description, DESCRIPTION_CHARS)}…` : description),
];
