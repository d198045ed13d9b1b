/** The browsers that are signed in; each but this one can be signed out here. */
import type { Device } from "@mimikit/protocol/wire/api";
import { viewWords } from "../../i18n/view-words.ts";
import { momentText, words } from "../../i18n/words.ts";
import { call } from "../../model/call.ts";
import { nowMs } from "../../model/clock.ts";
import { connection } from "../../model/connection.ts";
import { devicesChanged, useDevices } from "../../model/devices.ts";
import { AddDevice } from "./add-device.tsx";

const UNKNOWN = "a browser";

export function Devices() {
  const devices = useDevices();
  const signOut = async (device: Device) => {
    if (!confirm(viewWords.signOutDeviceQuestion(nameOf(device)))) return;
    await call("DELETE", `api/devices/${device.id}`);
    devicesChanged.value++;
  };
  return (
    <section>
      <h3>{viewWords.devices}</h3>
      <p>{viewWords.devicesText}</p>
      <ul class="devices">
        {devices?.map((device) => (
          <li key={device.id}>
            <span>
              {nameOf(device)}
              {device.isThis && <span class="quiet"> {viewWords.thisDevice}</span>}
            </span>
            <span class="quiet">
              {viewWords.lastSeen} <time dateTime={device.seenAt}>{momentText(device.seenAt, nowMs.value)}</time>
            </span>
            {device.push !== null && (
              <span class={device.push.refused === null ? "quiet" : "bad"}>
                {device.push.refused === null ? viewWords.notifiedDevice : viewWords.refusedDevice(device.push.refused)}
              </span>
            )}
            {!device.isThis && (
              <button
                type="button"
                class="link"
                disabled={connection.value.state !== "connected"}
                aria-label={viewWords.signOutOf(nameOf(device))}
                onClick={() => void signOut(device)}
              >
                {words.signOut}
              </button>
            )}
          </li>
        ))}
      </ul>
      {/* Another one has signed in: its code is used up. */}
      {devices !== undefined && (
        <AddDevice
          key={devices
            .map(({ pairedAt }) => pairedAt)
            .sort()
            .at(-1)}
        />
      )}
    </section>
  );
}

/** The gateway names a browser like "Firefox on Android", and one that it does not know "a browser"; clients have the owner's names. */
function nameOf({ kind, name }: Device): string {
  if (kind === "client" && name !== null) return name;
  const [browser = UNKNOWN, system] = name?.split(" on ") ?? [];
  const called = browser === UNKNOWN ? viewWords.unnamedDevice : browser;
  return system === undefined ? called : viewWords.browserOn(called, system);
}
