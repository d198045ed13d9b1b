/** A send of which nobody knows whether it arrived, in an outage. */
import { expect, test } from "vitest";
import { auditOf, settle, startChannel } from "./channel-suite.ts";
import { TELEGRAM } from "./telegram-candidate.ts";

test("an outage behind a gateway uses up no try: what may have been sent comes once more when it is over", async () => {
  const { vendor, mimikit, fs } = await startChannel(TELEGRAM);
  const { server: telegram } = vendor;
  let tries = 0;
  telegram.onSend = () => {
    telegram.page = 503;
    return tries++ === 0 ? { status: 502, page: true } : "taken";
  };
  await settle(fs, 1, { effects: [{ type: "notify", text: "feed the cat" }] });
  const asked = () => telegram.pages.filter((path) => path.endsWith("/getMe")).length;
  await mimikit.until("it asks whether Telegram answers", () => asked() >= 2 || undefined);
  expect(tries).toBe(1);
  telegram.onSend = () => "taken";
  telegram.page = null;
  await mimikit.until("it is sent", () => telegram.sent.find(({ text }) => text.includes("feed the cat")));
  expect(telegram.sent.filter(({ text }) => text.includes("feed the cat"))).toHaveLength(1);
  expect(auditOf(mimikit.home).filter((event) => event === "channel_unsure")).toHaveLength(1);
});
