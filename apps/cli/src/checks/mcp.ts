/** Do the MCP servers run, as far as the worker pool has needed them? Starts none. */

import { describeServers } from "@mimikit/agent/mcp/describe-servers";
import { t, told } from "../i18n/language.ts";
import { type DoctorCheck, type DoctorInput, ok, warn } from "./check.ts";

export async function checkMcp({ home, exists }: DoctorInput): Promise<DoctorCheck[]> {
  if (!exists) return [];
  const { servers, commands, problems } = await describeServers(home, process.env);
  if (servers.length + commands.length + problems.length === 0) return [ok(t("no tools from outside are set up"))];
  const bad = servers.filter(({ state }) => state === "failed");
  const parts = servers.flatMap(({ name, problems }) => problems.map((problem) => ({ name, problem })));
  return [
    ...(servers.length > bad.length
      ? [ok(t("{well} of {all} MCP servers are well", { well: servers.length - bad.length, all: servers.length }))]
      : []),
    ...(commands.length > 0
      ? [ok(t("commands of yours: {names}", { names: commands.map(({ name }) => name).join(", ") }))]
      : []),
    ...parts.map(({ name, problem }) =>
      warn(`${name}: ${told(problem)}`, t("see why: mimikit mcp test '{name}'", { name })),
    ),
    ...problems.map((problem) => warn(problem, t("correct it, then: mimikit mcp"))),
  ];
}
