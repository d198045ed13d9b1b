/** Whether this device is notified also when the page is closed, by Web Push; and a notification to try it out. */
import type { Device } from "@mimikit/protocol/wire/api";
import { useState } from "preact/hooks";
import { allowNotifications, consent } from "../../frame/notifications.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { ask } from "../../model/call.ts";
import { connection } from "../../model/connection.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { canPush, devicesChanged, subscribe, unsubscribe } from "../../notify/push.ts";

export function Push() {
  const { answer } = useAnswer<{ devices: Device[] }>("api/devices", devicesChanged.value);
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>();
  const [isBusy, setBusy] = useState(false);
  if (!canPush) return <p class="quiet">{viewWords.pushMissing}</p>;
  if (answer === undefined) return null;
  const push = answer.devices.find(({ isThis }) => isThis)?.push ?? null;

  const act = async (work: () => Promise<string | undefined>, done?: string) => {
    setBusy(true);
    setSaid(undefined);
    const problem = await work().finally(() => setBusy(false));
    devicesChanged.value++;
    const text = problem ?? done;
    if (text !== undefined) setSaid({ text, isBad: problem !== undefined });
  };
  const turnOn = async () => {
    if (consent.value === "off") await allowNotifications();
    return consent.value === "on" ? subscribe() : viewWords.pushNotAllowed;
  };
  const test = async () => {
    const asked = await ask("POST", "api/push/test", {});
    return "refusal" in asked ? asked.refusal : undefined;
  };
  const isOff = isBusy || connection.value.state !== "connected";
  return (
    <div class="push">
      <p>{viewWords.pushText}</p>
      {push === null ? (
        <button type="button" class="primary" disabled={isOff} onClick={() => void act(turnOn)}>
          {viewWords.pushOn}
        </button>
      ) : (
        <p>
          <span class="good">{viewWords.pushIsOn}</span>{" "}
          <button type="button" class="link" disabled={isOff} onClick={() => void act(test, viewWords.pushTested)}>
            {viewWords.pushTest}
          </button>{" "}
          <button type="button" class="link" disabled={isOff} onClick={() => void act(unsubscribe)}>
            {viewWords.pushOff}
          </button>
        </p>
      )}
      {push !== null && push.refused !== null && <p class="reached">{viewWords.pushRefused(push.refused)}</p>}
      <p class={said?.isBad ? "reached" : "quiet"} role="status">
        {said?.text}
      </p>
    </div>
  );
}
