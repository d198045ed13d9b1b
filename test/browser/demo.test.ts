/** The page of a demo: its button kills a real process, and its bar tells what the records say. */
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import type { DemoReport } from "@mimikit/protocol/wire/demo";
import axe from "axe-core";
import { execa } from "execa";
import express from "express";
import { describe, expect, test } from "vitest";
import { endDemo, startDemo } from "../support/demo.ts";
import { openAt } from "./support/open-instance.ts";
import { hasChromium, usePages } from "./support/use-pages.ts";

const ROOT = join(import.meta.dirname, "../..");
const RECORD = join(ROOT, "scripts/demo-static/record.ts");
/** A demo starts and is killed, on a loaded machine. */
const DEMO_MS_MAX = 180_000;

describe.runIf(hasChromium)("the page of a demo", { timeout: DEMO_MS_MAX }, () => {
  const pages = usePages();

  test("kills each process in turn, and tells what became of every task and message, in words", async () => {
    const place = mkdtempSync(join(tmpdir(), "mimikit-page-demo-"));
    pages.atEnd(async () => rmSync(place, { recursive: true, force: true }));
    const demo = await startDemo(place);
    pages.atEnd(() => endDemo(demo));
    const page = await openAt(pages, demo.pairingUrl);
    const bar = page.getByRole("complementary", { name: "Demo" });
    await bar.getByText("This is a demo. Everything in it is invented.").waitFor();
    await page.getByText("Which roof shall the shed have?").first().waitFor();
    await page.locator(".fact.running").waitFor();

    const names = { workers: "The worker pool", supervisor: "The supervisor", gateway: "The gateway" };
    for (const [role, name] of Object.entries(names) as [keyof typeof names, string][]) {
      const { processes }: Status = await (await demo.ask("/api/status")).json();
      await bar.getByRole("button", { name: "Kill it" }).click();
      const told = bar.getByRole("status").filter({ hasText: new RegExp(`^${name} was killed .* It is back after`) });
      await told.waitFor({ timeout: DEMO_MS_MAX });
      const { kills }: DemoReport = await (await demo.ask("/api/demo")).json();
      const last = kills.at(-1);
      const { after, running } = last ?? {};
      expect(last?.role).toBe(role);
      expect(await told.textContent()).toContain(
        `Nothing is lost: ${after?.goOn} of ${running} running tasks continue; ${after?.tasks.there} of ${after?.tasks.before} tasks and ` +
          `${after?.messages.there} of ${after?.messages.before} messages are there. Nothing was done twice.`,
      );
      const now: Status = await (await demo.ask("/api/status")).json();
      expect(now.processes[role].pid).not.toBe(processes[role].pid);
    }
    await page.goto(`${demo.url}/#/tasks`);
    await page.locator(".graph-task").first().waitFor();
    await bar.waitFor();
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run(".demo"));
    expect(violations).toEqual([]);
  });

  test("is the only one that has a bar and a button, and speaks Chinese to who reads it", async () => {
    const { page } = await pages.openPage();
    expect(await page.locator(".demo").count()).toBe(0);
    pages.gateway.status = { ...pages.gateway.status, demo: true };
    const { page: chinese } = await pages.openPage({ locale: "zh-CN", viewport: { width: 390, height: 844 } });
    await chinese.getByText("这是演示，其中一切均为虚构。").waitFor();
    expect(await chinese.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await chinese.locator(".demo").innerText()).not.toMatch(/[a-z]{4}/i);
  });

  test("can be recorded into files that any static server shows, with the household and without a gateway", async () => {
    const place = mkdtempSync(join(tmpdir(), "mimikit-recording-"));
    pages.atEnd(async () => rmSync(place, { recursive: true, force: true }));
    const folder = join(place, "deep", "demo");
    const env = { ...process.env, TMPDIR: place };
    await execa(process.execPath, [RECORD, folder, pages.dist], { env, stderr: "inherit" });
    // Nothing of the machine that recorded it, and nothing that was needed for it.
    expect(readFileSync(join(folder, "index.html"), "utf8")).not.toMatch(new RegExp(`${place}|${ROOT}|"token"`));
    expect(readdirSync(place)).toEqual(["deep"]);
    const server = express().use(express.static(place)).listen(0, "127.0.0.1");
    await once(server, "listening");
    pages.atEnd(async () => void server.close());
    const { port } = server.address() as AddressInfo;

    const { page, mishaps } = await pages.newPage();
    const missing: string[] = [];
    page.on("response", (response) => {
      if (!response.ok()) missing.push(response.url());
    });
    const address = `http://127.0.0.1:${port}/deep/demo/`;
    await page.goto(address);
    await page.getByText("This is a recording of a demo.").waitFor();
    await page.getByText("Slate is too heavy").waitFor();
    await page.getByRole("status").filter({ hasText: "Nothing is lost" }).waitFor();
    expect(await page.getByRole("button", { name: "Kill it" }).count()).toBe(0);
    await page.getByRole("textbox", { name: "Message" }).fill("hello");
    await page.keyboard.press("Enter");
    await page.getByText("This is a recording: nothing can be done in it.").waitFor();

    const seen = {
      tasks: ".graph-task",
      triggers: ".firing",
      memory: "text=memory.md",
      usage: ".usage",
    };
    for (const [view, what] of Object.entries(seen)) {
      await page.goto(`${address}#/${view}`);
      await page.locator(what).first().waitFor();
    }
    await page.goto(`${address}#/memory/memory.md`);
    await page.getByText("The neighbour has the spare key of the shed.").first().waitFor();
    await page.goto(`${address}#/tasks/t-000004.0.0`);
    await page.getByText("9 beds.md").first().waitFor();
    expect(missing).toEqual([]);
    expect(mishaps).toEqual([]);
  });
});
