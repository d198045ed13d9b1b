/** Makes an address that signs one browser in, once. */
import { createPairingCode } from "@mimikit/runtime/pairing";
import { connect } from "../client.ts";
import { command } from "../command.ts";
import { currentPlace } from "../place.ts";
import { printJson, printLine } from "../print.ts";

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
