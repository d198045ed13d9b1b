/**
 * `npm run screenshots`: the pictures of README.md and of docs/page/pictures.md, taken of a real instance with a real
 * browser. With `-- FOLDER` they go there, and of every view there are all: three widths, two colours, two languages.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPairing } from "@mimikit/runtime/home/pairing";
import type { CDPSession, Page } from "playwright-core";
import { COLOURS, LANGUAGES, PICTURES, SIZES } from "../../scripts/gallery.ts";
import { Instance } from "../support/instance.ts";
import { findWholeChromium, launchChromium } from "./support/chromium.ts";
import { fillGarden } from "./support/garden.ts";
import { settled } from "./support/views.ts";

const folder = process.argv[2];
const IMAGES = folder ?? join(import.meta.dirname, "../../docs/images");
const GALLERY = join(IMAGES, "page");
/** Of the pictures of README.md, in pixels. */
const README_SIZE = { width: 1180, height: 820 };
/** Of WebP, in percent: letters stay sharp, and a picture of a large screen has some 40 kilobytes. */
const QUALITY = 70;
const LOCALES = { en: "en-GB", zh: "zh-CN" } as const;

/** A view, with what must be seen before the picture is taken. */
interface Shot {
  name: string;
  address: string;
  seen: (page: Page) => Promise<unknown>;
}

const chromium = findWholeChromium();
if (chromium === undefined) throw new Error("no Chromium here: install one, or name it in MIMIKIT_CHROMIUM");
const mimikit = await Instance.start();
const browser = await launchChromium(chromium);
try {
  await canWriteChinese();
  await fillGarden(mimikit);
  rmSync(GALLERY, { recursive: true, force: true });
  mkdirSync(GALLERY, { recursive: true });
  const shots = await listShots();
  for (const colours of COLOURS) {
    for (const language of LANGUAGES) {
      const locale = { locale: LOCALES[language], timezoneId: "UTC", reducedMotion: "reduce" as const };
      const context = await browser.newContext({ viewport: README_SIZE, colorScheme: colours, ...locale });
      const page = await open(await context.newPage());
      if (language === "en") {
        await isFull(page);
        await page.screenshot({ path: join(IMAGES, `page-${colours}.png`) });
        if (colours === "light") process.stdout.write(`first paint: ${await firstPaintMs(page)} ms\n`);
      }
      const camera = await context.newCDPSession(page);
      for (const shot of shots) await take(page, camera, shot, `${colours}-${language}`);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await mimikit.dispose();
}

/** Without a font for it, every character of Chinese is the same box. */
async function canWriteChinese(): Promise<void> {
  const page = await browser.newPage();
  const [one, other] = await page.evaluate(() =>
    ["中", "文"].map((character) => {
      const canvas = document.createElement("canvas");
      canvas.getContext("2d")?.fillText(character, 10, 10);
      return canvas.toDataURL();
    }),
  );
  await page.close();
  if (one === other) throw new Error("no font for Chinese here: install one, such as fonts-wqy-microhei of Debian");
}

async function open(page: Page): Promise<Page> {
  await page.goto(`http://127.0.0.1:${mimikit.port}/#pair=${(await createPairing(mimikit.home)).code}`);
  // The first status may be of a moment before everything ran.
  await page.locator('[data-link="connected"]').waitFor();
  return page;
}

/** Running tasks say what they do, and the last reply has its card. */
async function isFull(page: Page): Promise<void> {
  await page.getByText("watering bed").last().waitFor({ state: "attached" });
  await page.locator(".work").last().waitFor();
}

/** A form of a condition is opened by the id of its trigger, which is not known before. */
async function listShots(): Promise<Shot[]> {
  const { triggers } = await mimikit.api<{ triggers: { id: string; title: string }[] }>("/api/triggers");
  const announce = triggers.find(({ title }) => title === "Announce the harvest")?.id;
  return [
    { name: "conversation", address: "", seen: isFull },
    {
      name: "palette",
      address: "",
      seen: async (page) => {
        if ((await page.locator(".palette").count()) === 0) await page.keyboard.press("Control+k");
        await page.locator(".palette").getByRole("option").first().waitFor();
      },
    },
    {
      name: "search",
      address: "#/search/watering",
      seen: (page) => page.locator("[data-source] mark").first().waitFor(),
    },
    { name: "board", address: "#/tasks", seen: (page) => page.locator('.graph-task[data-state="failed"]').waitFor() },
    {
      name: "timeline",
      address: "#/tasks/timeline",
      seen: (page) => page.locator('.lane-run[data-state="failed"]').waitFor({ state: "attached" }),
    },
    { name: "task", address: "#/tasks/t-000002.0.1", seen: (page) => page.locator(".result").waitFor() },
    { name: "triggers", address: "#/triggers", seen: (page) => page.locator(".firing").first().waitFor() },
    {
      name: "condition",
      address: `#/triggers/${announce}`,
      seen: (page) => page.locator("[data-condition-words]").scrollIntoViewIfNeeded(),
    },
    { name: "memory", address: "#/memory", seen: (page) => page.locator("[data-source]").first().waitFor() },
    { name: "changes", address: "#/changes", seen: (page) => page.locator(".change").first().waitFor() },
    { name: "usage", address: "#/usage", seen: (page) => page.locator(".part").first().waitFor() },
    { name: "settings", address: "#/settings", seen: (page) => page.locator(".settings h3").first().waitFor() },
  ];
}

/** Takes the pictures of a view that are wanted in these colours and this language. */
async function take(page: Page, camera: CDPSession, { name, address, seen }: Shot, kind: string): Promise<void> {
  for (const [width, size] of Object.entries(SIZES)) {
    const picture = `${name}-${width}-${kind}.webp`;
    if (folder === undefined && !PICTURES.includes(picture)) continue;
    await page.setViewportSize(size);
    if (new URL(page.url()).hash !== address)
      await page.evaluate((hash) => {
        location.hash = hash;
      }, address);
    await seen(page);
    await settled(page);
    const { data } = await camera.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
    writeFileSync(join(GALLERY, picture), Buffer.from(data, "base64"));
  }
  // Without the palette, Escape would stop what runs.
  if ((await page.locator(".palette").count()) > 0) await page.keyboard.press("Escape");
}

/** How long the page takes from the request to its first paint: the median of some loads with nothing in the cache. */
async function firstPaintMs(page: Page): Promise<number> {
  const LOADS = 9;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
  const times: number[] = [];
  for (let load = 0; load < LOADS; load++) {
    await page.reload();
    await page.locator('[data-link="connected"]').waitFor();
    times.push(await page.evaluate(() => performance.getEntriesByName("first-paint")[0]?.startTime ?? Number.NaN));
  }
  await devtools.detach();
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(LOADS / 2)] ?? Number.NaN);
}
