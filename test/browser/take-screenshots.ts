/**
 * `npm run screenshots`: the pictures of README.md and docs/page.md, taken of a real instance with a real browser. With
 * `-- FOLDER` they go there, and every view is taken in the dark and on a phone as well, for people to look at.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "@mimikit/protocol/base/usage";
import { createPairingCode } from "@mimikit/runtime/home/pairing";
import type { Page } from "playwright-core";
import { Instance } from "../support/instance.ts";
import { findChromium, launchChromium } from "./support/chromium.ts";

const folder = process.argv[2];
const IMAGES = folder ?? join(import.meta.dirname, "../../docs/images");
const SIZE = { width: 1180, height: 820 };
const PHONE = { width: 390, height: 844 };

const TRIGGERS = [
  { title: "Water the beds", prompt: "remind me to water the beds", cron: "0 0 9 * * 1-5", timezone: "UTC" },
  { title: "Run the tests", prompt: "run `npm test`", interval: 7_200 },
  { title: "Back up the notes", prompt: "run `ls`", cron: "0 30 18 * * 5", timezone: "UTC" },
  {
    title: "Look at the plan",
    prompt: "run `wc -l plan.md`",
    condition: { type: "file_changed", params: { path: "plan.md" } },
  },
  {
    title: "Announce the harvest",
    prompt: "remind me to announce the harvest",
    condition: {
      type: "and",
      conditions: [
        { type: "file_exists", params: { path: "harvest/weighed" } },
        {
          type: "or",
          conditions: [
            { type: "file_changed", params: { path: "harvest/**/*.md" } },
            { type: "not", condition: { type: "time", params: { weekdays: ["sat", "sun"], timezone: "UTC" } } },
          ],
        },
      ],
    },
  },
];

/** Work that looks like work: what is listed comes first, some of the rest takes its time, and one of it fails. */
const SCRIPTS = {
  "list-beds": "sleep 2; ls",
  "count-seeds": "sleep 4; grep -c . plan.md",
  "check-links": "sleep 3; echo 'plan.md: the link to compost.md is dead'; exit 1",
  "water-beds": "for n in $(seq 240); do echo watering bed $n; sleep 1; done",
  "weigh-crates": "for n in $(seq 240); do echo weighing crate $n; sleep 1; done",
  "sum-up": "sleep 6; wc -w README.md",
};
const [FIRST, ...REST] = Object.keys(SCRIPTS).map((name) => `\`sh ${name}.sh\``);
const PLAN = `run ${FIRST} then ${REST.join(" and ")}`;

const BACKLOG = ["compare the three seed catalogues", "mend the fence", "draw the beds of next year"];

/** What each model has cost on the last days, so that the chart has something to show. */
const SPENT = [3, 9, 14, 6, 0, 2, 11, 18, 7, 12, 16, 4, 0, 21].map((thousands, daysAgo) => ({ thousands, daysAgo }));

/** A view, with what must be seen before the picture is taken. */
const VIEWS: readonly { name: string; address: string; seen: (page: Page) => Promise<unknown> }[] = [
  {
    name: "search",
    address: "#/search/watering",
    seen: (page) => page.locator("[data-source] mark").first().waitFor(),
  },
  {
    name: "timeline",
    address: "#/tasks/timeline",
    seen: (page) => page.locator('.lane-run[data-state="failed"]').waitFor({ state: "attached" }),
  },
  {
    name: "board",
    address: "#/tasks",
    seen: (page) => page.locator('.graph-task[data-state="failed"]').waitFor(),
  },
  { name: "task", address: "#/tasks/t-000002.0.1", seen: (page) => page.locator(".result").waitFor() },
  { name: "triggers", address: "#/triggers", seen: (page) => page.locator(".firing").first().waitFor() },
  {
    name: "trigger-form",
    address: "#/triggers/new",
    seen: (page) => page.locator(".upcoming", { hasText: "Next:" }).waitFor(),
  },
  {
    name: "condition",
    address: "#/triggers",
    // Its id is not known before: its form is opened as people do.
    seen: async (page) => {
      await page.getByRole("button", { name: "Change Announce the harvest" }).click();
      await page.locator("[data-condition-words]").scrollIntoViewIfNeeded();
    },
  },
  { name: "backlog", address: "#/backlog", seen: (page) => page.locator('.item[data-done="true"]').waitFor() },
  { name: "memory", address: "#/memory", seen: (page) => page.locator("[data-source]").first().waitFor() },
  { name: "skills", address: "#/skills", seen: (page) => page.locator("[data-skill]").first().waitFor() },
  {
    name: "improvements",
    address: "#/improvements",
    seen: (page) => page.getByText("mimikit improve now").waitFor(),
  },
  { name: "usage", address: "#/usage", seen: (page) => page.locator(".part").first().waitFor() },
  { name: "audit", address: "#/audit", seen: (page) => page.locator(".trail li").first().waitFor() },
  { name: "settings", address: "#/settings", seen: (page) => page.locator(".ways").waitFor() },
  { name: "keys", address: "#/keys", seen: (page) => page.locator("kbd").last().waitFor() },
];

