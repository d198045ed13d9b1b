/** `mimikit mcp login` */
import { createInterface } from "node:readline";
import { command } from "../../arguments/command.ts";
import { t } from "../../i18n/language.ts";
import { Failure } from "../../io/failure.ts";
import { currentPlace } from "../../io/place.ts";
import { printJson, printLine, printProgress } from "../../io/print.ts";
import { nameArgument, serverNamed } from "./servers.ts";

/** A person may take so long with a browser. */
const LOGIN_MS_MAX = 600_000;

export const login = command({
  usage: "login <name>",
  summary: "log in to a server with a browser, and keep the login",
  examples: [["mimikit mcp login shop", "prints the address to open"]],
  options: nameArgument,
  async run({ json, name }) {
    const { home } = currentPlace();
    const server = serverNamed(name);
    const { url } = server;
    if (url === undefined)
      throw new Failure("usage", t("{name} is a program, and only addresses ask for a login", { name }));
    const [{ logIn }, { expandServer }] = await Promise.all([
      import("@mimikit/agent/mcp/log-in"),
      import("@mimikit/agent/mcp/files/expand"),
    ]);
    const show = (address: URL) => {
      printProgress(t("open this in a browser:\n\n  {href}\n", { href: address.href }));
      printProgress(t("if the browser is on another machine: paste the last address that it shows here"));
    };
    const lines = createInterface({ input: process.stdin });
    try {
      const filled = expandServer(server, process.env).url ?? url;
      const was = await logIn({ home, name, url: filled, show, pasted: lines }, AbortSignal.timeout(LOGIN_MS_MAX));
      if (json) printJson({ name, asked: was });
      else printLine(was ? t("logged in to {name}", { name }) : t("{name} asks for no login", { name }));
    } finally {
      lines.close();
      process.stdin.destroy();
    }
  },
});
