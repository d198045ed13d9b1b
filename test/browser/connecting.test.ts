/** A model is connected from nothing, on the page of a real instance, and goes on answering after everything was killed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findAgent } from "../support/agents.ts";
import { Aimock } from "../support/aimock.ts";
import { expectSecret, CONNECT_KEY as KEY, REPLY, startAnew, startUnconnected } from "../support/connected.ts";
import { findKey } from "../support/find-key.ts";
import type { Instance } from "../support/instance.ts";
import { ModelServer } from "../support/model-server.ts";
import { openInstance } from "./support/open-instance.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "./support/use-pages.ts";

const SCRIPT = { teller: [{ say: REPLY }] };
const MODEL = "scripted";

/** All that is typed or chosen; the rest is as the card offers it. */
interface Given {
  provider: string;
  address: string;
  key?: string;
  model: string;
}

describe.runIf(hasChromium)("on the page", { timeout: 4 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  const card = (page: Page) => page.getByRole("region", { name: "Connect a model" });
  const button = (page: Page, name: string) => card(page).getByRole("button", { name, exact: true });

  async function served(env: Record<string, string> = {}): Promise<{ mimikit: Instance; page: Page }> {
    const mimikit = await startUnconnected({ env });
    pages.atEnd(() => mimikit.dispose());
    return { mimikit, page: await openInstance(pages, mimikit) };
  }

  /** From the empty page to "Answers now". */
  async function connect(page: Page, { provider, address, key, model }: Given): Promise<void> {
    await button(page, "Choose a provider").click();
    await card(page).getByLabel("Provider", { exact: true }).selectOption(provider);
    await button(page, "Test").waitFor();
    await card(page)
      .locator("details")
      .evaluateAll((all) => {
        for (const details of all) (details as HTMLDetailsElement).open = true;
      });
    if (key !== undefined) await card(page).getByLabel(/^Key/).fill(key);
    await card(page).getByLabel("Address", { exact: true }).fill(address);
    await card(page).getByRole("combobox", { name: "Model" }).fill(model);
    await button(page, "Test").click();
    await card(page)
      .getByText(new RegExp(`${model} answered in`))
      .waitFor();
    await button(page, "Save").click();
    await card(page).getByText(`In use: ${model}`).waitFor();
  }

  /** Says something on the page; the reply names the model. */
  async function ask(page: Page, text: string, nth: number, model: string): Promise<void> {
    const field = page.getByLabel("Message", { exact: true });
    await field.fill(text);
    await field.press("Enter");
    const reply = page.locator('.message[data-role="assistant"][data-id]', { hasText: REPLY }).nth(nth - 1);
    await reply.getByText(model).waitFor();
  }

  /** It answers, also after a restart in a shell without variables, and its key is in no other file, answer or process. */
  async function expectKept(mimikit: Instance, page: Page, model: string): Promise<void> {
    await ask(page, "Are you there?", 1, model);
    await startAnew(mimikit);
    await ask(page, "Still there?", 2, model);
    await mimikit.drained();
    const shown = await page.content();
    const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    expect(await findKey(KEY, mimikit, [shown, stored])).toEqual([]);
  }

  test.each([
    ["openai", ({ baseUrl }: Aimock) => baseUrl],
    ["anthropic", ({ url }: Aimock) => url],
    ["google", ({ url }: Aimock) => url],
  ] as const)("%s is connected with a key, answers, and is kept", async (provider, urlOf) => {
    const model = await Aimock.start(SCRIPT);
    pages.atEnd(() => model.close());
    const { mimikit, page } = await served();
    await connect(page, { provider, address: urlOf(model), key: KEY, model: MODEL });
    expectSecret(mimikit);
    await expectKept(mimikit, page, MODEL);
  });

  test("Ollama is connected without a key, with a model of its list, and is kept", async () => {
    const model = await ModelServer.start(SCRIPT);
    pages.atEnd(() => model.close());
    model.models = [{ id: "qwen3:8b" }, { id: "llama3:8b" }];
    const show = { capabilities: ["completion", "tools"], model_info: { "qwen3.context_length": 40_960 } };
    model.ollama = { show, ps: { models: [{ name: "qwen3:8b", context_length: 32_768 }] } };
    const { mimikit, page } = await served();
    await connect(page, { provider: "ollama", address: model.baseUrl, model: "qwen3:8b" });
    await expectKept(mimikit, page, "qwen3:8b");
    expect(readFileSync(join(mimikit.home, "config.yaml"), "utf8")).toContain("provider: ollama");
  });

  for (const [name, variable, urlOf] of [
    ["codex", "MIMIKIT_CODEX_BIN", ({ baseUrl }: ModelServer) => baseUrl],
    ["claude", "MIMIKIT_CLAUDE_BIN", ({ url }: ModelServer) => url],
  ] as const) {
    const found = findAgent(name);
    test.skipIf("missing" in found)(`the real ${name} is connected with a key, answers, and is kept`, async () => {
      const model = await ModelServer.start(SCRIPT);
      pages.atEnd(() => model.close());
      const { mimikit, page } = await served({ [variable]: "bin" in found ? found.bin : "" });
      await connect(page, { provider: name, address: urlOf(model), key: KEY, model: MODEL });
      expectSecret(mimikit);
      await expectKept(mimikit, page, MODEL);
    });
  }
});
