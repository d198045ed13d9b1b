/** The base of every browser test: one Chromium for a file, and for each test a scripted gateway and pages of its own. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, inject } from "vitest";
import { findChromium, launchChromium } from "./chromium.ts";
import { statusRecord } from "./records.ts";
import { ScriptedGateway } from "./scripted-gateway.ts";

/** A browser that has to start, and a test in it, may take this long. */
export const BROWSER_MS_MAX = 60_000;
/** Some tests end a session or stop the gateway, or are refused something, and Chromium logs each of that. */
const EXPECTED = /ERR_CONNECTION|40[01]|410|WebSocket/;

const chromiumPath = findChromium();
export const hasChromium = chromiumPath !== undefined;

export interface OpenedPage {
  page: Page;
  /** The mishaps in it: uncaught errors, lines of the console, requests to elsewhere, dialogs. */
  mishaps: string[];
}

export interface Pages {
  /** The folder of the built page. */
  readonly dist: string;
  readonly browser: Browser;
  /** The gateway of the test that runs. */
  readonly gateway: ScriptedGateway;
  /** A browser profile of its own, which knows nobody. */
  newPage(options?: BrowserContextOptions): Promise<OpenedPage>;
  /** A page that is paired and has its snapshot. */
  openPage(options?: BrowserContextOptions): Promise<OpenedPage>;
  /** Stops the gateway and puts another at its address, which knows nothing of it and is not started yet. */
  replaceGateway(): Promise<void>;
  /** Done after the test that runs, the last first. */
  atEnd(cleanUp: () => Promise<unknown>): void;
}

/** Call it once in a `describe`. @param path of the browser. */
export function usePages(path = chromiumPath): Pages {
  const dist = inject("pageDir");
  let browser: Browser;
  let gateway: ScriptedGateway;
  const cleanUps: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    browser = await launchChromium(path ?? "");
  }, BROWSER_MS_MAX);
  afterAll(() => browser?.close());
  beforeEach(async () => {
    gateway = new ScriptedGateway(dist, statusRecord());
    await gateway.start();
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
    await gateway.stop();
  });

  async function newPage(options: BrowserContextOptions = {}): Promise<OpenedPage> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    cleanUps.push(() => context.close());
    const page = await context.newPage();
    const mishaps: string[] = [];
    page.on("pageerror", (error) => mishaps.push(String(error)));
    page.on("console", (line) => {
      if (line.type() === "error" && !EXPECTED.test(line.text())) mishaps.push(line.text());
    });
    page.on("request", (request) => {
      if (new URL(request.url()).hostname !== "127.0.0.1") mishaps.push(`request to ${request.url()}`);
    });
    page.on("dialog", (dialog) => {
      mishaps.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return { page, mishaps };
  }

  async function openPage(options: BrowserContextOptions = {}): Promise<OpenedPage> {
    const opened = await newPage(options);
    await opened.page.goto(gateway.pairingAddress());
    await connected(opened.page);
    // The provider is part of the snapshot: whatever the gateway says from here on reaches the page.
    await opened.page.locator("[data-provider]").waitFor();
    return opened;
  }

  return {
    dist,
    get browser() {
      return browser;
    },
    get gateway() {
      return gateway;
    },
    newPage,
    openPage,
    replaceGateway: async () => {
      const successor = gateway.successor();
      await gateway.stop();
      gateway = successor;
    },
    atEnd: (cleanUp) => {
      cleanUps.push(cleanUp);
    },
  };
}

/** Waits until the page says that it is connected. */
export function connected(page: Page): Promise<void> {
  return page.locator('[data-link="connected"]').waitFor();
}
