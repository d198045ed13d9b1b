/** `mimikit mcp add` */
import { setMcpServer, targetOf } from "@mimikit/agent/mcp/files/mcp-file";
import { LEVELS, type Level } from "@mimikit/protocol/base/skill";
import { describeIssues } from "@mimikit/protocol/texts/issues";
import { EXTERNAL_ROLES, type ExternalRole, McpName, McpServer } from "@mimikit/protocol/wire/mcp";
import { openHome } from "@mimikit/runtime/home/adoption";
import { command } from "../../arguments/command.ts";
import { t, told } from "../../i18n/language.ts";
import { Failure, misuseOf } from "../../io/failure.ts";
import { adoptedHome, currentPlace } from "../../io/place.ts";
import { plainLine, printJson, printLine } from "../../io/print.ts";
import { tried } from "./servers.ts";

/** The words behind it are the command of the server, even where they look like options. */
const REST = "--";

export const add = command({
  usage: "add <name> [command..]",
  summary: "add a server: a program of this machine, or an address",
  examples: [
    ["mimikit mcp add memory -- npx -y @modelcontextprotocol/server-memory", "a program; it is tested first"],
    ["mimikit mcp add files --level read-only -- npx -y @modelcontextprotocol/server-filesystem .", "may only read"],
    [
      "mimikit mcp add tracker --env TRACKER_KEY -- npx -y some-tracker",
      "saves this variable of the shell in mcp.json",
    ],
    [`mimikit mcp add shop --url https://shop.example/mcp --header 'Authorization: Bearer \${SHOP_KEY}'`, "an address"],
  ],
  options: (yargs) =>
    yargs
      .positional("name", { type: "string", demandOption: true, describe: "a name for the server" })
      .positional("command", { type: "string", array: true, describe: "behind --: the program and its arguments" })
      .option("url", { type: "string", describe: "its streamable HTTP address" })
      .option("env", {
        type: "string",
        array: true,
        nargs: 1,
        describe: "NAME=VALUE for the program, or NAME for its value in this shell",
      })
      .option("header", { type: "string", array: true, nargs: 1, describe: "'Name: value' of each request" })
      .option("role", {
        type: "string",
        array: true,
        nargs: 1,
        choices: EXTERNAL_ROLES,
        describe: "the roles that may use its tools, the Worker if not given; others only those that are read-only",
      })
      .option("level", { choices: LEVELS, describe: "the level of its tools, whatever it declares" })
      .option("test", { type: "boolean", default: true, describe: "test it first; --no-test saves it untested" }),
  async run({ json, name: given, test, ...options }) {
    const named = McpName.safeParse(given);
    if (!named.success) throw misuseOf(named.error);
    const name = named.data;
    const server = McpServer.safeParse(serverOf(options));
    if (!server.success) {
      const why = told(describeIssues(server.error));
      throw new Failure(
        "usage",
        t(
          "{why}; usage:  mimikit mcp add {name} -- <program> <arguments>  or  mimikit mcp add {name} --url <address>",
          { why, name },
        ),
      );
    }
    const { home } = currentPlace();
    openHome(home, process.env);
    adoptedHome();
    const condition = test ? await tried(name, server.data, json) : null;
    const wasThere = await setMcpServer(home, name, server.data);
    if (json) printJson({ name, replaced: wasThere });
    else printLine(`${wasThere ? t("replaced") : t("added")} ${name}: ${plainLine(targetOf(server.data))}`);
    if (condition?.needsLogin && !json) printLine(condition.problems.map(plainLine).join("; "));
  },
});

interface Described {
  url?: string | undefined;
  env?: string[] | undefined;
  header?: string[] | undefined;
  role?: ExternalRole[] | undefined;
  level?: Level | undefined;
}

function serverOf({ url, env, header, role, level }: Described): McpServer {
  const [program, ...args] = restOfLine();
  const mimikit = { ...(role !== undefined && { roles: role }), ...(level !== undefined && { level }) };
  return {
    ...(program !== undefined && { command: program, args }),
    ...(url !== undefined && { type: "http", url }),
    ...(env !== undefined && { env: Object.fromEntries(env.map(variable)) }),
    ...(header !== undefined && { headers: Object.fromEntries(header.map(headerOf)) }),
    ...(Object.keys(mimikit).length > 0 && { mimikit }),
  };
}

/** As it was typed: behind `--` nothing is an option of this command. */
function restOfLine(): string[] {
  const at = process.argv.indexOf(REST);
  return at < 0 ? [] : process.argv.slice(at + 1);
}

function variable(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  const value = process.env[text];
  if (value === undefined)
    throw new Failure("usage", t("--env: {text} is not set in this shell: use {text}=<value>", { text }));
  return [text, value];
}

function headerOf(text: string): [string, string] {
  const at = text.indexOf(":");
  if (at <= 0) throw new Failure("usage", t("--header has the form 'Name: value'"));
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
