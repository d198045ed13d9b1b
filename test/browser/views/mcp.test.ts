/** The MCP servers in the settings, on a real instance: added, tried, refused and removed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Instance } from "../../support/instance.ts";
import { odd } from "../../support/mcp-servers.ts";
import { openInstance } from "../support/open-instance.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { openView, view } from "../support/views.ts";

describe.runIf(hasChromium)("the MCP servers in the settings", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();

  test("a server is added by its command line, tried, and removed; what cannot be is said beside the form", async () => {
    const mimikit = await Instance.start();
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    await openView(page, "settings");
    const settings = view(page);
    const file = () => JSON.parse(readFileSync(join(mimikit.home, "mcp.json"), "utf8")) as unknown;
    const add = async (name: string, target: string, secrets = "") => {
      await settings.getByLabel("Name", { exact: true }).fill(name);
      await settings.getByLabel("Command line, or address").fill(target);
      await settings.getByLabel("Variables or headers").fill(secrets);
      await settings.getByRole("button", { name: "Add", exact: true }).click();
    };
    await settings.getByText("Add a server").click();
    await add("-odd", "npx");
    await settings.getByRole("alert").getByText("a name is letters").waitFor();

    const { command = "", args = [] } = odd();
    await add("odd", `"${command}" ${args.join(" ")} "two words"`, "SECRET=hunter2-secret");
    await settings.getByRole("button", { name: "Remove odd" }).waitFor();
    expect(file()).toEqual({
      mcpServers: { odd: { command, args: [...args, "two words"], env: { SECRET: "hunter2-secret" } } },
    });
    await settings.getByRole("button", { name: "Test odd" }).click();
    await settings.getByText("2 tools").click();
    await settings.getByText("odd__say").waitFor();
    expect(await settings.textContent()).not.toContain("hunter2-secret");

    await add("gone", "/no/such/program");
    await settings.getByRole("button", { name: "Test gone" }).click();
    await settings.getByText("there is no program /no/such/program").or(settings.getByText("execvp")).first().waitFor();

    page.on("dialog", (dialog) => void dialog.accept());
    await settings.getByRole("button", { name: "Remove odd" }).click();
    await settings.getByRole("button", { name: "Remove odd" }).waitFor({ state: "detached" });
    expect(file()).toEqual({ mcpServers: { gone: { command: "/no/such/program", args: [] } } });
  });
});
