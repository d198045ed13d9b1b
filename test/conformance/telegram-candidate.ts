/** Telegram, as the suite of channels drives it. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Person, TelegramServer } from "../support/telegram-server.ts";
import type { ChannelCandidate, Vendor } from "./channel-suite.ts";

export interface TelegramVendor extends Vendor {
  readonly server: TelegramServer;
}

export const PERSON: Person = { id: 4_711, first_name: "Ada <b>*_\u202e", username: "ada" };
const CODE = "K7QM2P9D";
const PAIRING_MS = 300_000;

export const TELEGRAM: ChannelCandidate<TelegramVendor> = {
  name: "telegram",
  unsure: "mark",
  async start() {
    const telegram = await TelegramServer.start();
    return {
      server: telegram,
      fields: { token: telegram.token, server: telegram.url },
      mistakes: telegram.mistakes,
      via: { channel: "telegram", chat: String(PERSON.id), person: String(PERSON.id) },
      shown: () => telegram.sent.filter(({ chat }) => chat === PERSON.id).map(({ text }) => text),
      say: (text) => void telegram.say(PERSON, text),
      press(label) {
        const message = telegram.sent.findLast(({ buttons }) => buttons.length > 0);
        const button = message?.buttons.find((each) => each.label === label);
        if (message !== undefined && button !== undefined) telegram.press(PERSON, message, button.data);
      },
      onSend: (fate) => {
        telegram.onSend = ({ text }) => fate(text);
      },
      onDelivered: (hear) => {
        telegram.onUpdates = (updates) => {
          if (updates.length > 0) hear();
        };
      },
      open: () => telegram.open(),
      close: () => telegram.close(),
      dispose: () => telegram.dispose(),
    };
  },
  async pair(vendor, home) {
    const hash = createHash("sha256").update(CODE).digest("hex");
    const expiresAt = new Date(Date.now() + PAIRING_MS).toISOString();
    writeFileSync(join(home, `channels/telegram/offer-${hash}.json`), JSON.stringify({ expiresAt }), { mode: 0o600 });
    vendor.say(`/start ${CODE.toLowerCase()}`);
  },
};
