/** Makes an address that signs one browser in, once. */
import { createPairingCode } from "@mimikit/runtime/home/pairing";
import { command } from "../arguments/command.ts";
import { connect } from "../instance/client.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine } from "../io/print.ts";

export const pair = command({
  usage: "pair",
  summary: "make an address that signs one browser in",
  examples: [["mimikit pair", "valid once, for two minutes"]],
  async run({ json }) {
    const { url } = connect();
    const pairingUrl = `${url}/#pair=${await createPairingCode(currentPlace().home)}`;
    if (json) printJson({ pairingUrl });
    else printLine(pairingUrl);
  },
});
