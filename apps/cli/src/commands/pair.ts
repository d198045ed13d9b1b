/** Makes an address that signs one browser in, once. */
import { isOnlyHere, pairingUrl } from "@mimikit/runtime/config/address";
import { loadConfig } from "@mimikit/runtime/config/config";
import { createPairing } from "@mimikit/runtime/home/pairing";
import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { connect } from "../instance/client.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine, printNotice, printProgress, styled } from "../io/print.ts";

export const pair = command({
  usage: "pair",
  summary: "print an address that signs one browser in",
  examples: [
    ["mimikit pair", "an address, and a code to type on its page instead: one of them counts, once, for ten minutes"],
    ["mimikit pair --qr", "the address as a QR code too, for the camera of a phone"],
  ],
  options: (yargs) =>
    yargs.option("qr", { type: "boolean", default: false, describe: "print the address as a QR code too" }),
  async run({ json, qr }) {
    const { url } = connect();
    const { home } = currentPlace();
    const { code, typed } = await createPairing(home);
    const address = pairingUrl(url, loadConfig(home, process.env).config, code);
    if (json) return printJson({ pairingUrl: address, code: typed });
    if (qr) printLine(await qrCode(address));
    printLine(address);
    if (qr && isOnlyHere(address))
      printNotice(
        t("only this computer reaches that address: mimikit config set publicUrl <address>, see docs/remote.md"),
      );
    printProgress(t("or type  {typed}  on its page; one of them counts, once, for ten minutes", { typed }));
  },
});

/** The text as a QR code, two modules to a character; loaded only when it is asked for. */
async function qrCode(text: string): Promise<string> {
  const { renderUnicodeCompact } = await import("uqr");
  // Cameras read dark on light, whatever colours the terminal has.
  const lines = renderUnicodeCompact(text, { border: 2 }).split("\n");
  return lines.map((line) => styled(["whiteBright", "bgBlack"], line)).join("\n");
}
