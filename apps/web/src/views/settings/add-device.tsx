/** Signs another device in: a QR code for its camera, an address, and a code to type. */
import type { PairingAnswer } from "@mimikit/protocol/wire/api";
import { useEffect, useState } from "preact/hooks";
import { encode } from "uqr";
import { viewWords } from "../../i18n/view-words.ts";
import { momentText } from "../../i18n/words.ts";
import { call } from "../../model/call.ts";
import { nowMs } from "../../model/clock.ts";
import { connection } from "../../model/connection.ts";
import { devicesChanged } from "../../model/devices.ts";
import { LOOPBACK } from "../../model/place.ts";
import { copy } from "../../ui/copy.ts";
import "./add-device.css";

/** Light modules around the code, as the standard asks for. */
const QUIET_ZONE = 4;
/** While a code is shown, the page looks this often whether it was used, in ms. */
const LOOK_MS = 3_000;

export function AddDevice() {
  const [pairing, setPairing] = useState<PairingAnswer>();
  const add = async () => setPairing(await call<PairingAnswer>("POST", "api/pairings", {}));
  const isOver = pairing === undefined || Date.parse(pairing.expiresAt) <= nowMs.value;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => devicesChanged.value++, LOOK_MS);
    return () => clearInterval(timer);
  }, [isOver]);
  if (isOver)
    return (
      <button type="button" class="option" disabled={connection.value.state !== "connected"} onClick={() => void add()}>
        {viewWords.addDevice}
      </button>
    );
  const page = new URL(pairing.publicUrl ?? location.href);
  const url = `${page.origin}${page.pathname.replace(/\/$/, "")}/#pair=${pairing.code}`;
  return (
    <div class="add-device">
      <QrCode text={url} />
      <div>
        <p>{viewWords.addDeviceText}</p>
        <p>{viewWords.addDeviceTyped(pairing.typed, momentText(pairing.expiresAt, nowMs.value))}</p>
        {LOOPBACK.test(page.hostname) && <p class="reached">{viewWords.addDeviceOnlyHere}</p>}
        <button type="button" class="link" onClick={() => void copy(url)}>
          {viewWords.copyAddress}
        </button>
      </div>
    </div>
  );
}

/** Dark on light in either colour scheme, because not every camera reads the other way round. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: QUIET_ZONE });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr-code" role="img" aria-label={viewWords.addDeviceQr} viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join("")} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}
