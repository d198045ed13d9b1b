/** Improvements that were not requested: their reasons, the words of checks and review, and where they are now. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { Improvement } from "@mimikit/protocol/wire/api";
import { Empty } from "../first-run/empty.tsx";
import { firstWords } from "../i18n/first-words.ts";
import { viewWords } from "../i18n/view-words.ts";
import { durationText, momentText, words } from "../i18n/words.ts";
import { nowMs } from "../model/clock.ts";
import { addressOf } from "../model/place.ts";
import { tasks } from "../model/state.ts";
import { useAnswer } from "../model/use-answer.ts";
import { spentText } from "../ui/task-facts.tsx";
import "./kept.css";
import "./improvements.css";

const STEP_ID = /^imp-/;
/** Of a diff on the page; all of it is on its branch. */
const DIFF_SHOWN_CHARS_MAX = 20_000;

export function Improvements() {
  // Its steps are tasks: what becomes of one is a reason to look again.
  const version = [...tasks.value.values()]
    .filter(({ id }) => STEP_ID.test(id))
    .map(({ id, state }) => `${id} ${state}`)
    .join();
  const { answer, isLooking } = useAnswer<{ improvements: Improvement[] }>("api/improvements", version);
  if (answer === undefined) return isLooking ? <p class="quiet">{words.looking}</p> : null;
  return (
    <div class="kept">
      {answer.improvements.length > 0 ? (
        <p class="teach">{viewWords.improvementsTeach}</p>
      ) : (
        <Empty action={firstWords.setUp} does={addressOf("settings", "selfImprove")}>
          <p>{viewWords.improvementsTeach}</p>
          <p>{viewWords.noImprovements}</p>
        </Empty>
      )}
      <p class="quiet">
        {viewWords.improveNow} <code>mimikit improve now</code>
      </p>
      <ul class="sheets">
        {answer.improvements.map((improvement) => (
          <li key={improvement.id} class="sheet-row" data-improvement={improvement.id}>
            <Row improvement={improvement} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Row({ improvement }: { improvement: Improvement }) {
  const { id, state, at, endedAt, kind, title, why, change, reasons = [], branch, note, error } = improvement;
  const spent = spentText([improvement]);
  return (
    <>
      <div class="sheet-top">
        <span class="state" data-state={TONES[state]}>
          {viewWords.improvementStates[state]}
        </span>
        <h3>{title ?? id}</h3>
        {kind !== undefined && <span class="tag">{viewWords.improvementKinds[kind]}</span>}
      </div>
      <p class="quiet">
        <time dateTime={at}>{momentText(at, nowMs.value)}</time>
        {endedAt !== undefined && ` · ${durationText(Date.parse(endedAt) - Date.parse(at))}`}
        {spent !== "" && ` · ${spent}`}
      </p>
      {why !== undefined && <p>{why}</p>}
      {note !== undefined && <p>{note}</p>}
      {error !== undefined && <p class="bad">{error}</p>}
      {reasons.length > 0 && (
        <>
          <h4>{viewWords.reviewSays}</h4>
          <ul class="listed">
            {reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </>
      )}
      {change !== undefined && <Change change={change} branch={branch} />}
    </>
  );
}

/** The colours of the states of tasks: what is under way, went well, failed, or waits for the owner. */
const TONES: Record<Improvement["state"], string> = {
  looking: "running",
  working: "running",
  reviewing: "running",
  landing: "running",
  nothing: "cancelled",
  rejected: "failed",
  failed: "failed",
  branch: "needs_input",
  merged: "done",
  undone: "cancelled",
};

function Change({ change, branch }: { change: NonNullable<Improvement["change"]>; branch: string | undefined }) {
  const { base, files, diff, checks } = change;
  return (
    <>
      {branch !== undefined && (
        <p>
          {viewWords.onBranch} <code>{branch}</code>: <code>{`git diff ${base.slice(0, 10)} ${branch}`}</code>
        </p>
      )}
      {checks.length > 0 && (
        <ul class="checks">
          {checks.map(({ command, ended, isPassed }) => (
            <li key={command} class={isPassed ? "good" : "bad"}>
              <code>{command}</code> {ended}
            </li>
          ))}
        </ul>
      )}
      {diff !== "" && (
        <details class="diff">
          <summary>
            {viewWords.diffOf(viewWords.files(files.length))}: {files.map(({ path }) => path).join(", ")}
          </summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region needs focus to be scrolled by keyboard */}
          <pre tabIndex={0}>
            {beginningOf(diff, DIFF_SHOWN_CHARS_MAX)
              .split("\n")
              .map((line, i) => (
                <span key={i} data-line={lineKind(line)}>
                  {`${line}\n`}
                </span>
              ))}
          </pre>
          {diff.length > DIFF_SHOWN_CHARS_MAX && <p class="quiet">{viewWords.diffCut}</p>}
        </details>
      )}
    </>
  );
}

function lineKind(line: string): "added" | "removed" | "place" | undefined {
  if (line.startsWith("@@")) return "place";
  if (/^\+(?!\+\+ )/.test(line)) return "added";
  return /^-(?!-- )/.test(line) ? "removed" : undefined;
}
