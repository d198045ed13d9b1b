/** The settings: who answers and why, everything that can be set, and what this browser may do. */
import type { Actor } from "@mimikit/protocol/records/audit";
import type { ProcessState, Status } from "@mimikit/protocol/wire/api";
import { Answerers } from "../frame/overview.tsx";
import { chooseLanguage, LANGUAGES, languageNow } from "../i18n/base/language.ts";
import { viewWords } from "../i18n/view-words.ts";
import { momentText, words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { connection, sendMessage } from "../model/connection.ts";
import { goHome, type ViewProps } from "../model/place.ts";
import { status } from "../model/state.ts";
import { Choice } from "../ui/choice.tsx";
import { COLOURS, chooseColours, colours } from "../ui/colours.ts";
import { lazily } from "../ui/lazily.tsx";
import "./settings.css";

const PROCESSES = ["supervisor", "workers", "gateway"] as const;

const ConnectCard = lazily(async () => (await import("../connect/connect-card.tsx")).ConnectCard);
const AnswerOrder = lazily(async () => (await import("../connect/answer-order.tsx")).AnswerOrder);
const Autonomy = lazily(async () => (await import("./settings/autonomy.tsx")).Autonomy);
const Devices = lazily(async () => (await import("./settings/devices.tsx")).Devices);
const McpServers = lazily(async () => (await import("./settings/mcp-servers.tsx")).McpServers);
const Notifications = lazily(async () => (await import("./settings/notifications.tsx")).Notifications);
const SettingsForm = lazily(async () => (await import("./settings/settings-form.tsx")).SettingsForm);

export function Settings({ detail }: ViewProps) {
  const now = status.value;
  if (!now) return null;
  return (
    <div class="settings">
      <section>
        <Answerers status={now} />
        <p class="quiet">{viewWords.settingsWhoText}</p>
        <button
          type="button"
          class="primary"
          disabled={connection.value.state !== "connected"}
          onClick={() => {
            goHome();
            sendMessage(now.providers.teller === "offline" ? viewWords.tryOffline : viewWords.tryText);
          }}
        >
          {viewWords.tryIt}
        </button>{" "}
        <span class="quiet">{viewWords.tryHint}</span>
      </section>
      <ConnectCard isWanted={detail === "connect"} />
      <AnswerOrder />
      <Autonomy />
      <McpServers />
      <section>
        <h3>{viewWords.allSettings}</h3>
        <p>{viewWords.allSettingsText}</p>
        <SettingsForm opened={detail} />
      </section>
      <Appearance />
      <Notifications />
      <Devices />
      <System status={now} />
    </div>
  );
}

/** How the page looks on this browser, and what it speaks. */
function Appearance() {
  return (
    <section class="appearance">
      <h3>{viewWords.appearance}</h3>
      <p>{viewWords.appearanceText}</p>
      <div>
        <Choice
          name={viewWords.colours}
          options={COLOURS.map((value) => ({ value, text: viewWords.coloursOf[value] }))}
          chosen={colours.value}
          onChoose={chooseColours}
        />
        <Choice
          name={viewWords.language}
          options={LANGUAGES.map((value) => ({ value, text: viewWords.languages[value] }))}
          chosen={languageNow()}
          onChoose={chooseLanguage}
        />
      </div>
    </section>
  );
}

function Process({ name, state: { alive, pid, silentSec } }: { name: Actor; state: ProcessState }) {
  return (
    <div>
      <dt>{viewWords.processName[name]}</dt>
      <dd class={alive && silentSec === undefined ? "good" : "bad"}>
        {!alive ? viewWords.dead : silentSec === undefined ? viewWords.alive(pid) : viewWords.hangs(silentSec)}
      </dd>
    </div>
  );
}

function Machine({ machine }: { machine: NonNullable<Status["pools"]>["each"][number] }) {
  const { name, labels, state, since, seenAt, tasks = [] } = machine;
  const at = state === "there" ? since : seenAt;
  return (
    <div>
      <dt>{viewWords.machine(name, labels)}</dt>
      <dd class={state === "away" ? "bad" : "good"}>
        {viewWords.machineState[state](at === undefined ? "" : momentText(at, nowMs.value))}
        {tasks.length > 0 && viewWords.machineRuns(tasks.map(({ title }) => title))}
      </dd>
    </div>
  );
}

function System({ status: { processes, channels, pools, workDir, version, startedAt, problems } }: { status: Status }) {
  return (
    <section>
      <h3>{viewWords.system}</h3>
      <dl class="facts-list">
        {PROCESSES.map((name) => (
          <Process key={name} name={name} state={processes[name]} />
        ))}
        {channels !== undefined && <Process name="channels" state={channels.process} />}
        {Object.entries(channels?.each ?? {}).map(([name, { state, detail }]) => (
          <div key={name}>
            <dt>{viewWords.channel(name)}</dt>
            <dd class={state === "unreachable" || state === "refused" ? "bad" : "good"}>
              {viewWords.channelState[state]}
              {detail !== undefined && `: ${detail}`}
            </dd>
          </div>
        ))}
        {pools !== undefined && <Process name="dispatcher" state={pools.process} />}
        {pools?.each.map((machine) => (
          <Machine key={machine.name} machine={machine} />
        ))}
        <div>
          <dt>{viewWords.since}</dt>
          <dd>
            <time dateTime={startedAt}>{momentText(startedAt, nowMs.value)}</time>
          </dd>
        </div>
        <div>
          <dt>{words.workspace}</dt>
          <dd>{workDir}</dd>
        </div>
      </dl>
      <p class="quiet">{words.version(version)}</p>
      {problems.map((problem) => (
        <p key={problem} class="reached">
          {problem}
        </p>
      ))}
    </section>
  );
}
