/** Finds the browser that is installed. The tests bring none: a machine without one skips them and says so. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const WHOLE = ["/usr/bin/chromium", "/usr/bin/google-chrome"];
/** The headless shell is the same engine without the windows of a browser, and takes half of the processor time. */
const PLACES = ["/usr/bin/chromium-headless-shell", ...WHOLE];

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

/** The headless shell has neither push nor notifications: tests of them need a whole browser. */
export function findWholeChromium(): string | undefined {
  return process.env.MIMIKIT_CHROMIUM ?? WHOLE.find((path) => existsSync(path));
}

/** The path of a Chromium, from `MIMIKIT_CHROMIUM` or the usual places; undefined when there is none. */
export function findChromium(): string | undefined {
  const named = process.env.MIMIKIT_CHROMIUM;
  return [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path));
}

/** Starts a headless browser. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}
