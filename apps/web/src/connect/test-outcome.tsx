/** The outcome of a test: the model's abilities and price, or why it did not answer and what helps. */
import type { ConnectionTest } from "@mimikit/protocol/wire/connect";
import { connectWords } from "../i18n/connect-words.ts";
import { pauseText } from "../i18n/words.ts";

interface TestOutcomeProps {
  /** The provider's title, if the model has no name. */
  title: string;
  outcome: ConnectionTest | undefined;
  /** Takes a model that is like the one that is not there. */
  choose: (model: string) => void;
}

export function TestOutcome({ outcome, ...others }: TestOutcomeProps) {
  return <div role="status">{outcome !== undefined && <Found outcome={outcome} {...others} />}</div>;
}

function Found({ outcome, title, choose }: TestOutcomeProps & { outcome: ConnectionTest }) {
  const { models, answer, problem } = outcome;
  if (problem !== undefined) {
    const { cause, text, names = [] } = problem;
    return (
      <>
        <p class="field-problem">{connectWords.advice(cause)}</p>
        <p class="quiet connect-said">{text}</p>
        {names.length > 0 && (
          <p class="connect-nearest">
            {connectWords.nearest}
            {names.map((name) => (
              <button key={name} type="button" class="link mono" onClick={() => choose(name)}>
                {name}
              </button>
            ))}
          </p>
        )}
      </>
    );
  }
  if (answer === undefined) return <p>{connectWords.listed(models.length)}</p>;
  const { model, latencyMs, toolCalls, vision, contextWindow, assumedWindow, price } = answer;
  const facts = [
    [connectWords.tools, connectWords.known(toolCalls)],
    [connectWords.vision, connectWords.known(vision)],
    [connectWords.window, connectWords.tokens(contextWindow, assumedWindow?.tokens)],
    [connectWords.price, connectWords.perMillion(price)],
  ];
  return (
    <>
      <p class="good">{connectWords.answered(model || title, pauseText(latencyMs))}</p>
      <dl class="connect-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
