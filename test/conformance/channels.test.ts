/** The channels that there are, each against a server that speaks its vendor's protocol. */
import { hiddenChat } from "../../apps/channels/src/contract/channel.ts";
import { NtfyServer } from "../support/ntfy-server.ts";
import { describeChannel, type Vendor } from "./channel-suite.ts";
import { TELEGRAM } from "./telegram-candidate.ts";

describeChannel(TELEGRAM);

describeChannel({
  name: "ntfy",
  unsure: "again",
  async start() {
    const ntfy = await NtfyServer.start();
    const vendor: Vendor = {
      fields: { topic: ntfy.topic, listen: ntfy.listen, server: ntfy.url },
      mistakes: ntfy.mistakes,
      via: { channel: "ntfy", chat: hiddenChat(ntfy.topic), person: "owner" },
      shown: () => ntfy.shown.map(({ message }) => message),
      say: (text) => void ntfy.put(ntfy.listen, text),
      onSend: (fate) => {
        ntfy.onSend = ({ text }) => fate(text);
      },
      onDelivered: (hear) => {
        ntfy.onDelivered = hear;
      },
      open: () => ntfy.open(),
      close: () => ntfy.close(),
      dispose: () => ntfy.dispose(),
    };
    return vendor;
  },
});
