/** Builds the page once for all browser tests, or says once why there are none. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildPage } from "./build-page.ts";
import { findChromium } from "./chromium.ts";
import { findFirefox } from "./firefox.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the built page; empty where there is no browser to show it. */
    pageDir: string;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (findChromium() === undefined) {
    process.stderr.write(
      "The page is not tested: no Chromium. Install one (apt-get install chromium) or set MIMIKIT_CHROMIUM.\n",
    );
    project.provide("pageDir", "");
    return undefined;
  }
  if (findFirefox() === undefined)
    process.stderr.write(
      "The page is not tested in Firefox: none is here. Install firefox-esr or set MIMIKIT_FIREFOX.\n",
    );
  const dist = await mkdtemp(join(tmpdir(), "mimikit-page-"));
  await buildPage(dist);
  project.provide("pageDir", dist);
  return () => rm(dist, { recursive: true, force: true });
}
