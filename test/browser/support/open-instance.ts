/** A page of this build on a real instance, whatever was built before: all that it asks is answered by the real processes. */
import { join } from "node:path";
import { createPairing } from "@mimikit/runtime/home/pairing";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { Instance } from "../../support/instance.ts";
import { connected, type Pages } from "./use-pages.ts";

/** Opens it in a browser profile of its own, paired. */
export async function openInstance(
  pages: Pages,
  { port, home }: Instance,
  options: BrowserContextOptions = {},
): Promise<Page> {
  return openAt(pages, `http://127.0.0.1:${port}/#pair=${(await createPairing(home)).code}`, options);
}

/** Opens an address that signs in, in a browser profile of its own. */
export async function openAt(pages: Pages, address: string, options: BrowserContextOptions = {}): Promise<Page> {
  // A page that is put in place by the test is not known to come from this machine, where its gateway is.
  const permissions = ["local-network-access"];
  const context = await pages.browser.newContext({ viewport: { width: 1280, height: 800 }, permissions, ...options });
  pages.atEnd(() => context.close());
  const page = await context.newPage();
  const { origin } = new URL(address);
  await page.route(
    (url) => url.origin === origin && !url.pathname.startsWith("/api/") && url.pathname !== "/ws",
    (route, request) => {
      const { pathname } = new URL(request.url());
      return route.fulfill({ path: join(pages.dist, pathname === "/" ? "index.html" : pathname) });
    },
  );
  await page.goto(address);
  await connected(page);
  return page;
}
