/**
 * `npm run bench:page`: how fast the page is in a long conversation, in a real browser on a gateway that has nothing else
 * to do. With `-- FOLDER…` the pages built there are measured too, in turn with this one: `npm run bench:page -- /tmp/before`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import type { Browser, CDPSession, Page } from "playwright-core";
import { buildPage } from "./support/build-page.ts";
import { findWholeChromium, launchChromium } from "./support/chromium.ts";
import { messageRecord, statusRecord } from "./support/records.ts";
import { ScriptedGateway } from "./support/scripted-gateway.ts";

const ROUNDS = 3;
/** As many as a snapshot of the gateway has. */
const SNAPSHOT_MESSAGES = 50;
const TYPED_AT_MESSAGES = 800;
const SCROLLED_AT_MESSAGES = 5_000;
const LETTERS = 40;
/** As fast as a wheel goes when it is in a hurry. */
const SCROLLED_PX = 400;
const SCROLLED_FRAMES = 240;
const MINUTE_MS = 60_000;
/** A page that is slow is measured, too. */
const WAIT_MS_MAX = 300_000;

/** Milliseconds, frames a second, or elements, by the name of the row. */
type Figures = Map<string, number>;

const chromium = findWholeChromium();
if (chromium === undefined) throw new Error("no Chromium here: install one, or name it in MIMIKIT_CHROMIUM");
const own = await mkdtemp(join(tmpdir(), "mimikit-page-"));
const browser = await launchChromium(chromium);
try {
  await buildPage(own);
  const pages = [...process.argv.slice(2).map((dist) => ({ name: basename(dist), dist })), { name: "now", dist: own }];
  const rounds = new Map<string, Figures[]>(pages.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, dist } of pages) rounds.get(name)?.push(await measure(browser, dist));
  process.stdout.write(tableOf(rounds));
} finally {
  await browser.close();
  await rm(own, { recursive: true, force: true });
}

async function measure(browser: Browser, dist: string): Promise<Figures> {
  const figures: Figures = new Map();
  await open(browser, dist, SNAPSHOT_MESSAGES, async (page, devtools) => {
    await devtools.send("Network.setCacheDisabled", { cacheDisabled: true });
    await page.reload();
    await page.locator('[data-link="connected"]').waitFor();
    figures.set("connected, ms", await page.evaluate(() => performance.now()));
    const paint = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN;
    figures.set("first contentful paint, ms", await page.evaluate(paint));
    const brought = await bring(page, TYPED_AT_MESSAGES);
    figures.set("200 earlier messages, median, ms", median(brought));
    figures.set("200 earlier messages, longest, ms", Math.max(...brought));
    await use(page, devtools, figures, TYPED_AT_MESSAGES);
  });
  // The gateway has no more within reach: so many are in a page that was open for weeks.
  await open(browser, dist, SCROLLED_AT_MESSAGES, async (page, devtools) => {
    await use(page, devtools, figures, SCROLLED_AT_MESSAGES);
    const heap = await metric(devtools, "JSHeapUsedSize");
    figures.set(`heap, ${SCROLLED_AT_MESSAGES} messages, MB`, heap / 1e6);
  });
  return figures;
}

/** Opens the page on a gateway whose snapshot has so many messages, and has the ones before them. */
async function open(
  browser: Browser,
  dist: string,
  many: number,
  measured: (page: Page, devtools: CDPSession) => Promise<void>,
): Promise<void> {
  const said = Array.from({ length: SCROLLED_AT_MESSAGES }, (_, i) => message(i));
  const gateway = new ScriptedGateway(dist, statusRecord());
  for (const one of said.slice(-many)) gateway.message(one);
  gateway.answers.set("/api/messages", ({ before, limit }: { before: string; limit: string }) => {
    const end = said.findIndex(({ id }) => id === before);
    return { messages: said.slice(Math.max(0, end - Number(limit)), end) };
  });
  await gateway.start();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(WAIT_MS_MAX);
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(gateway.pairingAddress());
    await page.locator(`[data-id="${said.at(-1)?.id}"]`).waitFor();
    await measured(page, devtools);
  } finally {
    await context.close();
    await gateway.stop();
  }
}

/** Types and scrolls in a conversation of so many messages. */
async function use(page: Page, devtools: CDPSession, figures: Figures, many: number): Promise<void> {
  const set = (row: string, value: number) => figures.set(`${row}, ${many} messages`, value);
  set("elements", await page.evaluate(() => document.querySelectorAll("*").length));
  const cpuMs = async () => 1_000 * (await metric(devtools, "TaskDuration"));
  let before = await cpuMs();
  const typed = await type(page);
  set("typing, median, ms", median(typed));
  set("typing, longest, ms", Math.max(...typed));
  set("typing, CPU a key, ms", ((await cpuMs()) - before) / LETTERS);
  before = await cpuMs();
  const frames = await scroll(page);
  set("scrolling, frames a second", (1_000 * frames.length) / frames.reduce((sum, ms) => sum + ms, 0));
  set("scrolling, longest frame, ms", Math.max(...frames));
  set("scrolling, CPU a frame, ms", ((await cpuMs()) - before) / SCROLLED_FRAMES);
  set("from end to beginning, ms", await leap(page, 0));
}

