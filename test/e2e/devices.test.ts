/** Devices through the real processes: a code for a camera, the list, and signing out from the terminal. */
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";
import { readQrCode } from "../support/read-qr-code.ts";

/** Pixels a module is wide: a camera sees more than one. */
const SCALE = 6;
/** Which halves of a character are light, the upper one first. */
const HALVES: Readonly<Record<string, readonly [boolean, boolean]>> = {
  "█": [true, true],
  "▀": [true, false],
  "▄": [false, true],
  " ": [false, false],
};

/** The text of a QR code on the terminal. */
function readTerminal(lines: readonly string[]): string | undefined {
  const rows = lines.flatMap((line) =>
    [0, 1].map((half) => [...line].map((character) => HALVES[character]?.[half] === true)),
  );
  const [width, height] = [(rows[0]?.length ?? 0) * SCALE, rows.length * SCALE];
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (rows[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)] !== true)
        pixels.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
  return readQrCode(pixels, width, height);
}

const PUBLIC_URL = "https://mimi.example/assistant";

test("the QR code of `mimikit pair --qr` signs a browser in, which `mimikit devices` lists and signs out", async () => {
  const env = { MIMIKIT_PUBLIC_URL: PUBLIC_URL };
  const mimikit = await Instance.start({ env });
  onTestFinished(() => mimikit.dispose());
  const mimikitSays = async (...words: string[]) => {
    const said = await runCli(mimikit, words, "", env);
    expect(said.error).not.toContain("only this computer");
    expect(said.code).toBe(0);
    return said.out.trimEnd().split("\n");
  };

  const shown = await mimikitSays("pair", "--qr");
  const address = shown.at(-1) ?? "";
  expect(address).toMatch(/^https:\/\/mimi\.example\/assistant\/#pair=/);
  expect(readTerminal(shown.slice(0, -1))).toBe(address);

  const [, code] = address.split("#pair=");
  const headers = {
    "Content-Type": "application/json",
    "User-Agent": "Mozilla/5.0 (Android 16; Mobile) Firefox/140.0",
  };
  const gateway = `http://127.0.0.1:${mimikit.port}`;
  const answer = await fetch(`${gateway}/api/pair`, { method: "POST", headers, body: JSON.stringify({ code }) });
  expect(answer.status).toBe(200);
  const { secret } = (await answer.json()) as { secret: string };
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const look = async () =>
    (await fetch(`${gateway}/api/status`, { headers: { Cookie: cookie, "X-Mimikit-Secret": secret } })).status;
  expect(await look()).toBe(200);

  const [, row = ""] = await mimikitSays("devices");
  expect(row).toContain("Firefox on Android");
  const [id = ""] = row.split(" ");
  await mimikitSays("devices", "sign-out", id);
  expect(await look()).toBe(401);
});

test("an address that only this computer reaches is shown with what would make it reach further", async () => {
  const mimikit = await Instance.start();
  onTestFinished(() => mimikit.dispose());
  const said = await runCli(mimikit, ["pair", "--qr"]);
  expect(said.out).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#pair=/);
  expect(said.error).toContain("mimikit config set publicUrl");
});
