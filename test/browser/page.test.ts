import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { byRole } from "@mimikit/protocol/base/kind";
import type { ChatMessage, TriggerExplanation } from "@mimikit/protocol/wire/api";
import type { Locator, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { ANSWERED_BADLY } from "../support/answered-badly.ts";
import { freePort } from "../support/free-port.ts";
import { Instance } from "../support/instance.ts";
import { ModelServer } from "../support/model-server.ts";
import { openInstance } from "./support/open-instance.ts";
import { changeRecord, messageRecord, questionRecord, taskRecord, triggerRecord } from "./support/records.ts";
import { BROWSER_MS_MAX, connected, hasChromium, usePages } from "./support/use-pages.ts";

describe.runIf(hasChromium)("the page", { timeout: BROWSER_MS_MAX }, () => {
  const pages = usePages();
  const { newPage, openPage } = pages;

  const field = (page: Page) => page.getByLabel("Message", { exact: true });
  const withText = (page: Page, text: string) => page.locator(".message", { hasText: text });
  const progressOf = (message: Locator) => message.locator("[data-progress]");

  async function write(page: Page, text: string): Promise<void> {
    await field(page).fill(text);
    await field(page).press("Enter");
  }

  describe("pairing", () => {
    test("takes the code out of the address before it is redeemed, and stays paired after a reload", async () => {
      const { page } = await newPage();
      const addressWhenRedeemed = new Promise<string>((resolve) => {
        page.on("request", (request) => {
          if (request.url().endsWith("/api/pair")) resolve(page.url());
        });
      });
      await page.goto(pages.gateway.pairingAddress());
      expect(await addressWhenRedeemed).toBe(`${pages.gateway.origin}/`);
      await connected(page);
      expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
      await page.reload();
      await connected(page);
      expect(page.url()).toBe(`${pages.gateway.origin}/`);
      expect(pages.gateway.requests.filter((path) => path === "/api/pair")).toHaveLength(1);
    });

    test("an unknown browser is told how to pair, and pairs with a pasted address", async () => {
      const { page, mishaps } = await newPage();
      await page.goto(pages.gateway.origin);
      await page.getByText("mimikit pair").waitFor();
      await page.getByLabel("Pairing code").fill(pages.gateway.pairingAddress());
      await page.getByLabel("Pairing code").press("Enter");
      await connected(page);
      expect(mishaps).toEqual([]);
    });

    test.each(["en-GB", "zh-CN"])(
      "the pairing screen fits a small phone: in %s the card is in the middle, and the hint is in the label",
      async (locale) => {
        const width = 320;
        const { page } = await newPage({ locale, viewport: { width, height: 640 } });
        await page.goto(pages.gateway.origin);
        const { x, width: card } = (await page.locator(".pairing .card").boundingBox()) ?? { x: 0, width: 0 };
        expect(x).toBeGreaterThan(0);
        expect(Math.round(width - card - x)).toBe(Math.round(x));
        expect(await page.locator("#code").getAttribute("placeholder")).toBeNull();
      },
    );

    test("a code that was used already is explained, and does not sign out a paired browser", async () => {
      const address = pages.gateway.pairingAddress();
      const { page } = await newPage();
      await page.goto(address);
      await connected(page);
      const stranger = await newPage();
      await stranger.page.goto(address);
      await stranger.page.getByRole("alert").filter({ hasText: "already used" }).waitFor();
      await page.goto("about:blank");
      await page.goto(address);
      await connected(page);
      expect(await page.getByLabel("Pairing code").count()).toBe(0);
    });

    test("a session that is revoked elsewhere leads back to the pairing screen", async () => {
      const { page } = await openPage();
      pages.gateway.revokeAll();
      await page.getByLabel("Pairing code").waitFor();
    });

    test("signing out leaves nothing of the conversation in the browser", async () => {
      const { page } = await openPage();
      await write(page, "a private word");
      await progressOf(withText(page, "a private word")).filter({ hasText: "Saved" }).waitFor();
      await field(page).fill("an unfinished thought");
      page.removeAllListeners("dialog");
      page.on("dialog", (dialog) => void dialog.accept());
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("Pairing code").waitFor();
      expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
      expect(await page.getByText("a private word").count()).toBe(0);
    });
  });

  describe("a message", () => {
    test("is shown at once, then saved, then answered by text that forms before it is final", async () => {
      pages.gateway.accepts = false;
      const { page, mishaps } = await openPage();
      await write(page, "run `ls`");
      const mine = withText(page, "run `ls`");
      await progressOf(mine).filter({ hasText: "Sending" }).waitFor();
      await expect.poll(() => field(page).inputValue()).toBe("");

      pages.gateway.accepts = true;
      const first = await pages.gateway.arrival("input");
      expect(first.client?.timeZone).toBe(await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone));
      pages.gateway.drop();
      await progressOf(mine).filter({ hasText: "Saved" }).waitFor();

      await page.locator(".thinking").waitFor();
      pages.gateway.pass({ type: "thought", taskId: "t-000042", text: "They want a list." });
      const thoughts = page.locator(".thoughts");
      await thoughts.waitFor();
      expect(await thoughts.getByText("They want a list.").isVisible()).toBe(false);
      await thoughts.locator("summary").click();
      await thoughts.getByText("They want a list.").waitFor();

      pages.gateway.pass({ type: "delta", taskId: "t-000042", text: "I am **look" });
      pages.gateway.pass({ type: "delta", taskId: "t-000042", text: "ing**." });
      await page.locator(".forming strong", { hasText: "looking" }).waitFor();
      await expect.poll(() => page.locator(".forming").innerText()).toContain("I am looking.");

      const messageId = pages.gateway.messageIdOf(first.id);
      pages.gateway.message(messageRecord({ id: messageId, role: "user", text: "run `ls`" }));
      pages.gateway.message(
        messageRecord({ id: "t-000042.reply", role: "assistant", text: "I am **looking**.", answers: [messageId] }),
      );
      await progressOf(mine).filter({ hasText: "Answered" }).waitFor();
      expect(await page.locator(".forming, .thinking, .thoughts").count()).toBe(0);
      expect(await page.locator(".message").count()).toBe(2);
      expect(mishaps).toEqual([]);
    });

    test("that comes back before its acknowledgement is not seen twice in between", async () => {
      pages.gateway.accepts = false;
      const { page } = await openPage();
      await write(page, "only once");
      const input = await pages.gateway.arrival("input");
      const messageId = pages.gateway.messageIdOf(input.id);
      pages.gateway.message(messageRecord({ id: messageId, role: "user", text: "only once", pending: true }));
      await page.locator(`[data-id="${messageId}"]`).waitFor();
      expect(await withText(page, "only once").count()).toBe(1);
      pages.gateway.accepts = true;
      pages.gateway.drop();
      await pages.gateway.arrival("input", (_frame, connection) => connection === 2);
      pages.gateway.message(
        messageRecord({ id: "t-000001.reply", role: "assistant", text: "Yes.", answers: [messageId] }),
      );
      await progressOf(withText(page, "only once")).filter({ hasText: "Answered" }).waitFor();
      expect(await page.locator(".message").count()).toBe(2);
    });

    test("that still waits stays below what is answered, in the order that a reload shows, too", async () => {
      const { page } = await openPage();
      const order = () => page.locator(".message[data-id]").evaluateAll((all) => all.map((one) => one.dataset.id));
      pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "first question", pending: true }));
      pages.gateway.message(messageRecord({ id: "m-2", role: "user", text: "second question", pending: true }));
      pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "first question" }));
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "One.", answers: ["m-1"] }));
      await withText(page, "One.").waitFor();
      expect(await order()).toEqual(["m-1", "t-000001.reply", "m-2"]);
      pages.gateway.message(messageRecord({ id: "m-2", role: "user", text: "second question" }));
      pages.gateway.message(messageRecord({ id: "t-000002.reply", role: "assistant", text: "Two.", answers: ["m-2"] }));
      await withText(page, "Two.").waitFor();
      expect(await order()).toEqual(["m-1", "t-000001.reply", "m-2", "t-000002.reply"]);
    });

    test("that nobody can answer has the notice of it below, live and after a reload, and waits for the model until it is answered", async () => {
      const port = await freePort();
      const mimikit = await Instance.start({
        env: {
          MIMIKIT_PROVIDER: "openai",
          MIMIKIT_MODEL: "scripted",
          OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
          MIMIKIT_CIRCUIT_COOLDOWN_SEC: "1",
          MIMIKIT_CIRCUIT_COOLDOWN_MAX_SEC: "2",
        },
      });
      pages.atEnd(() => mimikit.dispose());
      const page = await openInstance(pages, mimikit);
      const said = () => page.locator(".message[data-id] :is(.bubble, .markdown)").allInnerTexts();
      const notice = expect.stringContaining("I cannot answer at the moment");
      await write(page, "anybody there?");
      await withText(page, "I cannot answer at the moment").waitFor();
      await write(page, "and another thing");
      await progressOf(withText(page, "and another thing")).filter({ hasText: "Saved" }).waitFor();
      for (const isAnew of [false, true]) {
        if (isAnew) await page.reload();
        await withText(page, "and another thing").waitFor();
        expect(await said()).toEqual(["anybody there?", notice, "and another thing"]);
        await progressOf(withText(page, "anybody there?")).filter({ hasText: "Waiting for the model" }).waitFor();
        expect(await page.locator(".thinking").count()).toBe(0);
      }
      const model = await ModelServer.start({ teller: [{ say: "Yes." }, { say: "Gladly." }] }, port);
      pages.atEnd(() => model.close());
      const answered = withText(page, "and another thing").locator('[data-progress="answered"]');
      await answered.waitFor();
      const inTheEnd = ["anybody there?", notice, "Yes.", "and another thing", "Gladly."];
      expect(await said()).toEqual(inTheEnd);
      await page.reload();
      await answered.waitFor();
      expect(await said()).toEqual(inTheEnd);
    });

    test("whose reply failed is answered again by a button, without being said again, and another leads to where the key is changed", async () => {
      const { page } = await openPage();
      const problem = { cause: "key", provider: "openai", model: "scripted", host: "api.test" } as const;
      pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "what is new?" }));
      pages.gateway.message(
        messageRecord({ id: "t-000001.reply", role: "assistant", text: "Sorry.", answers: ["m-1"], problem }),
      );
      const help = withText(page, "Sorry.").getByRole("group", { name: "How to fix it" });
      await help.getByRole("button", { name: "Try again" }).click();
      await expect
        .poll(() => pages.gateway.wanted)
        .toEqual([{ method: "POST", path: "/api/conversation/retry", body: { messageId: "t-000001.reply" } }]);
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "input")).toEqual([]);
      await help.getByRole("button", { name: "Change the key" }).click();
      await page.waitForURL(/#\/settings\/connect$/);
      await page.goBack();
      // Another reply has come: what failed is over.
      pages.gateway.message(messageRecord({ id: "t-000002.reply", role: "assistant", text: "All is new." }));
      await help.waitFor({ state: "detached" });
    });

    test("is answered again by a button, and each version of the reply can be read at its place", async () => {
      const { page } = await openPage();
      pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "what is new?" }));
      const first = messageRecord({
        id: "t-000001.reply",
        role: "assistant",
        text: "Nothing.\n\nStopped.",
        answers: ["m-1"],
      });
      pages.gateway.message({ ...first, stopped: true });
      await withText(page, "Nothing.").getByRole("button", { name: "Try again" }).click();
      await expect.poll(() => pages.gateway.wanted.at(-1)?.body).toEqual({ messageId: first.id });
      pages.gateway.message(
        messageRecord({
          id: "t-000002.reply",
          role: "assistant",
          text: "All is new.",
          answers: ["m-1"],
          instead: first.id,
          versions: [first],
        }),
      );
      const reply = page.locator('.message[data-role="assistant"]');
      await withText(page, "All is new.").getByText("2/2").waitFor();
      expect(await reply.count()).toBe(1);
      await reply.getByRole("button", { name: "Earlier version" }).click();
      await withText(page, "Nothing.").getByText("1/2").waitFor();
      await reply.getByRole("button", { name: "Later version" }).click();
      await withText(page, "All is new.").waitFor();
    });

    test("that is the last one can be said in other words: the draft takes its place", async () => {
      const { page } = await openPage();
      pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "tell me of the hreon" }));
      pages.gateway.message(
        messageRecord({ id: "t-000001.reply", role: "assistant", text: "Of what?", answers: ["m-1"] }),
      );
      await withText(page, "hreon").getByRole("button", { name: "Edit and resend" }).click();
      await page.getByText("Editing your last message").waitFor();
      const field = page.getByRole("textbox", { name: "Message" });
      await expect.poll(() => field.inputValue()).toBe("tell me of the hreon");
      await field.fill("tell me of the heron");
      await field.press("Enter");
      await expect
        .poll(() => pages.gateway.wanted.at(-1)?.body)
        .toEqual({ messageId: "m-1", text: "tell me of the heron" });
      const changed = { id: "m-retry-1", role: "user", text: "tell me of the heron", instead: "m-1" } as const;
      const before = messageRecord({ id: "m-1", role: "user", text: "tell me of the hreon" });
      pages.gateway.message(messageRecord({ ...changed, versions: [before], pending: true }));
      await withText(page, "heron").getByText("2/2").waitFor();
      expect(await page.locator('.message[data-role="user"]').count()).toBe(1);
      await expect.poll(() => field.inputValue()).toBe("");
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "input")).toEqual([]);
    });

    test("that waits for its model has a way to another one beside the notice, as long as it waits", async () => {
      const { page } = await openPage();
      const problem = { cause: "down", provider: "openai", host: "api.test", since: new Date().toISOString() } as const;
      const notice = { id: "t-000001.outage", role: "system", text: "It is away.", problem } as const;
      pages.gateway.message(messageRecord({ ...notice, pending: true }));
      const help = withText(page, "It is away.").getByRole("group", { name: "How to fix it" });
      await help.getByRole("button", { name: "Choose a model" }).waitFor();
      expect(await help.getByRole("button").count()).toBe(1);
      pages.gateway.message(messageRecord(notice));
      await help.waitFor({ state: "detached" });
    });

    test("that is answered in a second attempt is not answered twice: what the first had shown is gone", async () => {
      const { page } = await openPage();
      pages.gateway.pass({ type: "begin", taskId: "t-000042" });
      pages.gateway.pass({ type: "delta", taskId: "t-000042", text: "I am look" });
      await page.locator(".forming", { hasText: "I am look" }).waitFor();
      pages.gateway.pass({ type: "begin", taskId: "t-000042" });
      await page.locator(".forming").waitFor({ state: "detached" });
      pages.gateway.pass({ type: "delta", taskId: "t-000042", text: "I am looking." });
      await page.locator(".forming", { hasText: "looking." }).waitFor();
      expect((await page.locator(".forming").innerText()).match(/I am/g)).toHaveLength(1);
    });

    test("live text that arrives after the reply changes nothing", async () => {
      const { page } = await openPage();
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "Done." }));
      pages.gateway.pass({ type: "delta", taskId: "t-000001", text: "late" });
      pages.gateway.message(messageRecord({ id: "t-000002.reply", role: "assistant", text: "Next." }));
      await withText(page, "Next.").waitFor();
      await expect.poll(() => page.locator(".message").allInnerTexts()).toHaveLength(2);
      expect(await page.getByText("late").count()).toBe(0);
    });

    test("Enter sends, Shift+Enter starts a line, and Enter that ends a composition does neither", async () => {
      const { page } = await openPage();
      await field(page).pressSequentially("one");
      await field(page).press("Shift+Enter");
      await field(page).pressSequentially("two");
      await field(page).evaluate((element) =>
        element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true })),
      );
      await expect.poll(() => field(page).inputValue()).toBe("one\ntwo");
      await field(page).press("Enter");
      const sent = await pages.gateway.arrival("input");
      expect(sent.text).toBe("one\ntwo");
    });

    test("on a touch screen, which has no Shift+Enter, Enter starts a line and the arrow sends", async () => {
      const { page } = await openPage({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      await field(page).pressSequentially("one");
      await field(page).press("Enter");
      await field(page).pressSequentially("two");
      await page.getByRole("button", { name: "Send" }).tap();
      expect((await pages.gateway.arrival("input")).text).toBe("one\ntwo");
    });

    test("a draft survives a reload", async () => {
      const { page } = await openPage();
      await field(page).fill("half a thou");
      await page.reload();
      await connected(page);
      await expect.poll(() => field(page).inputValue()).toBe("half a thou");
    });

    test("one of the most characters is sent in any script; a longer one cannot be, and the page says why", async () => {
      const { page } = await openPage();
      await field(page).fill("字".repeat(MESSAGE_CHARS_MAX + 1));
      await page.getByText("too long: at most 64,000 characters").waitFor();
      expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
      for (const character of ["字", "😀"]) {
        const text = character.repeat(MESSAGE_CHARS_MAX);
        await field(page).fill(text);
        await field(page).press("Enter");
        await pages.gateway.arrival("input", (frame) => frame.text === text);
      }
    });

    test("one that the gateway refuses waits for its writer, who can discard it", async () => {
      pages.gateway.accepts = false;
      const { page } = await openPage();
      await write(page, "no room");
      const input = await pages.gateway.arrival("input");
      pages.gateway.pass({ type: "error", code: "disk_full", message: "The disk is full.", id: input.id });
      await page.getByText("The disk is full.").waitFor();
      await page.getByRole("button", { name: "Discard" }).click();
      await withText(page, "no room").waitFor({ state: "detached" });
      expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("outbox")))).toEqual([]);
    });
  });

  describe("while something runs", () => {
    const steerButton = (page: Page) => page.getByRole("button", { name: "Add to current task" });
    const stopButton = (page: Page) => page.getByRole("button", { name: "Stop", exact: true });
    const stops = () => pages.gateway.received.flatMap(({ frame }) => (frame.type === "stop" ? [frame] : []));

    test("Escape, Stop and /stop end the reply that is being written, and never a task", async () => {
      const { page } = await openPage();
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Index the mails", state: "running" }));
      await steerButton(page).waitFor();
      expect(await stopButton(page).count()).toBe(0);
      await field(page).press("Escape");
      await write(page, "/stop");
      await page.getByRole("alert").filter({ hasText: "Cancel a task at its card" }).waitFor();
      await field(page).fill("");
      await page.keyboard.press("Control+k");
      await page.getByRole("option").first().waitFor();
      expect(await page.getByRole("option", { name: /^Stop/ }).count()).toBe(0);
      await page.keyboard.press("Escape");
      await write(page, "hello");
      await pages.gateway.arrival("input");
      expect(stops()).toEqual([]);
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "cancel")).toEqual([]);

      pages.gateway.pass({ type: "delta", taskId: "t-000002", text: "Half of" });
      await page.locator(".forming").waitFor();
      expect(await stopButton(page).getAttribute("title")).toContain("Escape");
      await field(page).press("Escape");
      await expect.poll(stops).toHaveLength(1);
      await stopButton(page).click();
      await expect.poll(stops).toHaveLength(2);
      // The reply may end before the stop arrives: that must not hit the task then.
      expect(stops().map(({ only }) => only)).toEqual(["reply", "reply"]);
    });

    test("it can be told something; when nothing runs there are no such buttons", async () => {
      const { page } = await openPage();
      expect(await steerButton(page).or(stopButton(page)).count()).toBe(0);
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Read the report", state: "running" }));
      await steerButton(page).waitFor();
      expect(await steerButton(page).isDisabled()).toBe(true);
      expect(await steerButton(page).getAttribute("title")).toContain("Ctrl+Enter");

      await field(page).fill("only the German ones");
      await steerButton(page).click();
      expect(await pages.gateway.arrival("steer")).toMatchObject({ type: "steer", text: "only the German ones" });
      await expect.poll(() => field(page).inputValue()).toBe("");
      await field(page).fill("and only ten");
      await field(page).press("Control+Enter");
      await pages.gateway.arrival("steer", ({ text }) => text === "and only ten");
      await field(page).fill("what is the time?");
      await field(page).press("Enter");
      expect((await pages.gateway.arrival("input")).text).toBe("what is the time?");

      await stopButton(page).waitFor();
      await field(page).fill("half a thought");
      await field(page).press("Escape");
      await field(page).fill("");
      expect(stops()).toEqual([]);

      const [sent] = pages.gateway.received.filter(({ frame }) => frame.type === "input");
      const answers = sent?.frame.type === "input" ? [pages.gateway.messageIdOf(sent.frame.id)] : [];
      pages.gateway.message(messageRecord({ id: "t-000002.reply", role: "assistant", text: "Noon.", answers }));
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Read the report", state: "done" }));
      await steerButton(page).waitFor({ state: "detached" });
    });

    test("what was said meanwhile is shown once: sent, passed on, and heard where its turn ends", async () => {
      pages.gateway.accepts = false;
      const { page, mishaps } = await openPage();
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: "Read the report", state: "running" }));
      await steerButton(page).waitFor();
      await write(page, "/steer only ten");
      const mine = withText(page, "only ten");
      await progressOf(mine).filter({ hasText: "Sending" }).waitFor();
      const { id: frameId } = await pages.gateway.arrival("steer");
      pages.gateway.accepts = true;
      await page.reload();
      const again = await pages.gateway.arrival("steer", (_frame, connection) => connection === 2);
      expect(again).toEqual({ type: "steer", id: frameId, text: "only ten" });
      await progressOf(mine).filter({ hasText: "Sent to the running task" }).waitFor();

      const id = pages.gateway.messageIdOf(frameId);
      const said = messageRecord({ id, role: "user", text: "only ten", meanwhile: true });
      pages.gateway.message({ ...said, pending: true, toTaskId: "t-000001.0" });
      await progressOf(mine).filter({ hasText: "Passed on to: Read the report" }).waitFor();
      pages.gateway.message({ ...said, pending: true, toTaskId: "t-000007" });
      await progressOf(mine).filter({ hasText: "Read after the next step, or after this reply" }).waitFor();
      pages.gateway.message(said);
      pages.gateway.message(messageRecord({ id: "t-000002.reply", role: "assistant", text: "Ten of them." }));
      await progressOf(mine).filter({ hasText: "Noted" }).waitFor();
      expect(await page.locator(".message").count()).toBe(2);
      expect(await page.locator(".message[data-meanwhile]").count()).toBe(1);
      expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("outbox")))).toEqual([]);
      expect(mishaps).toEqual([]);
    });

    test("what nobody heard is a message like any other, in the place of what was said", async () => {
      const { page } = await openPage();
      await write(page, "/steer anybody?");
      const id = pages.gateway.messageIdOf((await pages.gateway.arrival("steer")).id);
      await progressOf(withText(page, "anybody?")).filter({ hasText: "Sent to the running task" }).waitFor();
      const message = messageRecord({ id: `m-${id}`, role: "user", text: "anybody?", replaces: id });
      pages.gateway.message({ ...message, pending: true });
      await progressOf(withText(page, "anybody?")).filter({ hasText: "Saved" }).waitFor();
      pages.gateway.message(message);
      pages.gateway.message(
        messageRecord({ id: "t-000001.reply", role: "assistant", text: "Yes.", answers: [message.id] }),
      );
      await progressOf(withText(page, "anybody?")).filter({ hasText: "Answered" }).waitFor();
      expect(await page.locator(".message").count()).toBe(2);
    });

    test("a message for a turn of its own says so while it waits", async () => {
      const { page } = await openPage();
      await write(page, "/next then tidy up");
      expect(await pages.gateway.arrival("input")).toMatchObject({ text: "then tidy up", mode: "next" });
      await progressOf(withText(page, "then tidy up")).filter({ hasText: "answered separately" }).waitFor();
    });

    test("a stop without a connection is not kept for later, and the page says so", async () => {
      const { page } = await openPage();
      await pages.gateway.stop();
      await page.locator('[data-link="waiting"]').waitFor();
      await write(page, "/stop");
      await page.getByRole("alert").filter({ hasText: "Not connected" }).waitFor();
      await pages.gateway.start();
      await connected(page);
      await write(page, "hello");
      await pages.gateway.arrival("input");
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "stop")).toEqual([]);
    });
  });

  describe("commands", () => {
    const options = (page: Page) => page.getByRole("option");
    const chosen = (page: Page) => page.locator('[role="option"][aria-selected="true"]');

    test("are a list that a slash opens; the keyboard chooses, and Escape closes it", async () => {
      const { page } = await openPage();
      await field(page).pressSequentially("/");
      await options(page).first().waitFor();
      await expect
        .poll(() => options(page).locator("code").allInnerTexts())
        .toEqual(["/steer text", "/next text", "/attach text", "/stop", "/retry", "/clear", "/help"]);
      await field(page).press("ArrowUp");
      await expect.poll(() => chosen(page).innerText()).toContain("/help");
      await field(page).press("ArrowDown");
      await field(page).press("ArrowDown");
      await expect.poll(() => chosen(page).innerText()).toContain("/next");
      expect(await field(page).getAttribute("aria-activedescendant")).toBe(await chosen(page).getAttribute("id"));
      await field(page).press("Tab");
      await expect.poll(() => field(page).inputValue()).toBe("/next ");
      expect(await options(page).count()).toBe(0);

      await field(page).fill("");
      await field(page).pressSequentially("/s");
      await expect.poll(() => options(page).locator("code").allInnerTexts()).toEqual(["/steer text", "/stop"]);
      await field(page).press("Escape");
      await options(page).first().waitFor({ state: "detached" });
      await field(page).pressSequentially("to");
      await field(page).press("Enter");
      await pages.gateway.arrival("stop");
      await expect.poll(() => field(page).inputValue()).toBe("");
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "input")).toEqual([]);
    });

    test("can be chosen with the pointer, and /help shows them all", async () => {
      const { page } = await openPage();
      await write(page, "/help");
      await page.getByRole("option", { name: "/steer" }).click();
      await expect.poll(() => field(page).inputValue()).toBe("/steer ");
      expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    });

    test("that do not exist, or are not complete, stay in the field with the reason, and nothing is sent", async () => {
      const { page } = await openPage();
      for (const [typed, reason] of [
        ["/halt", "There is no command /halt"],
        ["/steer ", "Add your text"],
        ["/clear the table", "takes no text"],
      ] as const) {
        await write(page, typed);
        await page.getByRole("alert").filter({ hasText: reason }).waitFor();
        await expect.poll(() => field(page).inputValue()).toBe(typed);
      }
      await field(page).fill("//clear");
      await page.getByRole("alert").waitFor({ state: "detached" });
      await field(page).press("Enter");
      expect((await pages.gateway.arrival("input")).text).toBe("/clear");
      expect(pages.gateway.received.map(({ frame }) => frame.type)).toEqual(["hello", "input"]);
    });

    test("a new beginning folds what was before it; a click shows it again", async () => {
      const { page } = await openPage();
      pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: "of the first talk" }));
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "Answered then." }));
      await withText(page, "Answered then.").waitFor();
      await write(page, "/clear");
      await pages.gateway.arrival("clear");
      const marker = (turn: string) =>
        messageRecord({
          id: `${turn}.clear`,
          role: "system",
          text: "A new conversation begins here.",
          marker: "clear",
        });
      pages.gateway.message(marker("t-000002"));
      await page.locator(".beginning", { hasText: "New conversation" }).waitFor();
      expect(await page.locator(".message").count()).toBe(0);
      pages.gateway.message(messageRecord({ id: "m-2", role: "user", text: "of the second talk" }));
      await withText(page, "of the second talk").waitFor();
      expect(await page.locator(".message").count()).toBe(1);

      const unfold = page.getByRole("button", { name: "Show the earlier conversation (2 lines)" });
      expect(await unfold.getAttribute("aria-expanded")).toBe("false");
      await unfold.press("Enter");
      await expect
        .poll(() => page.locator(".message .bubble, .message .markdown").allInnerTexts())
        .toEqual(["of the first talk", "Answered then.", "of the second talk"]);
      await page.getByRole("button", { name: "Hide the earlier conversation" }).click();
      await expect.poll(() => page.locator(".message").count()).toBe(1);
      await unfold.click();
      pages.gateway.message(marker("t-000003"));
      await page.getByRole("button", { name: "Show the earlier conversation (4 lines)" }).waitFor();
      expect(await page.locator(".message").count()).toBe(0);
    });

    test("speak the language of the browser", async () => {
      const { page } = await openPage({ locale: "zh-CN" });
      expect(await page.evaluate(() => document.documentElement.lang)).toBe("zh");
      await page.getByLabel("消息", { exact: true }).pressSequentially("/");
      await page.getByRole("option", { name: "开始新的对话" }).waitFor();
    });

    test("a new beginning is read out in the language of the browser, as it is shown", async () => {
      const { page } = await openPage({ locale: "zh-CN" });
      pages.gateway.message(
        messageRecord({
          id: "t-000002.clear",
          role: "system",
          text: "A new conversation begins here.",
          marker: "clear",
        }),
      );
      await page.locator(".beginning", { hasText: "新的对话" }).waitFor();
      await expect.poll(() => page.locator("[aria-live=polite]").innerText()).toBe("新的对话");
    });
  });

  describe("a connection that is lost", () => {
    test("comes back with its cursor, and nothing is missing or doubled", async () => {
      const { page } = await openPage();
      pages.gateway.message(messageRecord({ id: "m-a", role: "user", text: "before" }));
      await withText(page, "before").waitFor();
      const seen = pages.gateway.cursor;
      pages.gateway.drop();
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "meanwhile" }));
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: "made meanwhile" }));
      const hello = await pages.gateway.arrival("hello", (_frame, connection) => connection === 2);
      expect(hello.cursor).toBe(seen);
      await withText(page, "meanwhile").waitFor();
      await page.locator('[data-task="t-000001.0"]').waitFor();
      pages.gateway.message(messageRecord({ id: "t-000002.reply", role: "assistant", text: "afterwards" }));
      await withText(page, "afterwards").waitFor();
      await expect
        .poll(() => page.locator(".message .bubble, .message .markdown").allInnerTexts())
        .toEqual(["before", "meanwhile", "afterwards"]);
    });

    test("a message written meanwhile waits visibly, and goes out once", async () => {
      const { page } = await openPage();
      await pages.gateway.stop();
      await page.locator('[data-link="waiting"]').waitFor();
      await expect.poll(() => page.locator('[data-link="waiting"]').innerText()).toMatch(/^reconnecting in \d+ s$/);
      await write(page, "written in the tunnel");
      const mine = withText(page, "written in the tunnel");
      await progressOf(mine).filter({ hasText: "Waiting for the connection" }).waitFor();

      await pages.gateway.start();
      await progressOf(mine).filter({ hasText: "Saved" }).waitFor();
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "input")).toHaveLength(1);
      expect(await mine.count()).toBe(1);
    });

    test("a message that was not acknowledged is sent again under the same id, even by a reloaded page", async () => {
      pages.gateway.accepts = false;
      const { page } = await openPage();
      await write(page, "did you get this?");
      const first = await pages.gateway.arrival("input");
      pages.gateway.accepts = true;
      await page.reload();
      const second = await pages.gateway.arrival("input", (_frame, connection) => connection === 2);
      expect(second).toEqual(first);
      await progressOf(withText(page, "did you get this?")).filter({ hasText: "Saved" }).waitFor();
      expect(await withText(page, "did you get this?").count()).toBe(1);
      expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("outbox")))).toEqual([]);
    });

    test("a message of a page that was closed is sent by another one that is open, once and without a reload", async () => {
      const { page } = await openPage();
      const other = await page.context().newPage();
      await other.clock.install();
      await other.goto(pages.gateway.origin);
      await connected(other);
      const inputs = () => pages.gateway.received.flatMap(({ frame }) => (frame.type === "input" ? [frame.text] : []));
      const kept = () =>
        other.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("mimikit.outbox.")).length);
      // As long as its page has a connection, no other page sends it.
      await write(page, "from here");
      await progressOf(withText(other, "from here")).filter({ hasText: "Saved" }).waitFor();
      await expect.poll(kept).toBe(0);
      await other.clock.fastForward(60_000);

      pages.gateway.accepts = false;
      await write(page, "did you get this?");
      await pages.gateway.arrival("input", ({ text }) => text === "did you get this?");
      await withText(other, "did you get this?").waitFor();
      await page.close();
      pages.gateway.accepts = true;
      await other.clock.fastForward(60_000);
      await progressOf(withText(other, "did you get this?")).filter({ hasText: "Saved" }).waitFor();
      await expect.poll(kept).toBe(0);
      expect(await withText(other, "did you get this?").count()).toBe(1);

      const third = await other.context().newPage();
      await third.goto(pages.gateway.origin);
      await connected(third);
      await pages.gateway.stop();
      await third.locator('[data-link="waiting"], [data-link="offline"]').waitFor();
      await write(third, "in the dark");
      await withText(other, "in the dark").waitFor();
      await third.close();
      await pages.gateway.start();
      await other.clock.fastForward(60_000);
      await progressOf(withText(other, "in the dark")).filter({ hasText: "Saved" }).waitFor();
      expect(inputs()).toEqual(["from here", "did you get this?", "did you get this?", "in the dark"]);
      await expect.poll(kept).toBe(0);
    });

    test("a snapshot replaces everything", async () => {
      const { page } = await openPage();
      pages.gateway.message(messageRecord({ id: "m-a", role: "user", text: "of the old home" }));
      await withText(page, "of the old home").waitFor();
      // The same browser, the same address, but a gateway that knows neither the cursor nor the message.
      await pages.replaceGateway();
      pages.gateway.message(messageRecord({ id: "m-b", role: "user", text: "of the new home" }));
      await pages.gateway.start();
      await withText(page, "of the new home").waitFor();
      expect(await page.getByText("of the old home").count()).toBe(0);
    });
  });

  describe("files", () => {
    /** One grey pixel. */
    const PIXEL = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const drafted = (page: Page) => page.locator(".composer .file");
    const stored = (page: Page) => page.locator('.composer [data-file="stored"]');
    const pick = (page: Page, ...names: string[]) =>
      page.locator('input[type="file"]').setInputFiles(
        names.map((name) => ({
          name,
          mimeType: name.endsWith(".png") ? "image/png" : "text/plain",
          buffer: name.endsWith(".png") ? PIXEL : Buffer.from(name),
        })),
      );

    /** As a browser does it when a picture is pasted into the field, or dropped somewhere on the page. */
    async function give(page: Page, how: "paste" | "drop", name: string): Promise<void> {
      await page.evaluate(
        ({ how, name, bytes }) => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
          const common = { bubbles: true, cancelable: true };
          if (how === "paste")
            document
              .getElementById("message")
              ?.dispatchEvent(new ClipboardEvent("paste", { ...common, clipboardData: data }));
          else
            document
              .querySelector(".scroller")
              ?.dispatchEvent(new DragEvent("drop", { ...common, dataTransfer: data }));
        },
        // Bytes after the end of a picture are not looked at, so each name is another picture.
        { how, name, bytes: [...PIXEL, ...Buffer.from(name)] },
      );
    }

    test("files and quote stay with the words when the browser has no room for the message, and the user is told", async () => {
      const { page, mishaps } = await openPage();
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "Which bed?" }));
      await withText(page, "Which bed?").getByRole("button", { name: "Reply to" }).click();
      const fillUp = () =>
        page.evaluate(() => {
          let filler = localStorage.getItem("filler") ?? "";
          for (let chars = 2 ** 20; chars >= 1; )
            try {
              localStorage.setItem("filler", filler + "x".repeat(chars));
              filler += "x".repeat(chars);
            } catch {
              chars /= 2;
            }
        });
      await fillUp();
      await pick(page, "a.png", "b.txt");
      await expect.poll(() => stored(page).count()).toBe(2);
      await fillUp();
      await write(page, "this one");
      await page.getByRole("alert").filter({ hasText: "storage is full" }).waitFor();
      for (const way of ["Control+Enter", "Enter"]) await field(page).press(way);
      expect(await field(page).inputValue()).toBe("this one");
      expect(await stored(page).count()).toBe(2);
      expect(await page.locator(".composer .quote").innerText()).toContain("Which bed?");
      expect(pages.gateway.received.filter(({ frame }) => frame.type === "input")).toEqual([]);

      await page.evaluate(() => localStorage.removeItem("filler"));
      await field(page).press("Enter");
      const sent = await pages.gateway.arrival("input");
      expect(sent).toMatchObject({ text: "this one", quote: "t-000001.reply" });
      expect(sent.attachments).toHaveLength(2);
      expect(await drafted(page).count()).toBe(0);
      expect(mishaps).toEqual([]);
    });

    test("a long text that is pasted becomes a file, and a short one stays text", async () => {
      const { page } = await openPage();
      const paste = (text: string) =>
        page.evaluate((text) => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data });
          return document.getElementById("message")?.dispatchEvent(event);
        }, text);
      // Text that is not taken as a file, the browser puts into the field.
      expect(await paste("short ".repeat(1_000))).toBe(true);
      expect(await drafted(page).count()).toBe(0);
      expect(await paste("a line of a long log\n".repeat(500))).toBe(false);
      await expect.poll(() => stored(page).count()).toBe(1);
      await write(page, "what went wrong?");
      const { attachments } = await pages.gateway.arrival("input");
      expect(attachments).toMatchObject([{ name: "pasted text.txt" }]);
    });

    test("are pasted, dropped and picked, sent with the message, and shown in it with their names", async () => {
      const { page, mishaps } = await openPage();
      await give(page, "paste", "pasted.png");
      await give(page, "drop", "dropped.png");
      await pick(page, "notes.txt");
      await page.getByRole("list", { name: "Attached files" }).getByRole("img", { name: "pasted.png" }).waitFor();
      await expect.poll(() => stored(page).count()).toBe(3);
      await write(page, "look at these");
      const frame = await pages.gateway.arrival("input");
      expect(frame.attachments).toMatchObject([{ name: "pasted.png" }, { name: "dropped.png" }, { name: "notes.txt" }]);
      expect(await drafted(page).count()).toBe(0);
      const message = withText(page, "look at these").last();
      const picture = message.getByRole("img", { name: "pasted.png" });
      await picture.waitFor();
      expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
      const download = page.waitForEvent("download");
      await message.getByRole("button", { name: "notes.txt" }).click();
      expect((await download).suggestedFilename()).toBe("notes.txt");
      expect(mishaps).toEqual([]);
    });

    test("can be sent without a word, by the keyboard alone, and survive a reload before that", async () => {
      const { page } = await openPage();
      await pick(page, "shot.png", "left out.txt");
      await expect.poll(() => stored(page).count()).toBe(2);
      await page.reload();
      await connected(page);
      await page.getByRole("button", { name: "Remove left out.txt" }).focus();
      await page.keyboard.press("Enter");
      await field(page).press("Enter");
      const frame = await pages.gateway.arrival("input");
      expect(frame).toMatchObject({ text: "shot.png", attachments: [{ name: "shot.png" }] });
    });

    test("that are refused say why, hold the message back, and can be tried again", async () => {
      const { page } = await openPage();
      pages.gateway.uploadRefusal = "this is none of PNG and its like";
      await pick(page, "shot.png");
      await page.getByRole("alert").getByText("this is none of PNG and its like").waitFor();
      await field(page).fill("look");
      expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true);
      pages.gateway.uploadRefusal = undefined;
      await page.getByRole("button", { name: "Try again" }).click();
      await stored(page).waitFor();
      await field(page).press("Enter");
      expect(await pages.gateway.arrival("input")).toMatchObject({ text: "look", attachments: [{ name: "shot.png" }] });
    });

    test("are as many as a message takes, and are not said to what runs", async () => {
      const { page } = await openPage();
      pages.gateway.task(taskRecord({ id: "t-000001.0.0", state: "running" }));
      await pick(page, ...Array.from({ length: 12 }, (_, i) => `${i}.txt`));
      await page.getByRole("alert").getByText("at most 10 files").waitFor();
      await expect.poll(() => stored(page).count()).toBe(10);
      await field(page).fill("look");
      expect(await page.getByRole("button", { name: "Add to current task", exact: true }).isDisabled()).toBe(true);
      expect(await page.getByRole("button", { name: "Queue", exact: true }).isDisabled()).toBe(false);
    });
  });

  describe("questions", () => {
    const card = (page: Page, id: string) => page.locator(`[data-question="${id}"]`);
    const colour = questionRecord({ id: "t-000001.0", question: "Which **colour**?", options: ["red", "blue"] });

    test("are cards over the message field, with a button for each option; they go when they are closed", async () => {
      const { page, mishaps } = await openPage();
      pages.gateway.question({ ...colour, default: "red" });
      await card(page, colour.id).getByText("I’ll use “red”").waitFor();
      await card(page, colour.id).locator("strong", { hasText: "colour" }).waitFor();
      await expect.poll(() => page.locator("[aria-live=polite]").innerText()).toContain("Which **colour**?");
      await card(page, colour.id).getByRole("button", { name: "blue" }).click();
      expect(await pages.gateway.arrival("answer")).toMatchObject({ questionId: colour.id, answer: "blue" });
      await expect.poll(() => card(page, colour.id).getByRole("button", { name: "red" }).isDisabled()).toBe(true);
      pages.gateway.question(colour, false);
      await card(page, colour.id).waitFor({ state: "detached" });
      expect(mishaps).toEqual([]);
    });

    test("are answered by keyboard alone, with an option or with words of one's own", async () => {
      const { page } = await openPage();
      pages.gateway.question(colour);
      await card(page, colour.id).waitFor();
      await field(page).focus();
      await page.keyboard.press("Shift+Tab");
      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Your answer");
      await page.keyboard.type("  green, please ");
      await page.keyboard.press("Enter");
      expect(await pages.gateway.arrival("answer")).toMatchObject({ questionId: colour.id, answer: "green, please" });

      const goOn = questionRecord({
        id: "t-000002.0.go-on",
        question: "Go on?",
        options: ["go on", "stop"],
        isChoice: true,
      });
      pages.gateway.question(colour, false);
      pages.gateway.question(goOn);
      await card(page, goOn.id).waitFor();
      expect(await card(page, goOn.id).getByRole("textbox").count()).toBe(0);
      await field(page).focus();
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Enter");
      await pages.gateway.arrival("answer", (frame) => frame.questionId === goOn.id && frame.answer === "stop");
    });

    test("several are open at once, over a reload, and each is a line of the conversation once it is closed", async () => {
      const { page } = await openPage();
      pages.gateway.question(colour);
      pages.gateway.question(questionRecord({ id: "t-000001.1", question: "And which size?" }));
      pages.gateway.message(messageRecord({ id: colour.id, role: "assistant", text: colour.question }));
      pages.gateway.message(messageRecord({ id: "m-last", role: "user", text: "the last one" }));
      await withText(page, "the last one").waitFor();
      await page.reload();
      await connected(page);
      await card(page, "t-000001.1").waitFor();
      expect(await page.getByRole("article").count()).toBe(2);
      expect(await withText(page, "Which colour?").count()).toBe(0);
      pages.gateway.question(colour, false);
      await withText(page, "Which colour?").waitFor();
      expect(await page.getByRole("article").count()).toBe(1);
    });

    test("an answer that is refused says why, and the question waits for another", async () => {
      const { page } = await openPage();
      pages.gateway.question(colour);
      await card(page, colour.id).getByRole("button", { name: "red" }).click();
      const { id } = await pages.gateway.arrival("answer");
      pages.gateway.pass({ type: "error", code: "disk_full", message: "The disk is full.", id });
      await page.getByRole("alert").filter({ hasText: "The disk is full." }).waitFor();
      await expect.poll(() => card(page, colour.id).getByRole("button", { name: "red" }).isEnabled()).toBe(true);
    });
  });

  describe("triggers", () => {
    const openPanel = (page: Page) => page.getByRole("link", { name: "Schedules" }).click();
    const row = (page: Page, id: string) => page.locator(`[data-trigger="${id}"]`);
    const wanted = () => expect.poll(() => pages.gateway.wanted);

    test("are listed by their next moment, in the viewer's own zone", async () => {
      pages.gateway.trigger(triggerRecord({ id: "trg-rest", title: "Rests", paused: true, next: null }));
      pages.gateway.trigger(
        triggerRecord({
          id: "trg-late",
          title: "Report",
          schedule: { cron: "0 0 9 * * *", timezone: "Asia/Tokyo" },
          next: "2126-12-02T00:00:00.000Z",
        }),
      );
      pages.gateway.trigger(triggerRecord({ id: "trg-soon", title: "Stretch", next: "2126-12-01T17:30:00.000Z" }));
      const { page, mishaps } = await openPage({ timezoneId: "America/New_York", locale: "en-GB" });
      await openPanel(page);
      await row(page, "trg-rest").getByText("paused").waitFor();
      expect(await page.locator("[data-trigger]").evaluateAll((all) => all.map((one) => one.dataset.trigger))).toEqual([
        "trg-soon",
        "trg-late",
        "trg-rest",
      ]);
      await expect.poll(() => row(page, "trg-soon").innerText()).toContain("12:30");
      await expect.poll(() => row(page, "trg-soon").innerText()).toContain("every hour");
      await expect.poll(() => row(page, "trg-late").innerText()).toContain("19:00");
      await expect.poll(() => row(page, "trg-late").innerText()).toContain("every day at 09:00 (Asia/Tokyo)");
      expect(mishaps).toEqual([]);
    });

    test("are paused, resumed, run and deleted; what has changed is seen at once", async () => {
      const { page } = await openPage();
      const trigger = triggerRecord({ id: "trg-1", title: "Stretch" });
      pages.gateway.trigger(trigger);
      await page.getByRole("link", { name: "Schedules" }).click();
      await page.getByRole("button", { name: "Pause Stretch" }).click();
      await wanted().toEqual([{ method: "PATCH", path: "/trg-1", body: { paused: true } }]);
      pages.gateway.trigger({ ...trigger, paused: true, next: null });
      await page.getByRole("button", { name: "Resume Stretch" }).click();
      await wanted().toContainEqual({ method: "PATCH", path: "/trg-1", body: { paused: false } });
      // Until the answer is here, the row is at work, and its buttons take no key.
      await page.getByRole("button", { name: "Run now: Stretch", disabled: false }).press("Enter");
      await wanted().toContainEqual({ method: "POST", path: "/trg-1/run", body: {} });
      await row(page, "trg-1").getByText("started").waitFor();

      page.removeAllListeners("dialog");
      const answers = [false, true];
      page.on("dialog", (dialog) => void (answers.shift() ? dialog.accept() : dialog.dismiss()));
      await page.getByRole("button", { name: "Delete Stretch" }).click();
      await page.getByRole("button", { name: "Delete Stretch" }).click();
      await wanted().toContainEqual({ method: "DELETE", path: "/trg-1", body: undefined });
      expect(pages.gateway.wanted.filter(({ method }) => method === "DELETE")).toHaveLength(1);
      pages.gateway.trigger(trigger, true);
      await page.getByText("Nothing is scheduled").waitFor();
    });

    test("say why they fire or do not, as a tree that is read out, too", async () => {
      const { page, mishaps } = await openPage();
      pages.gateway.trigger(triggerRecord({ id: "trg-1", title: "Rebuild", type: "conditional", next: null }));
      pages.gateway.explanations.set("trg-1", {
        id: "trg-1",
        state: "unmet",
        text: "waits: src/a.ts has not changed",
        next: null,
        condition: {
          type: "and",
          holds: false,
          parts: [
            { type: "file_exists", holds: true, text: "src exists" },
            { type: "file_changed", holds: false, text: "src/a.ts has not changed" },
            { type: "llm_eval", holds: null, text: "not asked yet" },
          ],
        },
      });
      await openPanel(page);
      const why = page.getByRole("button", { name: "Why Rebuild" });
      expect(await why.getAttribute("aria-expanded")).toBe("false");
      await why.press("Enter");
      await row(page, "trg-1").getByText("waits: src/a.ts has not changed").waitFor();
      const leaves = row(page, "trg-1").locator(".truth .truth > li");
      await expect
        .poll(() => leaves.allTextContents())
        .toEqual(["✓true: src exists", "✗false: src/a.ts has not changed", "?unknown: not asked yet"]);
      await why.press("Enter");
      await leaves.first().waitFor({ state: "detached" });
      expect(mishaps).toEqual([]);
    });

    test("say it in Chinese, with moments by the viewer's clock, where the browser asks for that", async () => {
      const atom = (path: string) => ({ type: "file_exists", params: { path } }) as const;
      const asked = { type: "llm_eval", params: { prompt: "下雨了吗？" } } as const;
      const explanation: TriggerExplanation = {
        id: "trg-1",
        state: "resting",
        text: "is cooling down until 2126-12-01T17:30:00.000Z",
        until: "2126-12-01T17:30:00.000Z",
        next: null,
        condition: {
          type: "and",
          holds: null,
          parts: [
            {
              type: "not",
              holds: true,
              parts: [{ type: "file_exists", holds: false, atom: atom("lock"), text: "no" }],
            },
            { type: "llm_eval", holds: null, atom: asked, text: "not asked yet" },
          ],
        },
      };
      pages.gateway.trigger(triggerRecord({ id: "trg-1", title: "关窗", type: "conditional", next: null }));
      pages.gateway.explanations.set("trg-1", explanation);
      const { page } = await openPage({ locale: "zh-CN", timezoneId: "Asia/Shanghai" });
      await page.getByRole("link", { name: "日程" }).click();
      await page.getByRole("button", { name: "原因：关窗" }).click();
      await row(page, "trg-1").getByText("刚触发过，2126年12月2日 01:30 之前不再触发").waitFor();
      expect(await row(page, "trg-1").locator(".truth").first().innerText()).not.toMatch(/[a-z]{2,} [a-z]/);
      await expect
        .poll(() => row(page, "trg-1").locator(".truth .truth > li").allTextContents())
        .toEqual(["✓成立: 并非✗不成立: lock 不存在", "✗不成立: lock 不存在", "?未知: “下雨了吗？”：等待模型回答"]);
    });

    test("that nobody can explain just now say so, and look no longer", async () => {
      const { page } = await openPage();
      pages.gateway.trigger(triggerRecord({ id: "trg-1", title: "Stretch" }));
      await openPanel(page);
      await page.route("**/api/triggers/**", (route) => route.abort());
      await page.getByRole("button", { name: "Why Stretch" }).click();
      await page.getByRole("alert").filter({ hasText: "Not connected" }).waitFor();
      await row(page, "trg-1").getByText("Looking…").waitFor({ state: "detached" });
    });

    test("that cannot be reached say so, and nothing is shown as done", async () => {
      const { page } = await openPage();
      pages.gateway.trigger(triggerRecord({ id: "trg-1", title: "Stretch" }));
      await openPanel(page);
      await page.route("**/api/triggers/**", (route) => route.abort());
      await page.getByRole("button", { name: "Run now: Stretch" }).click();
      await page.getByRole("alert").filter({ hasText: "Not connected" }).waitFor();
      expect(await row(page, "trg-1").getByText("started").count()).toBe(0);
    });
  });

  describe("recent changes", () => {
    const row = (page: Page, id: string) => page.locator(`[data-change="${id}"]`);

    test("are asked for when they are opened, and taken back one by one", async () => {
      const { page, mishaps } = await openPage();
      await page.getByRole("link", { name: "Activity" }).click();
      await page.getByText("There are no changes to undo yet").waitFor();
      await page.keyboard.press("Escape");
      const tea = changeRecord({ id: "t-000001.0", title: "tea" });
      const problem = "line 3 of memory.md was edited since";
      const milk = changeRecord({ id: "memory-1", title: "milk", by: "user", state: "gone", problem });
      pages.gateway.changes = [tea, milk];
      await page.getByRole("link", { name: "Activity" }).click();
      await row(page, milk.id).getByText("remembered · by you").waitFor();
      await expect.poll(() => row(page, milk.id).innerText()).toContain(`cannot be undone: ${problem}`);
      expect(await row(page, milk.id).getByRole("button").count()).toBe(0);
      await row(page, tea.id).getByText("by the Teller").waitFor();
      await page.getByRole("button", { name: "Undo tea" }).click();
      await row(page, tea.id).getByText("undoing…").waitFor();
      await expect
        .poll(() => pages.gateway.wanted)
        .toEqual([{ method: "POST", path: "/api/undo", body: { id: tea.id } }]);
      pages.gateway.changes = [{ ...tea, state: "undone" }, milk];
      await row(page, tea.id).getByText("undone", { exact: false }).waitFor();
      await expect.poll(() => row(page, tea.id).getByRole("button").count()).toBe(0);
      expect(mishaps).toEqual([]);
    });

    test("speak Chinese, and fit a narrow screen", async () => {
      pages.gateway.changes = [changeRecord({ id: "delete-1", title: "x".repeat(120), what: "trigger", op: "delete" })];
      const { page } = await openPage({ locale: "zh-CN", viewport: { width: 390, height: 844 } });
      await page.evaluate(() => {
        location.hash = "#/changes";
      });
      await row(page, "delete-1").getByText("已删除触发器").waitFor();
      await row(page, "delete-1").getByRole("button", { name: /^撤销/ }).waitFor();
      const isWide = ".view, .header";
      const overflow = await page
        .locator(isWide)
        .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
      expect(overflow).toEqual([0, 0]);
    });
  });

  test("a budget is shown with what is spent of it, and until when work waits once it is used up", async () => {
    const { page } = await openPage();
    const day = {
      limit: { tokens: 50_000, costUsd: 2 },
      spent: { tokens: 50_120, costUsd: 0.75 },
      reserved: { tokens: 0, costUsd: 0 },
      isReached: true,
      resumesAt: "2126-12-02T00:00:00.000Z",
    };
    const { today } = pages.gateway.status.usage;
    pages.gateway.setStatus({ usage: { today, budget: { day, month: null } } });
    await page.locator("[data-provider]").click();
    const overview = page.locator(".overview");
    await overview.getByText("50,120 of 50,000 tokens").waitFor();
    await overview.getByText("$0.75 of $2.00").waitFor();
    await overview.getByText("Used up: work waits until").waitFor();
    expect(await overview.getByText("Monthly budget").count()).toBe(0);
  });

  test("a list goes on with its number behind a code block, and the columns of a table are aligned as they were written", async () => {
    const { page } = await openPage();
    const text = [
      "1. one\n2. two\n\n```sh\nls\n```\n\n3. three\n4. four",
      "| left | right | middle | plain |\n|:---|---:|:---:|---|\n| a | 1 | b | c |",
    ].join("\n\n");
    pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text }));
    const reply = withText(page, "three");
    await reply.locator("td").first().waitFor();
    expect(await reply.locator("ol").evaluateAll((all) => all.map((list) => (list as HTMLOListElement).start))).toEqual(
      [1, 3],
    );
    for (const cell of ["th", "td"])
      expect(await reply.locator(cell).evaluateAll((all) => all.map((one) => getComputedStyle(one).textAlign))).toEqual(
        ["left", "right", "center", "left"].map((side) => expect.stringContaining(side)),
      );
  });

  describe("text that is not to be trusted", () => {
    const VECTORS = [
      `<script>window.hacked = 1</script>`,
      `<img src=x onerror="window.hacked = 1">`,
      `<svg onload="window.hacked = 1"><animate onbegin="window.hacked = 1" attributeName=x></svg>`,
      `<iframe srcdoc="<script>parent.hacked = 1</script>"></iframe>`,
      `<a href="javascript:window.hacked = 1">raw link</a>`,
      `[link](javascript:window.hacked=1)`,
      `[link](data:text/html,<script>opener.hacked=1</script>)`,
      `[link](vbscript:hacked)`,
      `![picture](http://tracker.example/pixel.png)`,
      `![a" onerror="window.hacked=1](x" onerror="window.hacked=1)`,
      `<form action="http://tracker.example"><input name=a><button>Send</button></form>`,
      `<style>@import "http://tracker.example/a.css"; body { display: none }</style>`,
      `<link rel=stylesheet href=http://tracker.example/b.css><base href=http://tracker.example/>`,
      `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=window.hacked=1&gt;">`,
      `<details open ontoggle="window.hacked = 1"><video src=http://tracker.example/v onerror="window.hacked=1">`,
      "```html\n</code></pre><img src=x onerror=window.hacked=1>\n```",
      `<M:create_task title="x" onclick="window.hacked=1"/>`,
    ];

    test("runs no script and loads nothing, with the content security policy switched off", async () => {
      const { page, mishaps } = await openPage({ bypassCSP: true });
      for (const [i, vector] of VECTORS.entries()) {
        pages.gateway.message(messageRecord({ id: `m-${i}`, role: "user", text: vector }));
        pages.gateway.message(messageRecord({ id: `t-00000${i}.reply`, role: "assistant", text: vector }));
        pages.gateway.message(messageRecord({ id: `s-${i}`, role: "system", text: vector }));
        pages.gateway.task(taskRecord({ id: `t-00000${i}.0`, title: vector, state: "running" }));
        pages.gateway.pass({ type: "progress", taskId: `t-00000${i}.0`, step: vector });
        pages.gateway.question(questionRecord({ id: `t-00000${i}.9`, question: vector, options: [vector] }));
        pages.gateway.trigger(triggerRecord({ id: `trg-${i}`, title: vector, prompt: vector }));
        pages.gateway.pass({ type: "delta", taskId: `t-9${String(i).padStart(5, "0")}`, text: vector });
      }
      pages.gateway.setStatus({ problems: VECTORS });
      pages.gateway.message(messageRecord({ id: "last", role: "user", text: "the last one" }));
      await withText(page, "the last one").waitFor();
      const found = await page.evaluate(() => ({
        hacked: "hacked" in window,
        elements: document.querySelectorAll(
          "#app :is(script, img, iframe, object, embed, style, link, base, video, math, [srcdoc], [style*=url])",
        ).length,
        forms: document.querySelectorAll("#app .messages form, #app .messages input").length,
        handlers: [...document.querySelectorAll("#app *")].flatMap((element) =>
          element.getAttributeNames().filter((name) => name.startsWith("on")),
        ),
        links: [...document.querySelectorAll<HTMLAnchorElement>(".messages a")].map((link) => [
          new URL(link.href || "about:blank").protocol,
          link.target,
          link.rel,
        ]),
      }));
      expect(found).toMatchObject({ hacked: false, elements: 0, forms: 0, handlers: [] });
      expect(found.links.filter(([protocol]) => protocol === "http:")).not.toHaveLength(0);
      for (const link of found.links) {
        expect(["http:", "about:"]).toContain(link[0]);
        expect(link.slice(1)).toEqual(["_blank", "noopener noreferrer"]);
      }
      expect(await page.locator("body").isVisible()).toBe(true);
      expect(mishaps).toEqual([]);
      expect(pages.gateway.requests.filter((path) => !/^\/(api|assets|icon|ws|$)/.test(path))).toEqual([]);
    });

    test("HTML in a reply is read as text, and nothing on the page breaks its policy", async () => {
      const { page, mishaps } = await openPage();
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: VECTORS.join("\n\n") }));
      await page.locator(".markdown", { hasText: "<script>window.hacked = 1</script>" }).waitFor();
      await page.getByRole("link", { name: "picture" }).waitFor();
      expect(mishaps).toEqual([]);
    });
  });

  describe("tasks", () => {
    test("are a tree with states, progress and the end of each member", async () => {
      const { page } = await openPage();
      const plan = taskRecord({ id: "t-000042.1", role: "planner", title: "List, then count", state: "done" });
      const list = taskRecord({ id: "t-000042.1.0", title: "List the files", state: "running", attempts: 1 });
      const count = taskRecord({ id: "t-000042.1.1", title: "Count the lines", state: "waiting", after: [list.id] });
      for (const task of [count, plan, list]) pages.gateway.task(task);

      const card = page.locator(".cards > li", { has: page.locator('[data-task="t-000042.1"]') });
      await card.locator('[data-task="t-000042.1.1"]', { hasText: "after List the files" }).waitFor();
      expect(
        await card.locator("[data-task]").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-state"))),
      ).toEqual(["running", "running", "waiting"]);
      pages.gateway.pass({ type: "progress", taskId: list.id, step: "$ ls -la" });
      await card.locator(".steps", { hasText: "$ ls -la" }).waitFor();

      pages.gateway.task({ ...list, state: "failed", error: "exit code 2", failureReason: "error" });
      await card.locator(".task-error", { hasText: "exit code 2" }).waitFor();
      expect(await card.locator(".steps").count()).toBe(0);
      pages.gateway.task({ ...count, state: "cancelled" });
      await page.getByRole("heading", { name: "Earlier" }).waitFor();
      expect(await card.locator('[data-task="t-000042.1"]').getAttribute("data-state")).toBe("failed");
    });

    test("an open one can be cancelled, and an ended one cannot", async () => {
      const { page } = await openPage();
      await page.clock.install();
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: "A long sleep", state: "running" }));
      await page.getByRole("button", { name: "Cancel A long sleep" }).click();
      await page.locator(".said", { hasText: "Cancelling A long sleep" }).waitFor();
      await page.clock.fastForward(60_000);
      expect(await pages.gateway.arrival("cancel")).toEqual({ type: "cancel", taskId: "t-000001.0" });
      await page.getByText("Cancelling…").waitFor();
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: "A long sleep", state: "cancelled" }));
      await page.locator('[data-task="t-000001.0"][data-state="cancelled"]').waitFor();
      expect(await page.getByRole("button", { name: "Cancel A long sleep" }).count()).toBe(0);
      expect(await page.getByText("Cancelling…").count()).toBe(0);
    });

    test("goes on when its cancellation is taken back in time, at its card or below, and when the page is reloaded", async () => {
      const { page } = await openPage();
      await page.clock.install();
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: "A long sleep", state: "running" }));
      pages.gateway.task(taskRecord({ id: "t-000002.0", title: "A walk", state: "running" }));
      const cancel = page.getByRole("button", { name: "Cancel A long sleep" });
      await cancel.click();
      // The button has kept the focus, and is the way back.
      await page.keyboard.press("Enter");
      await cancel.waitFor();
      await cancel.click();
      await page.locator(".said").getByRole("button", { name: "Undo" }).click();
      await cancel.waitFor();
      await page.clock.fastForward(60_000);
      await cancel.click();
      await page.locator(".said", { hasText: "A long sleep" }).waitFor();
      await page.reload();
      await connected(page);
      await page.getByRole("button", { name: "Cancel A walk" }).click();
      await page.locator(".said", { hasText: "A walk" }).waitFor();
      await page.clock.fastForward(60_000);
      await pages.gateway.arrival("cancel");
      const cancelled = pages.gateway.received.flatMap(({ frame }) => (frame.type === "cancel" ? [frame.taskId] : []));
      expect(cancelled).toEqual(["t-000002.0"]);
    });
  });

  describe("what the owner sees of the system", () => {
    const answerer = (page: Page) => page.locator("[data-provider]");
    const overview = (page: Page) => page.getByRole("region", { name: "Models" });
    const rowOf = (page: Page, name: string) => overview(page).getByRole("row").filter({ hasText: name });

    test("the offline engine is named, and one click away it says that no model is connected", async () => {
      const { page } = await openPage();
      await expect.poll(() => answerer(page).innerText()).toBe("offline engine");
      await answerer(page).press("Enter");
      await overview(page).getByText("No model is connected").waitFor();
      await page.keyboard.press("Escape");
      await overview(page).waitFor({ state: "hidden" });
    });

    test("who answers for each role, who did so last where that was somebody else, and who was passed over", async () => {
      const { page } = await openPage();
      pages.gateway.setStatus({
        providers: { ...byRole(() => "claude"), worker: "codex" },
        answered: { teller: "offline", planner: "claude" },
        passedOver: ["openai lacks a model: set MIMIKIT_MODEL"],
      });
      await answerer(page).filter({ hasText: "Claude (last: offline engine)" }).click();
      await overview(page).getByText("openai lacks a model").waitFor();
      await expect
        .poll(() => overview(page).getByRole("row").allInnerTexts())
        .toEqual(["Teller\tClaude (last: offline engine)", "Planner\tClaude", "Worker\tCodex", "Reviewer\tClaude"]);
      expect(await overview(page).getByText("No model is connected").count()).toBe(0);
    });

    test("the model is named by its own name: in the top line, for each role, at its messages and its tasks", async () => {
      const { page } = await openPage();
      pages.gateway.setStatus({
        providers: { teller: "openai", planner: "openai", worker: "codex", reviewer: "claude" },
        models: { teller: "gpt-5-mini", planner: "gpt-5", worker: null, reviewer: "opus" },
        answered: { teller: "anthropic" },
        answeredModels: { teller: "claude-opus-4" },
      });
      await answerer(page).filter({ hasText: "gpt-5-mini (last: claude-opus-4)" }).click();
      await expect
        .poll(() => overview(page).getByRole("row").allInnerTexts())
        .toEqual([
          expect.stringMatching(/^Teller\tgpt-5-mini \(last: claude-opus-4\)/),
          expect.stringMatching(/^Planner\tgpt-5/),
          "Worker\tCodex",
          "Reviewer\topus Claude",
        ]);
      await page.keyboard.press("Escape");
      const named = { provider: "openai", model: "gpt-5-mini" };
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "Done.", ...named }));
      await withText(page, "Done.").locator(".meta").getByText("gpt-5-mini").waitFor();
      pages.gateway.task(taskRecord({ id: "t-000002.0", title: "Count", state: "done", ...named }));
      await page.locator(".ran-with", { hasText: "gpt-5-mini" }).waitFor();
      expect(await page.getByText("model endpoint").count()).toBe(0);
    });

    test("what today has cost, by what is known of it, and how the calls of each tool went", async () => {
      const { page } = await openPage();
      pages.gateway.setStatus({
        usage: {
          today: { inputTokens: 1234567, cachedTokens: 0, outputTokens: 45, costUsd: 0 },
          budget: { day: null, month: null },
        },
      });
      await answerer(page).click();
      await overview(page).getByText("1,234,567 tokens in, 45 out").waitFor();
      expect(await overview(page).getByText("$").count()).toBe(0);
      pages.gateway.setStatus({
        usage: {
          today: { inputTokens: 1, cachedTokens: 0, outputTokens: 2, costUsd: 1.2345 },
          budget: { day: null, month: null },
        },
        tools: { bash: { calls: 1204, failed: 12, meanMs: 12_345 }, reply: { calls: 1, failed: 0, meanMs: 3 } },
      });
      await overview(page).getByText("$1.2345").waitFor();
      await expect.poll(() => rowOf(page, "bash").innerText()).toBe("bash\t1,204\t12\t12.3s");
      await expect.poll(() => rowOf(page, "reply").innerText()).toBe("reply\t1\t0\t3ms");
    });

    test("who gave a reply and who did a task stays with it, whoever answers now", async () => {
      const { page } = await openPage();
      pages.gateway.message(
        messageRecord({ id: "t-000001.reply", role: "assistant", text: "On it.", provider: "claude", taskIds: [] }),
      );
      pages.gateway.task(taskRecord({ id: "t-000001.0", state: "done", provider: "codex" }));
      pages.gateway.task(taskRecord({ id: "t-000001.1", state: "running" }));
      await withText(page, "On it.").locator(".meta", { hasText: "Claude" }).waitFor();
      await page.locator('[data-task="t-000001.0"]', { hasText: "Codex" }).waitFor();
      await page.locator('[data-task="t-000001.1"]').waitFor();
      await expect.poll(() => page.locator(".ran-with").allInnerTexts()).toEqual(["Codex"]);
    });

    test("a system that is not ready and its problems are shown in words", async () => {
      const { page } = await openPage();
      pages.gateway.setStatus({ ready: false, problems: ["The supervisor not running."] });
      await page.getByRole("status").filter({ hasText: "starting" }).waitFor();
      await page.getByRole("button", { name: "1 problem" }).click();
      await page.getByText("The supervisor not running.").waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("The supervisor not running.").waitFor({ state: "hidden" });
    });
  });

  describe("reading", () => {
    test("an empty page teaches by examples that fill the message field", async () => {
      const { page } = await openPage();
      await expect
        .poll(() => page.locator(".example code").allInnerTexts())
        .toEqual(["What can you do?", "remind me in 20 minutes to stretch", "every day at 9 run `df -h .`"]);
      await page.getByRole("button", { name: "remind me in 20 minutes" }).press("Enter");
      await expect.poll(() => field(page).inputValue()).toBe("remind me in 20 minutes to stretch");
      expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
      await page.keyboard.press("Enter");
      expect((await pages.gateway.arrival("input")).text).toBe("remind me in 20 minutes to stretch");
    });

    test.each([
      ["en-GB", "run `date` then `df -h .`", "Both are done."],
      ["zh-CN", "运行 `date` 然后 `df -h .`", "两个都完成了。"],
    ])(
      "each example of the empty page, and of the empty board, is answered well where there is nothing to work on (%s)",
      async (locale, ofBoard, report) => {
        const mimikit = await Instance.start();
        pages.atEnd(() => mimikit.dispose());
        const page = await openInstance(pages, mimikit, { locale });
        await page.locator(".example").first().waitFor();
        const examples = [...(await page.locator(".example code").allInnerTexts()), ofBoard];
        expect(examples).toHaveLength(4);
        for (const text of examples) {
          await page.locator("#message").fill(text);
          await page.locator("#message").press("Enter");
          const isIt = (message: ChatMessage) => message.role === "user" && message.text === text;
          await mimikit.replyTo(await mimikit.until(text, async () => (await mimikit.messages()).find(isIt)?.id));
          await mimikit.drained();
        }
        await withText(page, report).waitFor();
        const replies = (await mimikit.replies()).map((reply) => reply.text);
        expect(replies.length).toBeGreaterThan(examples.length);
        for (const text of replies) expect(text).not.toMatch(ANSWERED_BADLY);
      },
    );

    test("who follows goes on following when something grows before the browser has told of the last scrolling", async () => {
      for (let i = 0; i < 40; i++) {
        pages.gateway.message(messageRecord({ id: `m-${i}`, role: "user", text: `line ${i}` }));
      }
      const { page } = await openPage();
      const scroller = page.locator(".scroller");
      const fromBottom = () => scroller.evaluate((el) => Math.round(el.scrollHeight - el.scrollTop - el.clientHeight));
      await page.locator('[data-id="m-39"]').waitFor();
      await expect.poll(fromBottom).toBe(0);
      await scroller.evaluate((element) => {
        element
          .querySelector<HTMLElement>(".content")
          ?.style.setProperty("min-height", `${element.scrollHeight + 900}px`);
        element.dispatchEvent(new Event("scroll"));
      });
      await expect.poll(fromBottom).toBe(0);
    });

    test("who reads above is not moved by what is new, and is told of it", async () => {
      for (let i = 0; i < 40; i++) {
        pages.gateway.message(messageRecord({ id: `m-${i}`, role: "user", text: `line ${i}` }));
      }
      const { page } = await openPage();
      const scroller = page.locator(".scroller");
      const fromBottom = () => scroller.evaluate((el) => Math.round(el.scrollHeight - el.scrollTop - el.clientHeight));
      await page.locator('[data-id="m-39"]').waitFor();
      await expect.poll(fromBottom).toBe(0);

      await scroller.evaluate((element) => element.scrollTo({ top: 100 }));
      await page.getByRole("button", { name: "Jump to newest" }).waitFor();
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "Something new." }));
      await page.getByRole("button", { name: "New messages" }).waitFor();
      expect(await scroller.evaluate((element) => element.scrollTop)).toBe(100);
      await page.getByRole("button", { name: "New messages" }).click();
      await expect.poll(fromBottom).toBe(0);

      pages.gateway.message(messageRecord({ id: "t-000002.reply", role: "assistant", text: "A\n\n".repeat(30) }));
      await page.locator('[data-id="t-000002.reply"]').waitFor();
      await expect.poll(fromBottom).toBe(0);
      expect(await page.getByRole("button", { name: "New messages" }).count()).toBe(0);
    });

    test("a screen reader is told of a new reply, but not of the history or of each piece of a forming one", async () => {
      pages.gateway.message(messageRecord({ id: "m-old", role: "user", text: "old" }));
      const { page } = await openPage();
      const live = page.locator("[aria-live=polite]");
      await withText(page, "old").waitFor();
      pages.gateway.pass({ type: "delta", taskId: "t-000001", text: "piece" });
      await page.locator(".forming", { hasText: "piece" }).waitFor();
      expect(await live.innerText()).toBe("");
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "The whole." }));
      await live.filter({ hasText: "The whole." }).waitFor();
    });

    test("asks for leave to notify, then shows each notification once, also one that came while the gateway was down", async () => {
      const { page } = await newPage();
      await page.addInitScript(() => {
        const shown: unknown[] = [];
        class Recorded {
          static permission = "default";
          static requestPermission = async () => {
            Recorded.permission = "granted";
            return "granted";
          };
          constructor(title: string, { body, tag }: { body: string; tag: string }) {
            shown.push([title, body, tag]);
          }
        }
        Object.assign(globalThis, { Notification: Recorded, shown });
      });
      const shown = () => page.evaluate(() => Reflect.get(globalThis, "shown"));
      const earlier = messageRecord({ id: "t-000001.0", role: "system", text: "old", notification: {} });
      pages.gateway.message(earlier);
      await page.goto(pages.gateway.pairingAddress());
      await withText(page, "old").waitFor();
      await page.getByRole("button", { name: "Allow notifications" }).click();
      await page.getByRole("button", { name: "Allow notifications" }).waitFor({ state: "detached" });
      pages.gateway.notify(
        messageRecord({ id: "t-000002.0", role: "system", text: "Wake up!", notification: { title: "Alarm" } }),
      );
      await expect.poll(shown).toEqual([["Alarm", "Wake up!", "t-000002.0"]]);

      await pages.replaceGateway();
      for (const [id, text] of Object.entries({
        "t-000001.0": "old",
        "t-000002.0": "Wake up!",
        "t-000003.0": "missed",
      }))
        pages.gateway.message(messageRecord({ id, role: "system", text, notification: {} }));
      await pages.gateway.start();
      await withText(page, "missed").waitFor();
      await expect.poll(shown).toEqual([
        ["Alarm", "Wake up!", "t-000002.0"],
        ["Mimikit", "missed", "t-000003.0"],
      ]);
    });

    test("a code block can be copied", async () => {
      const { page } = await openPage({ permissions: ["clipboard-read", "clipboard-write"] });
      pages.gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text: "```sh\nls <dir>\n```" }));
      await page.locator(".code-block").hover();
      await page.getByRole("button", { name: "Copy", exact: true }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("ls <dir>\n");
    });

    test("fits a phone: nothing scrolls sideways, and the tasks are a drawer that Escape closes", async () => {
      const word = "x".repeat(300);
      pages.gateway.setStatus({
        ready: false,
        problems: [word],
        providers: byRole(() => word),
        passedOver: [word],
        tools: { [word]: { calls: 1, failed: 1, meanMs: 1 } },
      });
      pages.gateway.message(messageRecord({ id: "m-1", role: "user", text: word }));
      pages.gateway.message(
        messageRecord({
          id: "t-000001.reply",
          role: "assistant",
          text: `${word}\n\n\`\`\`\n${word}\n\`\`\`\n\n| a | b |\n|---|---|\n| ${word} | ${word} |`,
          taskIds: ["t-000001.0"],
        }),
      );
      pages.gateway.task(taskRecord({ id: "t-000001.0", title: word, state: "running" }));
      pages.gateway.question(
        questionRecord({ id: "t-000001.1", question: word, options: [word, word.slice(1)], taskId: "t-000001.0" }),
      );
      pages.gateway.trigger(triggerRecord({ id: "trg-1", title: word }));
      const holds = { type: "file_exists" as const, holds: true, text: word };
      const tree = { type: "and" as const, holds: true, parts: [{ type: "or" as const, holds: true, parts: [holds] }] };
      pages.gateway.explanations.set("trg-1", { id: "trg-1", state: "unmet", text: word, next: null, condition: tree });
      const { page } = await newPage({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
      await page.goto(pages.gateway.pairingAddress());
      await page.locator('[data-id="t-000001.reply"]').waitFor();
      const overflow = () =>
        page.evaluate(() =>
          [
            document.documentElement,
            ...document.querySelectorAll(".scroller, .header, .rail, .drawer, .overview, .questions, .triggers"),
          ]
            .filter((element) => element.scrollWidth > element.clientWidth || element.clientWidth > innerWidth)
            .map((element) => element.className || element.nodeName),
        );
      expect(await overflow()).toEqual([]);
      await page.locator("[data-provider]").tap();
      await page.locator(".overview").waitFor();
      expect(await overflow()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Schedules" }).tap();
      await page.getByRole("button", { name: `Why ${word}` }).tap();
      await page.locator(".truth .truth").first().waitFor();
      expect(await overflow()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Tasks, 1 open" }).tap();
      await page.getByRole("dialog").locator('[data-task="t-000001.0"]').waitFor();
      pages.gateway.pass({ type: "progress", taskId: "t-000001.0", step: word });
      await page.locator(".steps").waitFor();
      expect(await overflow()).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
    });

    test.each(["light", "dark"] as const)(
      "is readable in %s: every text colour contrasts with every ground",
      async (colorScheme) => {
        const { page } = await openPage({ colorScheme });
        const colours = await page.evaluate(() => {
          const style = getComputedStyle(document.documentElement);
          const luminance = (name: string) => {
            const hex = style.getPropertyValue(name).trim();
            const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
              const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
              return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
            });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
          };
          const contrast = (a: string, b: string) => {
            const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
            return (high + 0.05) / (low + 0.05);
          };
          const grounds = ["--ground", "--raised", "--sunken"];
          const texts = ["--text", "--quiet", "--accent", "--good", "--bad", "--warn"];
          const pairs = texts.flatMap((text) =>
            grounds.map((ground) => ({ text, ground, contrast: contrast(text, ground) })),
          );
          pairs.push({ text: "--on-accent", ground: "--accent", contrast: contrast("--on-accent", "--accent") });
          pairs.push({ text: "--text", ground: "--own", contrast: contrast("--text", "--own") });
          return { pairs, dark: luminance("--ground") < 0.1 };
        });
        expect(colours.dark).toBe(colorScheme === "dark");
        expect(colours.pairs.filter((pair) => pair.contrast < 4.5)).toEqual([]);
      },
    );
  });
});
