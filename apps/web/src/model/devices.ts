/** The devices that are signed in, as often as something about them changes. */
import type { Device } from "@mimikit/protocol/wire/api";
import { signal } from "@preact/signals";
import { useAnswer } from "./use-answer.ts";

/** Changes when one has signed in or out, or is notified or no more: every list of them is asked for again. */
export const devicesChanged = signal(0);

/** They, or undefined until the gateway has said which. */
export function useDevices(): readonly Device[] | undefined {
  return useAnswer<{ devices: Device[] }>("api/devices", devicesChanged.value).answer?.devices;
}
