/** The permissions of a model, on the page of a real instance: asked once, changed, and revoked. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Approval } from "@mimikit/protocol/approvals/approval";
import { describe, expect, test } from "vitest";
import { Instance } from "../../support/instance.ts";
import { openInstance } from "../support/open-instance.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { openView, view } from "../support/views.ts";

const APPROVAL: Approval = {
  kind: "approval",
  id: "t-000001.0.a1.approve",
  at: "2026-11-20T10:00:00.000Z",
  tool: "bash",
  prefix: ["npm", "install"],
  reaches: ["network"],
  title: "Install it",
};

describe.runIf(hasChromium)("autonomy", { timeout: 2 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  test("the page asks once; the settings change it, list what was allowed for good, and take it back", async () => {
    const path = (home: string) => join(home, "approvals", `${APPROVAL.id}.json`);
    const mimikit = await Instance.start({
      prepare: async (home) => {
        mkdirSync(join(home, "approvals"), { recursive: true });
        writeFileSync(path(home), JSON.stringify(APPROVAL));
      },
    });
    pages.atEnd(() => mimikit.dispose());
    const configured = () => readFileSync(join(mimikit.home, "config.yaml"), "utf8");
    const page = await openInstance(pages, mimikit);
    const step = page.locator('[data-step="autonomy"]');
    await step.and(page.locator('[data-state="open"]')).waitFor();
    await step.getByRole("button", { name: "In the workspace" }).click();
    await step.and(page.locator('[data-state="done"]')).waitFor();
    expect(configured()).toContain("autonomy: workspace");

    await openView(page, "settings");
    await view(page).getByRole("button", { name: "Ask me" }).click();
    await view(page).getByText("You are asked before each command").waitFor();
    expect(configured()).toContain("autonomy: ask");

    await view(page).getByText("npm install …").waitFor();
    await view(page).getByRole("button", { name: "Ask again before npm install" }).click();
    await view(page).getByText("npm install …").waitFor({ state: "detached" });
    await mimikit.until("the record to go", () => !existsSync(path(mimikit.home)) || undefined);
    await page.reload();
    await view(page).getByRole("button", { name: "Ask me", pressed: true }).waitFor();
    expect(await view(page).getByText("npm install …").count()).toBe(0);
  });
});
