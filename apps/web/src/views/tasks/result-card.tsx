/** The result of a task, by its type (SPEC C6): a text, a change of files, findings, a summary; anything else as it is. */
import type { RESULT_SCHEMAS } from "@mimikit/protocol/records/result";
import type { z } from "zod";
import { viewWords } from "../../i18n/view-words.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { addressOf } from "../../model/place.ts";
import { tasks } from "../../model/state.ts";
import { CodedText } from "../../ui/coded-text.tsx";
import "./result-card.css";

type Shape<T extends keyof typeof RESULT_SCHEMAS> = z.infer<(typeof RESULT_SCHEMAS)[T]>;

interface ResultCardProps {
  type: string;
  /** Shaped by `type`: the schema was checked when the result was written. */
  result: unknown;
}

export function ResultCard({ type, result }: ResultCardProps) {
  return (
    <div class="result" data-result={type}>
      <Content type={type} result={result} />
    </div>
  );
}

function Content({ type, result }: ResultCardProps) {
  switch (type) {
    case "text":
      return <Text {...(result as Shape<"text">)} />;
    case "code_change":
      return <CodeChange {...(result as Shape<"code_change">)} />;
    case "analysis":
      return <Analysis {...(result as Shape<"analysis">)} />;
    case "summary":
      return <Summary {...(result as Shape<"summary">)} />;
    case "plan":
      return <Plan {...(result as Shape<"plan">)} />;
    default:
      return <pre>{JSON.stringify(result, null, 2)}</pre>;
  }
}

function Plan({ tasks: ids, note }: Shape<"plan">) {
  return (
    <>
      <p>{ids.length === 0 ? viewWords.plannedNone : viewWords.planned(ids.length)}</p>
      {ids.length > 0 && (
        <ul class="listed">
          {ids.map((id) => (
            <li key={id}>
              <a href={addressOf("tasks", id)}>
                <CodedText text={tasks.value.get(id)?.title ?? id} />
              </a>
            </li>
          ))}
        </ul>
      )}
      {note !== undefined && <Markdown text={note} />}
    </>
  );
}

function Text({ text, artifact }: Shape<"text">) {
  return (
    <>
      <Markdown text={text} />
      {artifact !== undefined && <p class="quiet">{viewWords.inFull(artifact)}</p>}
    </>
  );
}

function CodeChange({ files, commitMessage }: Shape<"code_change">) {
  return (
    <>
      <h5>{viewWords.files(files.length)}</h5>
      <ul class="changed-files">
        {files.map(({ path, action, summary }) => (
          <li key={path}>
            <span class="file-action" data-action={action}>
              {action}
            </span>
            <code>{path}</code>
            <span class="quiet">{summary}</span>
          </li>
        ))}
      </ul>
      {commitMessage !== undefined && (
        <>
          <h5>{viewWords.commitMessage}</h5>
          <pre>{commitMessage}</pre>
        </>
      )}
    </>
  );
}

function Analysis({ findings, recommendations = [], references = [] }: Shape<"analysis">) {
  return (
    <>
      <Listed title={viewWords.findings} texts={findings} />
      <Listed title={viewWords.recommendations} texts={recommendations} />
      <Listed title={viewWords.references} texts={references} />
    </>
  );
}

function Summary({ summary, keyPoints }: Shape<"summary">) {
  return (
    <>
      <Markdown text={summary} />
      <Listed title={viewWords.keyPoints} texts={keyPoints} />
    </>
  );
}

function Listed({ title, texts }: { title: string; texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <>
      <h5>{title}</h5>
      <ul class="listed">
        {texts.map((text) => (
          <li key={text}>
            <Markdown text={text} />
          </li>
        ))}
      </ul>
    </>
  );
}
