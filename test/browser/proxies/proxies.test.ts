/** The page behind the proxies of docs/remote.md: real proxies, a real browser, the real processes. */
import { pairingUrl } from "@mimikit/runtime/config/address";
import { createPairing } from "@mimikit/runtime/home/pairing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { Instance } from "../../support/instance.ts";
import { BROWSER_MS_MAX, connected, hasChromium, usePages } from "../support/use-pages.ts";
import { askThrough, configurationsOf, findProxy, PROXIES, startProxy } from "./proxy.ts";

const SUB_PATH = "/assistant/";
/** The block that every tutorial begins with. */
const DEFAULT_NGINX = (configurationsOf("nginx")[0] ?? "").replace(/(proxy_pass [^\n]*\n).*?\n {2}\}/s, "$1  }");

describe.runIf(hasChromium)("behind a proxy", { timeout: 2 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  /** An instance that knows its public address, or does not. */
  async function start(publicUrl?: string): Promise<Instance> {
    const mimikit = await Instance.start({ env: publicUrl === undefined ? {} : { MIMIKIT_PUBLIC_URL: publicUrl } });
    pages.atEnd(() => mimikit.dispose());
    return mimikit;
  }

  /** A browser that has opened the address of `mimikit pair`. */
  async function openPaired({ home }: Instance, url: string): Promise<Page> {
    const { page } = await pages.newPage({ ignoreHTTPSErrors: true });
    await page.goto(pairingUrl("", { publicUrl: url }, (await createPairing(home)).code));
    return page;
  }

  for (const name of PROXIES) {
    describe.runIf(findProxy(name) !== undefined)(name, () => {
      const places = configurationsOf(name).map((configuration, index) => ({
        configuration,
        path: index === 0 ? "/" : SUB_PATH,
      }));

      test("docs/remote.md has it at the root of a name, and at a sub-path", () => {
        expect(places).toHaveLength(2);
      });

      test.each(places)(
        "the page pairs and talks at $path, and its cookie never leaves TLS",
        async ({ configuration, path }) => {
          const port = await freePort();
          const url = `https://localhost:${port}${path}`;
          const mimikit = await start(url);
          await startProxy(name, configuration, port, mimikit.port);
          const page = await openPaired(mimikit, url);
          await connected(page);
          expect(page.url()).toBe(url);
          const [cookie] = await page.context().cookies();
          expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: "Strict" });
          await page.getByLabel("Message", { exact: true }).fill("hello");
          await page.getByLabel("Message", { exact: true }).press("Enter");
          await page.locator('.message[data-role="assistant"]').first().waitFor();
        },
      );

      test("who guesses codes is locked out, and no other client of the proxy is", async () => {
        const port = await freePort();
        const mimikit = await start(`https://localhost:${port}/`);
        await startProxy(name, places[0]?.configuration ?? "", port, mimikit.port);
        const guess = (from: string) => askThrough(port, "/api/pair", { from, body: { code: "AAAA-AAAA" } });
        for (let n = 0; n < 10; n++) await guess("127.0.0.2");
        expect(await guess("127.0.0.2")).toBe(429);
        expect(await guess("127.0.0.3")).toBe(401);
      });
    });
  }

  describe.runIf(findProxy("nginx") !== undefined)("a proxy_pass that was left as it is", () => {
    test("the page pairs, and says that the proxy must pass its WebSocket on", async () => {
      expect(DEFAULT_NGINX).not.toContain("Upgrade");
      const port = await freePort();
      const url = `https://localhost:${port}/`;
      const mimikit = await start(url);
      await startProxy("nginx", DEFAULT_NGINX, port, mimikit.port);
      const page = await openPaired(mimikit, url);
      await page.getByText("the proxy in between must pass on Upgrade and Connection").waitFor();
    });

    test("without a public address the page says which command sets it", async () => {
      const port = await freePort();
      const mimikit = await start();
      await startProxy("nginx", DEFAULT_NGINX, port, mimikit.port);
      const page = await openPaired(mimikit, `https://localhost:${port}/`);
      await page.getByText(`mimikit config set publicUrl https://localhost:${port}/`).waitFor();
    });
  });
});
