/** The page in another browser than the one that all other tests use: the way through it, once. */
import { expect, inject, test } from "vitest";
import { Firefox, findFirefox } from "./support/firefox.ts";
import { messageRecord, statusRecord } from "./support/records.ts";
import { ScriptedGateway } from "./support/scripted-gateway.ts";
import { BROWSER_MS_MAX } from "./support/use-pages.ts";
import { fill } from "./support/views.ts";

const path = findFirefox();
const dist = inject("pageDir");
const ENTER = "\uE007";

test.runIf(path !== undefined && dist !== "")(
  "Firefox pairs, sends, shows a reply as it is written, and opens every section",
  async ({ onTestFinished }) => {
    const gateway = new ScriptedGateway(dist, statusRecord());
    await gateway.start();
    onTestFinished(() => gateway.stop());
    const firefox = await Firefox.start(path ?? "");
    onTestFinished(() => firefox.close());
    const isSeen = (selector: string, text: string) =>
      firefox.until(
        `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`,
      );

    await firefox.goto(gateway.pairingAddress());
    await firefox.until(`document.querySelector('[data-link="connected"]') !== null`);
    await firefox.evaluate(`document.getElementById("message").focus()`);
    await firefox.type(`water the beds${ENTER}`);
    expect((await gateway.arrival("input")).text).toBe("water the beds");
    await isSeen(".message[data-role=user]", "water the beds");

    gateway.pass({ type: "delta", taskId: "t-000001", text: "The **third** bed is" });
    await isSeen(".forming strong", "third");
    const text = "The **third** bed is dry:\n\n```ts\nconst beds = 12;\n```\n";
    gateway.message(messageRecord({ id: "t-000001.reply", role: "assistant", text }));
    await isSeen(".message:not(.forming) .hljs-keyword", "const");

    fill(gateway);
    const sections = await firefox.evaluate<string>(
      `[...document.querySelectorAll(".rail a")].slice(1).map((link) => new URL(link.href).hash).join(" ")`,
    );
    expect(sections.split(" ").length).toBeGreaterThanOrEqual(6);
    for (const hash of sections.split(" ")) {
      await firefox.evaluate(`document.querySelector(${JSON.stringify(`.rail a[href="${hash}"]`)}).click()`);
      await firefox.until(
        `document.querySelector('[data-view="${hash.slice(2)}"] .view-body > :not(.view-wait)') !== null`,
      );
    }
    expect(firefox.errors).toEqual([]);
  },
  2 * BROWSER_MS_MAX,
);
