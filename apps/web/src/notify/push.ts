/** Web Push on this browser (docs/notifications.md#web-push): its subscription, and what the gateway knows of it. */

import type { Device } from "@mimikit/protocol/wire/api";
import type { PushBody, PushKeyAnswer } from "@mimikit/protocol/wire/push";
import { language } from "../i18n/base/language.ts";
import { ask } from "../model/call.ts";
import { store } from "../storage/storage.ts";

/** Language and address as the gateway was told them last. The entry is there as long as this browser is to be notified. */
const KEY = "mimikit.push";

export const canPush = "PushManager" in window && "serviceWorker" in navigator && isSecureContext;

/** Why it did not work: the words of the gateway, or the refusal of the browser; undefined where it did. */
export type PushProblem = string | DOMException | undefined;

/**
 * Subscribes this browser and tells the gateway; the browser must have allowed notifications before.
 * @returns why that failed.
 */
export async function subscribe(): Promise<PushProblem> {
  const asked = await ask<PushKeyAnswer>("POST", "api/push/key", {});
  if ("refusal" in asked) return asked.refusal;
  try {
    const subscription = await subscribeAnew(await worker(), asked.answer.publicKey);
    const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = subscription.toJSON();
    const body: PushBody = { subscription: { endpoint, keys: { p256dh, auth } }, language };
    const told = await ask("POST", "api/push", body);
    if ("refusal" in told) return told.refusal;
    store(KEY, noteOf(endpoint));
    return undefined;
  } catch (error) {
    // A browser without a push service, a network that keeps it from there, a private window.
    if (!(error instanceof DOMException)) throw error;
    console.warn(error);
    return error;
  }
}

/** Ends it, here and at the gateway. @returns why that failed. */
export async function unsubscribe(): Promise<PushProblem> {
  const told = await ask("DELETE", "api/push");
  if ("refusal" in told) return told.refusal;
  store(KEY, undefined);
  await (await (await worker()).pushManager.getSubscription())?.unsubscribe();
  return undefined;
}

/** Subscribes again where the browser or the gateway has lost its part, or the language is another. For a page that was just loaded. */
export async function renew(): Promise<void> {
  const asked = await ask<{ devices: Device[] }>("GET", "api/devices");
  if ("refusal" in asked) return;
  const endpoint = (await (await worker()).pushManager.getSubscription())?.endpoint;
  const isKnown = asked.answer.devices.some(({ isThis, push }) => isThis && push !== null);
  if (isKnown && endpoint !== undefined && localStorage.getItem(KEY) === noteOf(endpoint)) return;
  const problem = await subscribe();
  if (typeof problem === "string") console.warn(problem);
}

const noteOf = (endpoint: string) => `${language} ${endpoint}`;

async function worker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register("notify-worker.js");
  return navigator.serviceWorker.ready;
}

/** One that is there with the same key is kept; one of another instance that was at this address gives way. */
async function subscribeAnew({ pushManager }: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await pushManager.subscribe(options);
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  }
}
