/** `mimikit mcp list` */
import { describeServers } from "@mimikit/agent/mcp/describe-servers";
import type { McpList } from "@mimikit/protocol/wire/mcp";
import { command } from "../../arguments/command.ts";
import { nameIn, t, told } from "../../i18n/language.ts";
import { currentPlace } from "../../io/place.ts";
import { plainLine, printJson, printLine, printTable, styled } from "../../io/print.ts";
import { toolRow } from "./servers.ts";

export const list = command({
  usage: "list",
  summary: "the servers, and the tools of each",
  examples: [["mimikit mcp list", "mimikit mcp alone is the same"]],
  async run({ json }) {
    const { home } = currentPlace();
    const found = await describeServers(home, process.env);
    if (json) {
      printJson(found);
      return;
    }
    const rows = found.servers.map(({ name, state, roles, tools, target }) => [
      name,
      nameIn(state),
      roles.join(", "),
      String(tools.length),
      plainLine(target),
    ]);
    printTable(["name", "state", "for", "tools", "what"], rows, t("there are no MCP servers: mimikit mcp add --help"));
    showTools(found);
  },
});

function showTools({ servers, commands, problems }: McpList): void {
  for (const { name, tools, problems: own } of servers) {
    if (tools.length + own.length > 0) printLine();
    if (tools.length > 0) printTable([t("tools of {name}", { name }), "level", "what for"], tools.map(toolRow), "");
    for (const problem of own) printLine(styled("yellow", plainLine(`! ${name}: ${told(problem)}`)));
  }
  if (commands.length > 0) {
    printLine();
    printTable(["your commands", "level", "what for"], commands.map(toolRow), "");
  }
  for (const problem of problems) printLine(styled("yellow", plainLine(`! ${told(problem)}`)));
}
