/** Everything that config.yaml can hold, as a form that is drawn from what the gateway says of each setting. */
import type { SettingsAnswer, SettingValue, SettingView } from "@mimikit/protocol/wire/api";
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  descriptionOf,
  SETTING_SECTIONS,
  type SettingSection,
  sectionOf,
  sectionTitle,
  settingWords,
} from "../../i18n/setting-words.ts";
import { words } from "../../i18n/words.ts";
import { connection } from "../../model/connection.ts";
import { addressOf } from "../../model/place.ts";
import { saveSettings } from "../../model/setting-calls.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { SettingField } from "./setting-field.tsx";
import "./settings-form.css";

type Drafts = Readonly<Record<string, SettingValue>>;

const settings = signal<readonly SettingView[] | undefined>(undefined);
/** Changes that are not saved yet, by name; they stay while the view is closed. */
const drafts = signal<Drafts>({});

/** The value in the file; null where there is none. */
const savedOf = ({ source, value }: SettingView) => (source === "default" ? null : value);

function change(setting: SettingView, value: SettingValue): void {
  const { [setting.name]: _old, ...others } = drafts.value;
  const isAsBefore = JSON.stringify(value) === JSON.stringify(savedOf(setting));
  drafts.value = isAsBefore ? others : { ...others, [setting.name]: value };
}

function forget(names: readonly string[]): void {
  drafts.value = Object.fromEntries(Object.entries(drafts.value).filter(([name]) => !names.includes(name)));
}

/** @param opened the section that the address names. */
export function SettingsForm({ opened }: { opened: string | undefined }) {
  const { answer } = useAnswer<SettingsAnswer>("api/settings");
  const sought = useSignal("");
  useEffect(() => {
    if (answer !== undefined) settings.value = answer.settings;
  }, [answer]);
  const all = settings.value;
  if (all === undefined) return <p class="quiet">{words.looking}</p>;
  const wanted = sought.value.trim().toLowerCase();
  const found = all.filter((setting) => `${setting.name} ${descriptionOf(setting)}`.toLowerCase().includes(wanted));
  return (
    <>
      <label class="settings-search">
        {settingWords.find}
        <input
          type="search"
          value={sought.value}
          onInput={({ currentTarget }) => {
            sought.value = currentTarget.value;
          }}
        />
      </label>
      {answer?.missing.map((each) => (
        <p key={each} class="field-problem">
          {each}
        </p>
      ))}
      {found.length === 0 && <p class="quiet">{settingWords.noneFound}</p>}
      {SETTING_SECTIONS.map((section) => (
        <Section
          key={section}
          section={section}
          list={found.filter((setting) => sectionOf(setting) === section)}
          isOpen={wanted !== "" || section === opened}
        />
      ))}
    </>
  );
}

interface SectionProps {
  section: SettingSection;
  list: readonly SettingView[];
  isOpen: boolean;
}

function Section({ section, list, isOpen }: SectionProps) {
  const problem = useSignal<string | undefined>(undefined);
  const outcome = useSignal<string | undefined>(undefined);
  const isSaving = useSignal(false);
  /** Fields hold what was typed: another count is other fields. */
  const round = useSignal(0);
  if (list.length === 0) return null;
  const title = sectionTitle(section);
  const drafted = list.filter(({ name }) => name in drafts.value);
  const names = drafted.map(({ name }) => name);
  const save = async () => {
    isSaving.value = true;
    const said = await saveSettings(names.map((name) => ({ name, value: drafts.value[name] ?? null })));
    isSaving.value = false;
    problem.value = "problem" in said ? said.problem : undefined;
    if ("problem" in said) return;
    settings.value = said.settings;
    outcome.value = drafted.some(({ needsRestart }) => needsRestart)
      ? settingWords.savedUntilRestart
      : settingWords.saved;
    discard();
  };
  const discard = () => {
    forget(names);
    problem.value = undefined;
    round.value++;
  };
  const refused = list.find(({ name }) => problem.value?.startsWith(`${name}: `));
  return (
    <details class="settings-section" open={isOpen} data-section={section}>
      <summary>
        {title}
        {names.length > 0 && <span class="quiet"> · {settingWords.notSaved(names.length)}</span>}
      </summary>
      <form
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
        onInput={() => {
          outcome.value = undefined;
        }}
      >
        {list.map((setting) => (
          <SettingField
            key={`${setting.name} ${round.value}`}
            setting={setting}
            value={setting.name in drafts.value ? (drafts.value[setting.name] ?? null) : savedOf(setting)}
            change={(value) => change(setting, value)}
            problem={setting === refused ? problem.value?.slice(setting.name.length + 2) : undefined}
          />
        ))}
        {problem.value !== undefined && refused === undefined && (
          <p class="field-problem" role="alert">
            {problem.value}
          </p>
        )}
        <div class="form-actions">
          <button
            type="submit"
            class="primary"
            disabled={names.length === 0 || isSaving.value || connection.value.state !== "connected"}
          >
            {settingWords.save}
          </button>
          {names.length > 0 && (
            <button type="button" class="link" onClick={discard}>
              {settingWords.discard}
            </button>
          )}
          <span role="status">
            {outcome.value !== undefined && (
              <>
                {outcome.value} <a href={addressOf("changes")}>{settingWords.undo}</a>
              </>
            )}
          </span>
        </div>
      </form>
    </details>
  );
}
