/** Adding a device from the page of a real instance: by the camera of the other one, or by eight characters. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { Instance } from "../../support/instance.ts";
import { readQrCode } from "../../support/read-qr-code.ts";
import { openAt, openInstance } from "../support/open-instance.ts";
import { BROWSER_MS_MAX, hasChromium, usePages } from "../support/use-pages.ts";
import { openView, view } from "../support/views.ts";

/** Pixels of the picture that is read. */
const SIDE = 520;

/** The text that a camera reads off the page. */
async function readPage(page: Page): Promise<string | undefined> {
  const pixels = await page.getByRole("img", { name: "QR code" }).evaluate(async (svg, side) => {
    const copy = svg.cloneNode(true) as SVGSVGElement;
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", String(side));
    copy.setAttribute("height", String(side));
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(copy.outerHTML)}`;
    await image.decode();
    const drawing = new OffscreenCanvas(side, side).getContext("2d");
    drawing?.drawImage(image, 0, 0, side, side);
    return Array.from(drawing?.getImageData(0, 0, side, side).data ?? []);
  }, SIDE);
  return readQrCode(Uint8ClampedArray.from(pixels), SIDE, SIDE);
}

describe.runIf(hasChromium)("adding a device", { timeout: 2 * BROWSER_MS_MAX }, () => {
  const pages = usePages();

  test("the QR code and the typed code each sign a browser in, once; it is listed and can be signed out", async () => {
    const mimikit = await Instance.start();
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    await openView(page, "settings");
    await view(page).getByRole("button", { name: "Add a device" }).click();
    await view(page).getByText("This address reaches only this computer.").waitFor();
    const address = (await readPage(page)) ?? "";
    expect(address).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${mimikit.port}/#pair=`));
    const phone = await openAt(pages, address, { userAgent: "Mozilla/5.0 (Android 16; Mobile) Firefox/140.0" });

    // The page sees by itself that its code was used.
    await view(page).getByText("Firefox on Android").waitFor();
    await page.getByRole("img", { name: "QR code" }).waitFor({ state: "detached" });
    const signOut = view(page).getByRole("button", { name: "Sign out Firefox on Android" });
    page.once("dialog", (dialog) => void dialog.accept());
    await signOut.click();
    await signOut.waitFor({ state: "detached" });
    await phone.getByLabel("Pairing code").waitFor();

    await view(page).getByRole("button", { name: "Add a device" }).click();
    const [typed = ""] = /\b\w{4}-\w{4}\b/.exec(await view(page).getByText("Or open the page there").innerText()) ?? [];
    await phone.getByLabel("Pairing code").fill(typed.toLowerCase());
    await phone.getByLabel("Pairing code").press("Enter");
    await phone.locator('[data-link="connected"]').waitFor();
  });

  test("where other devices reach the page, its first steps show the code, and need no terminal", async () => {
    const mimikit = await Instance.start({ env: { MIMIKIT_PUBLIC_URL: "https://mimikit.example" } });
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    await page.locator('[data-step="phone"]').getByRole("button", { name: "Add a device" }).click();
    await page.getByRole("img", { name: "QR code" }).waitFor();
    const [, fragment = ""] = /^https:\/\/mimikit\.example\/(#pair=.+)$/.exec((await readPage(page)) ?? "") ?? [];
    await openAt(pages, `http://127.0.0.1:${mimikit.port}/${fragment}`);
    await page.locator('[data-step="phone"][data-state="done"]').waitFor();
  });

  test("a browser that has typed ten wrong codes is told how long to wait", async () => {
    const mimikit = await Instance.start();
    pages.atEnd(() => mimikit.dispose());
    const page = await openInstance(pages, mimikit);
    // A request that is still on its way when the browser signs out is a wrong guess, too.
    await page.locator('[data-step="phone"]').waitFor();
    await page.waitForLoadState("networkidle");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: "Sign out" }).click();
    const code = page.getByLabel("Pairing code");
    for (let guess = 0; guess < 10; guess++) {
      await code.fill("AAAA-AAAA");
      await Promise.all([page.waitForResponse("**/api/pair"), code.press("Enter")]);
      await page.getByRole("alert").filter({ hasText: "does not know this code" }).waitFor();
    }
    await code.press("Enter");
    await page.getByRole("alert").filter({ hasText: "Wait five minutes" }).waitFor();
  });
});
