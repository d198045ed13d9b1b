/** The card that connects a model. */
import type { ConnectionTest } from "@mimikit/protocol/wire/connect";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { describeProviders } from "../support/connections.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { openView, view } from "../support/views.ts";

const KEY = "sk-canary-0123456789abcdef";
const PRICE = { input: 0.25, cached: 0.025, output: 2 };
const FOUND = {
  models: [
    { id: "gpt-5-mini", contextWindow: 400_000, toolCalls: true, vision: true, price: PRICE },
    { id: "gpt-5", contextWindow: 400_000 },
    { id: "embed-1", toolCalls: false },
  ],
} satisfies ConnectionTest;
const ANSWER = {
  model: "gpt-5-mini",
  latencyMs: 640,
  toolCalls: true,
  vision: true,
  contextWindow: 400_000,
  price: PRICE,
};

const roles = <T>(value: T) => ({ teller: value, planner: value, worker: value, reviewer: value });

describe.runIf(hasChromium)("the card that connects a model", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { openPage } = pages;

  const card = (page: Page) => page.getByRole("region", { name: "Connect a model" });
  const field = (page: Page, name: string) => card(page).getByLabel(name, { exact: true });
  const button = (page: Page, name: string) => card(page).getByRole("button", { name, exact: true });
  const asked = (path: string) => pages.gateway.requests.filter((one) => one === path).length;
  const bodies = (path: string) => pages.gateway.wanted.filter((one) => one.path === path).map(({ body }) => body);

  /** Everything that this browser keeps, and everything that the page shows. */
  const kept = (page: Page) =>
    page.evaluate(() => {
      const values = [...document.querySelectorAll("input, textarea")].map((one) => (one as HTMLInputElement).value);
      const stores = [localStorage, sessionStorage].map((store) => JSON.stringify(store));
      return [document.documentElement.outerHTML, ...values, ...stores, location.href].join();
    });

  test("is on the empty page while no model is connected, and looks for local servers only when it is opened", async () => {
    describeProviders(pages.gateway);
    const { page } = await openPage();
    await button(page, "Choose a provider").waitFor();
    expect([asked("/api/providers"), asked("/api/providers/local")]).toEqual([0, 0]);
    await button(page, "Choose a provider").press("Enter");
    await card(page).getByText("No model server was found").waitFor();
    expect([asked("/api/providers"), asked("/api/providers/local")]).toEqual([1, 1]);
    expect(await field(page, "Provider").evaluate((one) => one === document.activeElement)).toBe(true);
  });

  test("takes a key, tests, offers the models that there are, saves for all roles, and forgets the key that was typed", async () => {
    describeProviders(pages.gateway);
    pages.gateway.connects.set("/api/providers/test", ({ model }: { model?: string }) =>
      model === undefined ? FOUND : { ...FOUND, answer: ANSWER },
    );
    pages.gateway.connects.set("/api/providers/connect", {
      providers: roles("openai"),
      models: roles("gpt-5-mini"),
    });
    const { page, mishaps } = await openPage();
    await button(page, "Choose a provider").click();
    // Its title is that of its model, which names no vendor: a list of vendors needs one.
    const option = field(page, "Provider").locator('option[value="openai"]');
    expect(await option.innerText()).toBe("OpenAI, or a compatible endpoint");
    await field(page, "Provider").selectOption("openai");
    expect(await field(page, "Key").getAttribute("type")).toBe("password");
    expect(await button(page, "Save").isDisabled()).toBe(true);
    await field(page, "Key").fill(` ${KEY} `);
    await button(page, "Test").click();
    await card(page).getByText("3 models found.").waitFor();
    expect(bodies("/api/providers/test")).toEqual([{ provider: "openai", key: KEY }]);

    // By keyboard alone: part of a name, the arrows, Enter.
    const model = card(page).getByRole("combobox", { name: "Model" });
    await model.focus();
    await model.pressSequentially("gpt");
    await expect
      .poll(() => card(page).getByRole("listbox").getByRole("option").allInnerTexts())
      .toEqual([expect.stringMatching(/^gpt-5-mini 400,000 tokens/), expect.stringMatching(/^gpt-5 /)]);
    await model.press("ArrowDown");
    await model.press("Enter");
    await expect.poll(() => model.inputValue()).toBe("gpt-5-mini");
    await button(page, "Test").click();
    await card(page).getByText("gpt-5-mini answered in 640ms.").waitFor();
    const facts = await card(page).locator(".connect-facts > div").allInnerTexts();
    expect(facts.map((fact) => fact.replace(/\s+/g, " "))).toEqual([
      "Tools yes",
      "Pictures yes",
      "Context window 400,000 tokens",
      "Price $0.25 in, $2.00 out, per million tokens",
    ]);

    await model.press("Enter");
    await card(page).getByText("Saved. It takes effect in a moment.").waitFor();
    expect(bodies("/api/providers/connect")).toEqual([{ provider: "openai", key: KEY, model: "gpt-5-mini" }]);
    expect(await kept(page)).not.toContain(KEY);
    pages.gateway.setStatus({ providers: roles("openai"), models: roles("gpt-5-mini") });
    // It stays to say what came of it.
    await card(page).getByText("In use: gpt-5-mini").waitFor();
    await page.locator("[data-provider]").getByText("gpt-5-mini").waitFor();
    expect(await kept(page)).not.toContain(KEY);
    expect(mishaps).toEqual([]);
  });

  test("a server that was found on this computer is chosen with its models, for one role, and a refusal says what is in the way", async () => {
    describeProviders(pages.gateway);
    const server = { provider: "ollama", baseUrl: "http://127.0.0.1:11434/v1", models: ["qwen3:8b"] };
    pages.gateway.answers.set("/api/providers/local", { servers: [server] });
    pages.gateway.connects.set(
      "/api/providers/connect",
      "providers.worker is set by the variable MIMIKIT_PROVIDER_WORKER",
    );
    const { page } = await openPage();
    await openView(page, "settings/connect");
    await field(page, "Provider").selectOption("Ollama at http://127.0.0.1:11434/v1 (1)");
    await expect.poll(() => card(page).getByRole("combobox", { name: "Model" }).inputValue()).toBe("qwen3:8b");
    for (const role of ["Teller", "Planner", "Reviewer"])
      await card(page)
        .getByRole("checkbox", { name: new RegExp(`^${role}`) })
        .uncheck();
    await button(page, "Save").click();
    await card(page).getByRole("alert").getByText("MIMIKIT_PROVIDER_WORKER").waitFor();
    expect(bodies("/api/providers/connect")).toEqual([{ provider: "ollama", model: "qwen3:8b", roles: ["worker"] }]);
  });

  test("a failed test says what helps, in words, and offers the names that are near", async () => {
    describeProviders(pages.gateway);
    pages.gateway.connects.set("/api/providers/test", {
      ...FOUND,
      problem: { cause: "model", text: "HTTP 404: no such model gpt5", names: ["gpt-5"] },
    } satisfies ConnectionTest);
    const { page } = await openPage();
    await openView(page, "settings/connect");
    await field(page, "Provider").selectOption("openai");
    await card(page).getByRole("combobox", { name: "Model" }).fill("gpt5");
    await button(page, "Test").click();
    await card(page).getByText("There is no such model. Choose one from the list.").waitFor();
    await card(page).getByText("HTTP 404").waitFor();
    await button(page, "gpt-5").click();
    await expect.poll(() => card(page).getByRole("combobox", { name: "Model" }).inputValue()).toBe("gpt-5");
  });

  test("a key that a variable holds is locked with its name, and a key that is kept can be forgotten", async () => {
    describeProviders(pages.gateway, { openai: { key: { from: "variable", variable: "OPENAI_API_KEY" } } });
    const { page } = await openPage();
    await openView(page, "settings/connect");
    await field(page, "Provider").selectOption("openai");
    expect(await field(page, "Key").isDisabled()).toBe(true);
    await card(page).getByText("from the variable OPENAI_API_KEY, which wins").waitFor();

    describeProviders(pages.gateway, { openai: { key: { from: "secrets.json" } } });
    pages.gateway.connects.set("/api/providers/forget-key", () => {
      describeProviders(pages.gateway);
      return {};
    });
    await page.reload();
    await field(page, "Provider").selectOption("openai");
    await button(page, "Delete the key").click();
    await card(page).getByText("The key was deleted.").waitFor();
    await card(page).getByRole("link", { name: "Create a key" }).waitFor();
    expect(bodies("/api/providers/forget-key")).toEqual([{ provider: "openai" }]);
  });

  test("a program is signed in by its own command, and looked at again when that is done", async () => {
    describeProviders(pages.gateway);
    const { page } = await openPage();
    await openView(page, "settings/connect");
    await field(page, "Provider").selectOption("Codex");
    await card(page).getByText("mimikit connect codex").waitFor();
    await card(page).getByText("Missing: a login.").waitFor();
    describeProviders(pages.gateway, { codex: { missing: null } });
    await button(page, "Check again").click();
    await card(page).getByText("Ready to use.").waitFor();
    expect(await button(page, "Save").isEnabled()).toBe(true);
  });

  test("below the message field another is chosen for one message, or from now on", async () => {
    const ready = { missing: null, model: "gpt-5-mini", answersFor: ["teller" as const] };
    describeProviders(pages.gateway, { openai: ready, ollama: { missing: null, model: "qwen3:8b" } });
    pages.gateway.connects.set("/api/providers/test", { models: [{ id: "qwen3:8b" }, { id: "qwen3:32b" }] });
    pages.gateway.connects.set("/api/providers/connect", { providers: roles("ollama"), models: roles("qwen3:32b") });
    const { page } = await openPage();
    pages.gateway.setStatus({ providers: roles("openai"), models: roles("gpt-5-mini") });
    const message = page.getByLabel("Message", { exact: true });
    const sheet = page.locator("#answerer");
    const name = page.locator(".composer ~ .facts .fact[popovertarget]");
    await message.fill("Say it");
    await name.getByText("gpt-5-mini").waitFor();
    await name.press("Enter");
    await expect.poll(() => sheet.getByRole("radio").count()).toBe(2);
    await sheet.getByRole("radio", { name: "Ollama" }).check();
    const model = sheet.getByRole("combobox", { name: "Model" });
    await model.fill("32");
    await sheet.getByRole("option", { name: "qwen3:32b" }).waitFor();
    await model.press("ArrowDown");
    await model.press("Enter");
    await model.press("Enter");
    await name.getByText("Next message: qwen3:32b").waitFor();
    await message.press("Enter");
    const first = await pages.gateway.arrival("input");
    expect(first).toMatchObject({ text: "Say it", answerBy: { provider: "ollama", model: "qwen3:32b" } });
    await name.getByText("gpt-5-mini").waitFor();
    await message.fill("And this");
    await message.press("Enter");
    expect(await pages.gateway.arrival("input", ({ text }) => text === "And this")).not.toHaveProperty("answerBy");

    await name.click();
    await sheet.getByRole("radio", { name: "Ollama" }).check();
    await model.fill("qwen3:32b");
    await sheet.getByRole("button", { name: "From now on" }).click();
    await sheet.waitFor({ state: "hidden" });
    expect(bodies("/api/providers/connect")).toEqual([{ provider: "ollama", model: "qwen3:32b", roles: ["teller"] }]);
  });

  test("who stands in is listed in its order, and who is left alone for a while is asked again at once", async () => {
    const open = { state: "open" as const, retryAt: new Date().toISOString(), reason: "connect ECONNREFUSED" };
    describeProviders(pages.gateway, { openai: open }, ["openai", "ollama"]);
    pages.gateway.connects.set("/api/providers/try-now", () => {
      describeProviders(pages.gateway, {}, ["openai", "ollama"]);
      return {};
    });
    const { page } = await openPage();
    await openView(page, "settings");
    const order = view(page).locator(".connect-order li");
    await order.filter({ hasText: "ECONNREFUSED" }).waitFor();
    expect(await order.evaluateAll((all) => all.map((one) => one.dataset.circuit))).toEqual(["open", "closed"]);
    await view(page).getByRole("button", { name: "Try now" }).click();
    await order.filter({ hasText: "ECONNREFUSED" }).waitFor({ state: "detached" });
    expect(bodies("/api/providers/try-now")).toEqual([{}]);
    await view(page).getByRole("link", { name: "Change the order" }).click();
    expect(new URL(page.url()).hash).toBe("#/settings/outage");
  });

  test.each([
    ["en", "light"],
    ["zh-CN", "dark"],
  ] as const)("is clean for axe and fits a phone, with everything open (%s, %s)", async (locale, colorScheme) => {
    describeProviders(pages.gateway, { openai: { key: { from: "secrets.json" } } });
    pages.gateway.connects.set("/api/providers/test", {
      models: [{ id: "x".repeat(200), contextWindow: 1 }],
      problem: { cause: "down", text: "y".repeat(300), names: ["z".repeat(200)] },
    } satisfies ConnectionTest);
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const { page } = await openPage({ locale, colorScheme, ...phone });
    await openView(page, "settings/connect");
    const connect = view(page).locator(".connect").first();
    await connect.locator("select").selectOption("openai");
    await connect.locator("summary").first().click();
    await connect.getByRole("button", { name: locale === "en" ? "Test" : "测试", exact: true }).click();
    await connect.getByText("yyy").waitFor();
    await connect.getByRole("combobox").last().focus();
    await connect.getByRole("option", { name: "xxx" }).waitFor();
    await page.evaluate(axe.source);
    const found = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run());
    const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll(".view-body, .view-body > *, .connect, .connect *")]
        .filter(
          (one) => one.getBoundingClientRect().right > innerWidth && getComputedStyle(one).position !== "absolute",
        )
        .map((one) => one.className || one.nodeName),
    );
    expect(wide).toEqual([]);
  });
});
