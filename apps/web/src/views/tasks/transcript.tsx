/** The words and calls of a task: each call with its arguments and its outcome, while it runs and after. */
import type { TranscriptAnswer, TranscriptLine } from "@mimikit/protocol/wire/transcript";
import { viewWords } from "../../i18n/view-words.ts";
import { momentText } from "../../i18n/words.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { nowMs } from "../../model/clock.ts";
import { steps, tasks } from "../../model/state.ts";
import { isOpen } from "../../model/task-tree.ts";
import { useAnswer } from "../../model/use-answer.ts";
import "./transcript.css";

/** Longer outputs are folded. */
const OUTPUT_SHOWN_LINES = 12;
/** While it runs, and nothing else says that there is more. */
const LOOK_EVERY_MS = 3_000;

type LineOf<T extends TranscriptLine["type"]> = Extract<TranscriptLine, { type: T }>;

export function Transcript({ id }: { id: string }) {
  const task = tasks.value.get(id);
  const isRunning = task !== undefined && isOpen(task.state);
  const moment = isRunning ? Math.floor(nowMs.value / LOOK_EVERY_MS) : 0;
  const version = JSON.stringify([task?.state, task?.attempts, steps.value.get(id)?.at(-1), moment]);
  const { answer } = useAnswer<TranscriptAnswer>(`api/tasks/${encodeURIComponent(id)}/transcript`, version);
  if (answer === undefined || answer.lines.length === 0) return null;
  const outputs = new Map(answer.lines.flatMap((line) => (line.type === "output" ? [[line.id, line]] : [])));
  const isRepeated = answer.lines.filter(({ type }) => type === "begin").length > 1;
  return (
    <section class="transcript" aria-labelledby="transcript">
      <h4 id="transcript">{viewWords.transcript}</h4>
      <ol>
        {answer.lines.map((line, i) => (
          <Line key={i} line={line} output={outputs} isRunning={isRunning} isRepeated={isRepeated} />
        ))}
      </ol>
      {answer.isCut && <p class="quiet">{viewWords.transcriptCut}</p>}
    </section>
  );
}

interface LineProps {
  line: TranscriptLine;
  output: ReadonlyMap<string, LineOf<"output">>;
  isRunning: boolean;
  isRepeated: boolean;
}

function Line({ line, output, isRunning, isRepeated }: LineProps) {
  switch (line.type) {
    case "begin":
      if (!isRepeated) return null;
      return <li class="rule">{viewWords.attemptBegan(line.attempt, momentText(line.at, nowMs.value))}</li>;
    case "said":
      return (
        <li data-line="said">
          <Markdown text={line.text} />
        </li>
      );
    case "thought":
      return (
        <li data-line="thought">
          <details>
            <summary>{viewWords.thought}</summary>
            <p>{line.text}</p>
          </details>
        </li>
      );
    case "steer":
      return <li data-line="steer">{viewWords.youSaid(line.text)}</li>;
    case "call":
      return <Call call={line} output={output.get(line.id)} isRunning={isRunning} />;
    case "output":
      return null;
  }
}

function Call({
  call,
  output,
  isRunning,
}: {
  call: LineOf<"call">;
  output: LineOf<"output"> | undefined;
  isRunning: boolean;
}) {
  const state = output === undefined ? (isRunning ? "running" : "lost") : output.ok ? "done" : "failed";
  const text = output?.text.trimEnd() ?? "";
  const isLong = text.split("\n").length > OUTPUT_SHOWN_LINES;
  return (
    <li data-line="call" data-state={state}>
      <p class="call">
        <strong>{call.tool}</strong> <code>{call.input}</code>
      </p>
      {state === "running" && <p class="quiet">{viewWords.callRuns}</p>}
      {state === "lost" && <p class="quiet">{viewWords.callLost}</p>}
      {text !== "" && !isLong && <pre>{text}</pre>}
      {isLong && (
        <details>
          <summary>{viewWords.outputLines(text.split("\n").length)}</summary>
          <pre>{text}</pre>
        </details>
      )}
    </li>
  );
}
