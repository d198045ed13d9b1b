/** Finds the browser that is installed. The tests bring none: a machine without one skips them and says so. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/google-chrome"];

/** Nothing leaves the machine: no QUIC, no updates, no background requests. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The path of a Chromium, from `MIMIKIT_CHROMIUM` or the usual places; undefined when there is none. */
export function findChromium(): string | undefined {
  const named = process.env.MIMIKIT_CHROMIUM;
  return [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path));
}

/** Starts a headless browser. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}
