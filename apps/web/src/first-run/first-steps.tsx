/** Five steps for the first minutes, each of which can be taken, passed over, or left alone. */
import type { SettingsAnswer } from "@mimikit/protocol/wire/api";
import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { ConnectCard } from "../connect/connect-card.tsx";
import { allowNotifications, consent } from "../frame/notifications.ts";
import { answererOf } from "../i18n/answerer-of.ts";
import { autonomyWords } from "../i18n/autonomy-words.ts";
import { firstWords } from "../i18n/first-words.ts";
import { words } from "../i18n/words.ts";
import { devicesChanged, useDevices } from "../model/devices.ts";
import { addressOf, LOOPBACK } from "../model/place.ts";
import { messages, status } from "../model/state.ts";
import { useAnswer } from "../model/use-answer.ts";
import { decide, decided, type FirstStep, hideFirstSteps, timesAsked } from "../storage/first-steps-kept.ts";
import { CodedText } from "../ui/coded-text.tsx";
import { Check } from "../ui/icons.tsx";
import { lazily } from "../ui/lazily.tsx";
import { AutonomyChoice, useAutonomy } from "../views/settings/autonomy-choice.tsx";
import "./first-steps.css";

const AddDevice = lazily(async () => (await import("../views/settings/add-device.tsx")).AddDevice);

interface FirstStepsProps {
  /** Puts words into the message field, for the reader to send. */
  write: (text: string) => void;
}

export function FirstSteps({ write }: FirstStepsProps) {
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  // They were asked for: that is where the reader goes on.
  useSignalEffect(() => {
    if (timesAsked.value > 0) title.current?.focus();
  });
  return (
    <section class="first-steps" aria-labelledby={id}>
      <div class="first-top">
        <h3 id={id} ref={title} tabIndex={-1}>
          {firstWords.title}
        </h3>
        <button
          type="button"
          class="link"
          onClick={() => {
            hideFirstSteps();
            document.getElementById("message")?.focus();
          }}
        >
          {firstWords.hide}
        </button>
      </div>
      <ol>
        <Model />
        <Autonomy />
        <Ask write={write} />
        {consent.value !== "missing" && <Notifications />}
        <Phone />
      </ol>
    </section>
  );
}

interface StepProps {
  name: Exclude<FirstStep, "hidden">;
  title: string;
  isDone: boolean;
  /** Its outcome stays visible when it is done. */
  staysOpen?: boolean;
  pass?: string;
  children: ComponentChildren;
}

function Step({ name, title, isDone, staysOpen = false, pass = firstWords.notNow, children }: StepProps) {
  const isPassed = !isDone && decided.value.has(name);
  const state = isDone ? "done" : isPassed ? "passed" : "open";
  return (
    <li class="first-step" data-step={name} data-state={state}>
      <div class="first-top">
        <h4>
          {isDone && <Check />}
          {title}
          {state !== "open" && <span class={isDone ? "unseen" : "quiet"}> · {firstWords[state]}</span>}
        </h4>
        {!isDone && (
          <button type="button" class="link" onClick={() => decide(name, !isPassed)}>
            {isPassed ? firstWords.afterAll : pass}
          </button>
        )}
      </div>
      {(state === "open" || (isDone && staysOpen)) && children}
    </li>
  );
}

function Model() {
  // Once it is offered it stays, to say what came of it.
  const isOffered = useRef(false);
  const now = status.value;
  if (now === undefined) return null;
  const isOffline = now.providers.teller === "offline";
  isOffered.current ||= isOffline;
  return (
    <Step
      name="model"
      title={isOffline ? words.whoAnswers : firstWords.modelIs(answererOf(now, "teller"))}
      isDone={!isOffline}
      staysOpen={isOffered.current}
      pass={firstWords.goOnWithout}
    >
      {isOffline && <p>{firstWords.offline}</p>}
      <ConnectCard isWanted={false} />
    </Step>
  );
}

function Autonomy() {
  const setting = useAutonomy();
  if (setting === undefined) return null;
  return (
    <Step name="autonomy" title={autonomyWords.title} isDone={setting.source !== "default"} staysOpen>
      <AutonomyChoice setting={setting} />
    </Step>
  );
}

function Ask({ write }: FirstStepsProps) {
  return (
    <Step name="ask" title={firstWords.ask} isDone={messages.value.length > 0}>
      <ul>
        {firstWords.examples.map(({ text, why }) => (
          <li key={text}>
            <button type="button" class="example" onClick={() => write(text)}>
              <code>{text}</code>
              <span class="why">{why}</span>
            </button>
          </li>
        ))}
      </ul>
    </Step>
  );
}

function Notifications() {
  const isRefused = consent.value === "denied";
  return (
    <Step name="notifications" title={firstWords.notifications} isDone={consent.value === "on"}>
      <p>{isRefused ? firstWords.notificationsDenied : firstWords.notificationsText}</p>
      {!isRefused && (
        <button type="button" class="option" onClick={() => void allowNotifications()}>
          {words.allowNotifications}
        </button>
      )}
    </Step>
  );
}

function Phone() {
  // The code may come from a terminal: this page hears of the device when it is looked at again.
  useEffect(() => {
    const look = () => void devicesChanged.value++;
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, []);
  // Under another name than this computer's own, the page is reached from elsewhere, whatever the settings say.
  const { answer } = useAnswer<SettingsAnswer>(LOOPBACK.test(location.hostname) ? "api/settings" : undefined);
  const settingOf = (wanted: string) => answer?.settings.find(({ name }) => name === wanted)?.value;
  const host = settingOf("host");
  const hasAnother = useDevices()?.some(({ kind, isThis }) => kind === "browser" && !isThis) === true;
  const isOnlyHere = typeof host === "string" && LOOPBACK.test(host) && (settingOf("publicUrl") ?? null) === null;
  return (
    <Step name="phone" title={firstWords.phone} isDone={hasAnother}>
      <p>
        <CodedText text={firstWords.phoneText} />
      </p>
      {isOnlyHere ? (
        <p>
          {firstWords.onlyHere} <a href={addressOf("settings", "others")}>{firstWords.onlyHereSettings}</a>
        </p>
      ) : (
        <AddDevice />
      )}
    </Step>
  );
}