/** The views of which the docs have a picture. */
const SHOWN = ["timeline", "board", "triggers", "condition", "usage"];

const chromium = findChromium();
if (chromium === undefined) throw new Error("no Chromium here: install one, or name it in MIMIKIT_CHROMIUM");
const mimikit = await Instance.start();
const browser = await launchChromium(chromium);
try {
  spend();
  writeFileSync(join(mimikit.workDir, "README.md"), "# Garden\n\nWhat grows where, and when to water it.\n");
  writeFileSync(join(mimikit.workDir, "plan.md"), "- tomatoes\n- basil\n");
  for (const [name, script] of Object.entries(SCRIPTS))
    writeFileSync(join(mimikit.workDir, `${name}.sh`), `${script}\n`);
  for (const trigger of TRIGGERS) await post("triggers", trigger);
  for (const item of BACKLOG) await post("backlog", { op: "add", item });
  await post("backlog", { op: "done", item: BACKLOG[1] });
  await mimikit.replyTo(await mimikit.send("remember that watering day is Thursday"));
  await mimikit.replyTo(await mimikit.send("run `ls` then `wc -l README.md`"));
  await mimikit.replyWith("3 README.md");
  await mimikit.replyTo(await mimikit.send(PLAN));
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: SIZE, colorScheme, deviceScaleFactor: 1 });
    const page = await open(await context.newPage());
    await page.getByText("watering bed").last().waitFor();
    await page.locator(".work").last().waitFor();
    await page.screenshot({ path: join(IMAGES, `page-${colorScheme}.png`) });
    if (colorScheme === "light") process.stdout.write(`first paint: ${await firstPaintMs(page)} ms\n`);
    if (colorScheme === "light" || folder !== undefined) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").waitFor();
      await page.screenshot({ path: join(IMAGES, `palette-${colorScheme}.png`) });
      await page.keyboard.press("Escape");
      await takeViews(page, colorScheme);
    }
    await context.close();
  }
  if (folder !== undefined) {
    const context = await browser.newContext({ viewport: PHONE, isMobile: true, hasTouch: true });
    await takeViews(await open(await context.newPage()), "phone");
    await context.close();
  }
} finally {
  await browser.close();
  await mimikit.dispose();
}

async function open(page: Page): Promise<Page> {
  await page.goto(`http://127.0.0.1:${mimikit.port}/#pair=${await createPairingCode(mimikit.home)}`);
  // The first status may be of a moment before everything ran.
  await page.locator('[data-link="connected"]').waitFor();
  return page;
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

async function takeViews(page: Page, suffix: string): Promise<void> {
  for (const { name, address, seen } of VIEWS) {
    if (folder === undefined && !SHOWN.includes(name)) continue;
    await page.evaluate((hash) => {
      location.hash = hash;
    }, address);
    await seen(page);
    await page.screenshot({ path: join(IMAGES, `${name}-${suffix}.png`) });
  }
}

async function post(what: "triggers" | "backlog", wish: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${mimikit.port}/api/${what}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${mimikit.token}`, "Content-Type": "application/json" },
    body: JSON.stringify(wish),
  });
  if (!answer.ok) throw new Error(`a wish was refused: ${await answer.text()}`);
}

/** Writes what runs would have cost. */
function spend(): void {
  for (const { thousands, daysAgo } of SPENT) {
    if (thousands === 0) continue;
    const at = new Date(Date.now() - daysAgo * 86_400_000);
    const lines = (["teller", "worker"] as const).map((role, i) =>
      JSON.stringify({
        at: at.toISOString(),
        taskId: `t-9${String(daysAgo).padStart(5, "0")}.${i}`,
        attempt: 1,
        role,
        provider: "openai",
        model: "a-model",
        inputTokens: thousands * 700 * (i + 1),
        cachedTokens: thousands * 300,
        outputTokens: thousands * 120,
        costUsd: thousands * 0.004 * (i + 1),
      }),
    );
    writeFileSync(join(mimikit.home, "usage", `${dayOf(at.getTime())}.jsonl`), `${lines.join("\n")}\n`);
  }
}
