/** `npm run screenshots`: the pictures of the README, taken of a real instance with a real browser. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPairingCode } from "@mimikit/runtime/pairing";
import { Instance } from "../support/instance.ts";
import { findChromium, launchChromium } from "./support/chromium.ts";

const IMAGES = join(import.meta.dirname, "../../docs/images");
const SIZE = { width: 1180, height: 820 };

const chromium = findChromium();
if (chromium === undefined) throw new Error("no Chromium here: install one, or name it in MIMIKIT_CHROMIUM");
const mimikit = await Instance.start();
const browser = await launchChromium(chromium);
try {
  writeFileSync(join(mimikit.workDir, "README.md"), "# Garden\n\nWhat grows where, and when to water it.\n");
  writeFileSync(join(mimikit.workDir, "plan.md"), "- tomatoes\n- basil\n");
  await mimikit.replyTo(await mimikit.send("remember that watering day is Thursday"));
  await mimikit.replyTo(await mimikit.send("run `ls` then `wc -l README.md`"));
  await mimikit.replyWith("3 README.md");
  await mimikit.replyTo(
    await mimikit.send(
      "run `for n in 1 2 3 4 5 6 7 8 9; do echo watering bed $n of 9; sleep 1; done` and `grep -c . plan.md`",
    ),
  );
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await browser.newContext({ viewport: SIZE, colorScheme, deviceScaleFactor: 1 });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${mimikit.port}/#pair=${await createPairingCode(mimikit.home)}`);
    // The first status may be of a moment before everything ran.
    await page.locator('[data-link="connected"]').waitFor();
    await page.getByText("watering bed").last().waitFor();
    await page.screenshot({ path: join(IMAGES, `page-${colorScheme}.png`) });
    await context.close();
  }
} finally {
  await browser.close();
  await mimikit.dispose();
}
