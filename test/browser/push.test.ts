/**
 * Web Push in a real Chromium under the gateway's content policy: turning it on in the settings, and what the service
 * worker makes of a push and of a pressed button. The push service of Chromium is out of reach here, so the browser's
 * part of a subscription is the test's, and pushes are handed over by the debugger. The gateway's part is in
 * test/e2e/push.test.ts.
 */
import { createECDH, randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { PushPayload } from "../../apps/http-gateway/src/push/payload.ts";
import { findWholeChromium } from "./support/chromium.ts";
import { PUSH_KEY } from "./support/scripted-gateway.ts";
import { BROWSER_MS_MAX, connected, usePages } from "./support/use-pages.ts";
import { openView, view } from "./support/views.ts";

interface Shown {
  title: string;
  body: string;
  tag: string;
  actions: string[];
}

/** The part of a service worker's world that the test uses. */
interface WorkerScope extends EventTarget {
  registration: ServiceWorkerRegistration;
  NotificationEvent: new (type: string, about: { notification: unknown; action: string }) => Event;
}

const wholeChromium = findWholeChromium();

const SUBSCRIPTION = {
  endpoint: "https://push.invalid/abc",
  keys: {
    p256dh: createECDH("prime256v1").generateKeys("base64url"),
    auth: randomBytes(16).toString("base64url"),
  },
};

const NEWS: PushPayload = {
  id: "t-000001.reply",
  title: "Done: tea",
  body: "It is hot.",
  page: "./#/tasks/t-000001.0",
  always: false,
};
const ASKS: PushPayload = {
  ...NEWS,
  id: "t-000003.0",
  title: "Mimikit asks",
  always: true,
  options: ["yes", "no"],
  proof: "p".repeat(43),
  closed: "Closed.",
  unsent: "Not sent.",
};

describe.runIf(wholeChromium !== undefined)("web push", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages(wholeChromium);

  /** A page that is paired and may notify. */
  async function open(locale = "en-GB"): Promise<Page> {
    const context = await pages.browser.newContext({ locale, viewport: { width: 1280, height: 900 } });
    pages.atEnd(() => context.close());
    await context.grantPermissions(["notifications"]);
    await context.addInitScript((made) => {
      const KEY = "test.subscribed";
      const subscription = {
        ...made,
        toJSON: () => made,
        unsubscribe: async () => {
          localStorage.removeItem(KEY);
          return true;
        },
      } as unknown as PushSubscription;
      PushManager.prototype.subscribe = async (options) => {
        localStorage.setItem(KEY, JSON.stringify(options));
        return subscription;
      };
      PushManager.prototype.getSubscription = async () => (localStorage.getItem(KEY) === null ? null : subscription);
    }, SUBSCRIPTION);
    const page = await context.newPage();
    await page.goto(pages.gateway.pairingAddress());
    await connected(page);
    return page;
  }

  async function turnOn(page: Page): Promise<void> {
    await openView(page, "settings");
    await view(page).getByRole("button", { name: "Notify this device" }).click();
    await view(page).getByText("Notified also when the page is closed").waitFor();
  }

  const shown = (page: Page): Promise<Shown[]> =>
    page.evaluate(async () => {
      const all = await (await navigator.serviceWorker.ready).getNotifications();
      return all.map((each) => {
        const { actions = [] } = each as Notification & { actions?: { title: string }[] };
        return { title: each.title, body: each.body, tag: each.tag, actions: actions.map(({ title }) => title) };
      });
    });

  /** Hands pushes to the service worker of the page. */
  async function pushesTo(page: Page): Promise<(payload: PushPayload) => Promise<void>> {
    const debug = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) =>
      debug.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
        if (first !== undefined) resolve(first.registrationId);
      }),
    );
    await debug.send("ServiceWorker.enable");
    const registrationId = await registered;
    // Before, a push is dropped without a word.
    await page.evaluate(async () => {
      const { active } = await navigator.serviceWorker.ready;
      while (active?.state === "activating")
        await new Promise((resolve) => active.addEventListener("statechange", resolve));
    });
    const { origin } = pages.gateway;
    return async (payload) => {
      await debug.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(payload) });
    };
  }

  /** Presses a button of the notification that is shown. No debugger can, so the event that follows is made in the worker. */
  async function press(page: Page, action: string): Promise<void> {
    const [worker] = page.context().serviceWorkers();
    await worker?.evaluate(async (pressed) => {
      const scope = globalThis as unknown as WorkerScope;
      const [notification] = await scope.registration.getNotifications();
      const event = new scope.NotificationEvent("notificationclick", { notification, action: pressed });
      // Only the browser's own events can be waited for.
      const done = new Promise((resolve) => Object.defineProperty(event, "waitUntil", { value: resolve }));
      scope.dispatchEvent(event);
      await done;
    }, action);
  }

  test("the settings turn it on and off for this device, with the key of the instance, and send a test", async () => {
    const page = await open();
    await turnOn(page);
    expect(await page.evaluate(() => JSON.parse(localStorage.getItem("test.subscribed") ?? ""))).toEqual({
      userVisibleOnly: true,
      applicationServerKey: PUSH_KEY,
    });
    expect(pages.gateway.wanted).toEqual([
      { method: "POST", path: "/api/push", body: { subscription: SUBSCRIPTION, language: "en" } },
    ]);
    await view(page).locator(".devices").getByText("notified", { exact: true }).waitFor();
    await view(page).getByRole("button", { name: "Send a test" }).click();
    await view(page).getByText("The push service has accepted it.").waitFor();
    await view(page).locator(".push").getByRole("button", { name: "Turn off" }).click();
    await view(page).getByRole("button", { name: "Notify this device" }).waitFor();
    expect(pages.gateway.wanted.at(-1)).toMatchObject({ method: "DELETE", path: "/api/push" });
  });

  test("one button asks the browser and subscribes, another only asks; what is on can be turned off", async () => {
    const page = await open();
    await openView(page, "settings");
    await view(page).getByRole("button", { name: "Notify this device" }).waitFor();
    expect(await view(page).getByRole("button", { name: "Allow notifications" }).count()).toBe(0);
    await view(page).getByRole("button", { name: "Only while the page is open" }).click();
    await view(page).getByText("On while the page is open").waitFor();
    expect(pages.gateway.wanted).toEqual([]);
    await view(page).locator(".push").getByRole("button", { name: "Turn off" }).click();
    await turnOn(page);
    expect(await view(page).getByText("On while the page is open").count()).toBe(0);
  });

  test.each([
    ["en-GB", "Notify this device", "In a private (incognito) window it never can"],
    ["zh-CN", "通知这台设备", "请改用普通窗口"],
  ])("a browser that refuses a subscription is explained in %s, without its own words", async (locale, name, words) => {
    const page = await open(locale);
    await page.evaluate(() => {
      // As a private window of Chromium does.
      PushManager.prototype.subscribe = async () => {
        throw new DOMException("Registration failed - permission denied", "AbortError");
      };
    });
    await openView(page, "settings");
    await view(page).getByRole("button", { name }).click();
    await view(page).locator(".push").getByText(words).waitFor();
    expect(await view(page).getByText("Registration failed").count()).toBe(0);
    expect(pages.gateway.wanted).toEqual([]);
  });

  test("a page that is opened again subscribes anew only where the gateway has lost it, or the language is another", async () => {
    const page = await open();
    await turnOn(page);
    await page.reload();
    await connected(page);
    await view(page).getByText("Notified also when the page is closed").waitFor();
    expect(pages.gateway.wanted).toHaveLength(1);
    // Its push service has said that the subscription is gone.
    const { devices } = pages.gateway.answers.get("/api/devices") as { devices: object[] };
    pages.gateway.answers.set("/api/devices", { devices: devices.map((each) => ({ ...each, push: null })) });
    await page.reload();
    await expect.poll(() => pages.gateway.wanted).toHaveLength(2);
    await connected(page);
    await view(page).getByRole("button", { name: "中文" }).click();
    await expect.poll(() => pages.gateway.wanted).toHaveLength(3);
    expect(pages.gateway.wanted[2]).toMatchObject({ path: "/api/push", body: { language: "zh" } });
    await view(page).getByText("页面关闭后也会通知").waitFor();
  });

  test("a push is shown once for its id, with its buttons; not what is no news to somebody who looks at the page", async () => {
    const page = await open();
    await turnOn(page);
    const push = await pushesTo(page);
    await page.bringToFront();
    expect(await page.evaluate(() => document.hasFocus())).toBe(true);
    await push(NEWS);
    await push({ ...NEWS, id: "t-000002.1", title: "Alarm", always: true });
    await expect
      .poll(() => shown(page))
      .toEqual([{ title: "Alarm", body: "It is hot.", tag: "t-000002.1", actions: [] }]);
    for (let times = 0; times < 2; times++) await push(ASKS);
    await expect
      .poll(async () => (await shown(page)).map(({ tag, actions }) => [tag, actions]))
      .toEqual([
        ["t-000002.1", []],
        ["t-000003.0", ["yes", "no"]],
      ]);
  });

  test("a pressed button answers with the cookie and the proof; it says where the question is closed, or nobody could be told", async () => {
    const page = await open();
    await turnOn(page);
    const push = await pushesTo(page);
    const pressWhenShown = async (action: string) => {
      await push(ASKS);
      await expect.poll(() => shown(page)).toMatchObject([{ body: "It is hot.", actions: ["yes", "no"] }]);
      await press(page, action);
    };
    await pressWhenShown("1");
    expect(pages.gateway.wanted.at(-1)).toEqual({
      method: "POST",
      path: "/api/push/answer",
      body: { questionId: ASKS.id, option: 1, proof: ASKS.proof },
    });
    expect(await shown(page)).toEqual([]);
    pages.gateway.pressed = 500;
    await pressWhenShown("0");
    expect(await shown(page)).toMatchObject([{ body: "Not sent.\n\nIt is hot.", actions: ["yes", "no"] }]);
    pages.gateway.pressed = 410;
    await press(page, "0");
    expect(await shown(page)).toMatchObject([{ body: "Closed.", actions: [] }]);
  });

  test("what the page has told already, the push of the same id takes the place of, and the other way round it stays", async () => {
    const page = await open();
    await turnOn(page);
    const push = await pushesTo(page);
    const message = {
      id: "t-000002.1",
      role: "system",
      at: new Date().toISOString(),
      notification: { title: "Alarm" },
    };
    pages.gateway.notify({ ...message, role: "system", text: "By the page." });
    await expect.poll(() => shown(page)).toMatchObject([{ title: "Alarm", body: "By the page." }]);
    await push({ ...ASKS, id: "t-000002.1", title: "Alarm", body: "By the push." });
    await expect.poll(() => shown(page)).toMatchObject([{ body: "By the push.", actions: ["yes", "no"] }]);
    pages.gateway.notify({ ...message, id: "t-000005.1", role: "system", text: "Another." });
    await expect.poll(() => shown(page)).toHaveLength(2);
    await push({ ...ASKS, id: "t-000006.1", body: "Pushed first." });
    await expect.poll(() => shown(page)).toHaveLength(3);
    pages.gateway.notify({ ...message, id: "t-000006.1", role: "system", text: "Told later." });
    pages.gateway.notify({ ...message, id: "t-000007.1", role: "system", text: "The last." });
    await expect.poll(() => shown(page)).toHaveLength(4);
    expect((await shown(page)).find(({ tag }) => tag === "t-000006.1")?.body).toBe("Pushed first.");
  });
});
