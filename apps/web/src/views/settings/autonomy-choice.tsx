/** How much a model may do without asking: the choice, and what it means. */
import type { SettingsAnswer, SettingView } from "@mimikit/protocol/wire/api";
import { signal, useSignal } from "@preact/signals";
import { autonomyWords } from "../../i18n/autonomy-words.ts";
import { connection } from "../../model/connection.ts";
import { saveSettings } from "../../model/setting-calls.ts";
import { useAnswer } from "../../model/use-answer.ts";
import { Choice } from "../../ui/choice.tsx";

const NAME = "autonomy";
const MODES = ["ask", "workspace", "full"] as const;

/** Grows with each choice, so that its views are updated. */
const chosen = signal(0);

/** The setting as it is; undefined while it is not known. */
export function useAutonomy(): SettingView | undefined {
  const { answer } = useAnswer<SettingsAnswer>("api/settings", chosen.value);
  return answer?.settings.find(({ name }) => name === NAME);
}

export function AutonomyChoice({ setting }: { setting: SettingView }) {
  const problem = useSignal("");
  const mode = MODES.find((each) => each === setting.value) ?? "workspace";
  const choose = async (value: string) => {
    const answer = await saveSettings([{ name: NAME, value }]);
    problem.value = "problem" in answer ? answer.problem : "";
    chosen.value++;
  };
  return (
    <>
      {setting.source !== "environment" && connection.value.state === "connected" && (
        <Choice
          name={autonomyWords.title}
          options={MODES.map((value) => ({ value, text: autonomyWords.modes[value] }))}
          chosen={mode}
          onChoose={(value) => void choose(value)}
        />
      )}
      <p class="quiet">{autonomyWords.meaning[mode]}</p>
      {problem.value !== "" && (
        <p class="bad" role="alert">
          {problem.value}
        </p>
      )}
    </>
  );
}
