/** The notifications of this device: while the page is open, or by Web Push also when it is closed; and one to try it out. */
import { useState } from "preact/hooks";
import { allowNotifications, consent, stopNotifications } from "../../frame/notifications.ts";
import { firstWords } from "../../i18n/first-words.ts";
import { viewWords } from "../../i18n/view-words.ts";
import { words } from "../../i18n/words.ts";
import { ask } from "../../model/call.ts";
import { connection } from "../../model/connection.ts";
import { devicesChanged, useDevices } from "../../model/devices.ts";
import { canPush, type PushProblem, subscribe, unsubscribe } from "../../notify/push.ts";

export function Notifications() {
  return (
    <section>
      <h3>{firstWords.notifications}</h3>
      <p>{firstWords.notificationsText}</p>
      <Ways />
    </section>
  );
}

/** The browser is asked for nothing until a button is pressed. */
function Ways() {
  if (consent.value === "missing") return <p class="quiet">{viewWords.notificationsMissing}</p>;
  if (consent.value === "denied") return <p class="quiet">{firstWords.notificationsDenied}</p>;
  if (canPush) return <Push />;
  return (
    <>
      {consent.value === "on" ? (
        <WhileOpen />
      ) : (
        <button type="button" class="primary" onClick={() => void allowNotifications()}>
          {words.allowNotifications}
        </button>
      )}
      <p class="quiet">{viewWords.pushMissing}</p>
    </>
  );
}

function WhileOpen() {
  return (
    <p>
      <span class="good">{viewWords.notificationsOn}</span>{" "}
      <button type="button" class="link" onClick={stopNotifications}>
        {viewWords.notificationsOff}
      </button>
    </p>
  );
}

function Push() {
  const devices = useDevices();
  const [said, setSaid] = useState<{ text: string; isBad: boolean }>();
  const [isBusy, setBusy] = useState(false);
  if (devices === undefined) return null;
  const push = devices.find(({ isThis }) => isThis)?.push ?? null;

  const act = async (work: () => Promise<PushProblem>, done?: string) => {
    setBusy(true);
    setSaid(undefined);
    const problem = await work().finally(() => setBusy(false));
    devicesChanged.value++;
    const text = problem instanceof DOMException ? viewWords.pushFailed : (problem ?? done);
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
        <p>
          <button type="button" class="primary" disabled={isOff} onClick={() => void act(turnOn)}>
            {viewWords.pushOn}
          </button>{" "}
          {consent.value === "off" && (
            <button type="button" class="link" disabled={isBusy} onClick={() => void allowNotifications()}>
              {viewWords.onlyWhileOpen}
            </button>
          )}
        </p>
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
      {push === null && consent.value === "on" && <WhileOpen />}
    </div>
  );
}