/** Of the main thread of the page: durations in seconds of CPU, sizes in bytes. */
async function metric(devtools: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
}

/** A message as people and models write them: questions, and answers of paragraphs, lists, tables and code. */
function message(i: number): ChatMessage {
  const at = new Date(Date.now() - (SCROLLED_AT_MESSAGES - i) * MINUTE_MS).toISOString();
  const id = `m-${String(i).padStart(6, "0")}`;
  if (i % 2 === 0)
    return messageRecord({ id, role: "user", at, text: `How did bed ${i} do in the last week, and what is next?` });
  const list = ["water the **tomatoes**", "weigh `crate` by crate", "see [the plan](https://example.org)"];
  const parts = [
    `Bed ${i} did well. The soil was dry on two days, *so it was watered twice*; nothing else was out of the ordinary.`,
    list.map((item, n) => `${n + 1}. ${item}`).join("\n"),
    i % 3 === 0
      ? "| day | litres |\n|---|---:|\n| Monday | 12 |\n| Tuesday | 9 |"
      : "Nothing else is to be done today.",
    i % 5 === 0 ? `\`\`\`ts\nconst bed = ${i};\nawait water(bed);\n\`\`\`` : "Ask again on Friday.",
  ];
  return messageRecord({ id, role: "assistant", at, text: parts.join("\n\n") });
}

/** Clicks "Earlier messages" until there are so many. @returns how long each click took until its messages were drawn, ms */
async function bring(page: Page, many: number): Promise<number[]> {
  const times: number[] = [];
  while ((await page.locator(".message").count()) < many) {
    await page.locator(".scroller").evaluate((scroller) => scroller.scrollTo({ top: 0 }));
    times.push(
      await page.locator(".earlier button").evaluate(async (button) => {
        const drawn = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));
        const count = () => document.querySelectorAll(".message").length;
        const before = count();
        const began = performance.now();
        (button as HTMLButtonElement).click();
        while (count() === before) await drawn();
        await drawn();
        return performance.now() - began;
      }),
    );
  }
  await page.locator(".scroller").evaluate((scroller) => scroller.scrollTo({ top: scroller.scrollHeight }));
  return times;
}

/** Types into the message field. @returns from each key to the end of the frame that shows it, ms */
async function type(page: Page): Promise<number[]> {
  await page.locator("#message").fill("");
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { times });
    document.getElementById("message")?.addEventListener("keydown", ({ timeStamp }) => {
      requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - timeStamp)));
    });
  });
  for (let letter = 0; letter < LETTERS; letter++) await page.keyboard.press("a");
  await page.waitForFunction((many) => (window as unknown as { times: number[] }).times.length >= many, LETTERS);
  await page.locator("#message").fill("");
  return page.evaluate(() => (window as unknown as { times: number[] }).times);
}

/** Scrolls up from the end. @returns how long each frame took, ms */
function scroll(page: Page): Promise<number[]> {
  return page.locator(".scroller").evaluate(
    async (scroller, [px, frames]) => {
      const frame = () => new Promise<number>((done) => requestAnimationFrame(done));
      const times: number[] = [];
      let before = await frame();
      while (times.length < frames) {
        scroller.scrollBy({ top: -px, behavior: "instant" });
        const now = await frame();
        times.push(now - before);
        before = now;
      }
      return times;
    },
    [SCROLLED_PX, SCROLLED_FRAMES] as const,
  );
}

/** @returns how long it takes until the place that was leapt to is drawn, ms */
function leap(page: Page, top: number): Promise<number> {
  return page.locator(".scroller").evaluate(async (scroller, top) => {
    const drawn = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));
    const began = performance.now();
    scroller.scrollTo({ top, behavior: "instant" });
    await drawn();
    await drawn();
    return performance.now() - began;
  }, top);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** A table in Markdown: for each page the median of the rounds, with the least and the most. */
function tableOf(rounds: ReadonlyMap<string, readonly Figures[]>): string {
  const names = [...rounds.keys()];
  const rows = [...([...rounds.values()][0]?.[0]?.keys() ?? [])].map((row) => {
    const cells = names.map((name) =>
      rangeOf((rounds.get(name) ?? []).map((figures) => figures.get(row) ?? Number.NaN)),
    );
    return `| ${[row, ...cells].join(" | ")} |\n`;
  });
  return `| | ${names.join(" | ")} |\n|---|${"---|".repeat(names.length)}\n${rows.join("")}`;
}

function rangeOf(values: readonly number[]): string {
  const text = (value: number) => value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });
  return `${text(median(values))} (${text(Math.min(...values))}–${text(Math.max(...values))})`;
}
