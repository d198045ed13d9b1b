/** The page on a state directory that somebody else may have brought. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { openInstance } from "./support/open-instance.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "./support/use-pages.ts";

describe.runIf(hasChromium)("a state directory that was not made here", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();

  test("is listed on the page, and what waited in it goes on after the button is pressed", async () => {
    const mimikit = await Instance.start({
      isFound: true,
      async prepare(home) {
        mkdirSync(join(home, "inbox"), { recursive: true });
        const message = { kind: "message", text: "run `echo '<b>once</b>' >> ran`" };
        writeFileSync(join(home, "inbox", "x.json"), JSON.stringify(message));
      },
    });
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    const card = page.getByRole("article", { name: "Is this state directory yours?" });
    await card.getByText("message: run `echo '<b>once</b>' >> ran`").waitFor();
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
    expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);

    await card.getByRole("button", { name: "It is mine: adopt it" }).click();
    await card.waitFor({ state: "detached" });
    await page.locator(".message", { hasText: "once" }).first().waitFor();
    await mimikit.drained();
    expect(readFileSync(join(mimikit.workDir, "ran"), "utf8")).toContain("once");
  });
});
