/** Makes an address that signs one browser in, once. */
import { pairingUrl } from "@mimikit/runtime/config/address";
import { loadConfig } from "@mimikit/runtime/config/config";
import { createPairing } from "@mimikit/runtime/home/pairing";
import { command } from "../arguments/command.ts";
import { connect } from "../instance/client.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine, printProgress } from "../io/print.ts";

export const pair = command({
  usage: "pair",
  summary: "make an address that signs one browser in",
  examples: [
    ["mimikit pair", "an address, and a code to type on its page instead: one of them counts, once, for ten minutes"],
  ],
  async run({ json }) {
    const { url } = connect();
    const { home } = currentPlace();
    const { code, typed } = await createPairing(home);
    const address = pairingUrl(url, loadConfig(home, process.env).config, code);
    if (json) return printJson({ pairingUrl: address, code: typed });
    printLine(address);
    printProgress(`or type  ${typed}  on its page; one of them counts, once, for ten minutes`);
  },
});
