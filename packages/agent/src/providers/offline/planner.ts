/**
 * The Planner without a model: it reads the order again and delegates one task for each command. "Then" makes dependent tasks;
 * the commands of one step run side by side. A dependent task can wait for one task only, so the commands of a step that
 * another step follows run one after the other: what follows has all of them behind it either way. An order that has no
 * room in the plan any more is left out whole, and the note of the plan says so.
 */
import { TITLE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import { EFFECTS_MAX } from "@mimikit/protocol/records/effect";
import { z } from "zod";
import type { ProviderEvent, Run } from "../../provider.ts";
import { orderOf, titleOf } from "./order.ts";
import { parseMessage, type Steps } from "./parse.ts";
import { type Language, languageOf, WORDS } from "./words.ts";

const Staged = z.object({ id: z.string() });

/** Runs a plan. Fails, for good, when the prompt holds no order to run commands. */
export async function* plan(run: Run): AsyncGenerator<ProviderEvent> {
  const { prompt } = run.task;
  const language = languageOf(prompt);
  try {
    const left: string[] = [];
    for (const { steps, language } of readOrders(run)) {
      if (run.bus.effects.length + steps.flat().length > EFFECTS_MAX) left.push(orderOf(steps, WORDS[language]));
      else for (const step of await delegateSteps(steps, language, run)) yield { type: "progress", step };
    }
    const note = left.length === 0 ? "" : WORDS[language].leftOut(EFFECTS_MAX, left.join("; "));
    if (run.bus.effects.length > 0) yield { type: "done", status: "done", note, usage: NO_USAGE };
    else yield failed(WORDS[language].noPlan);
  } catch (error) {
    yield failed(error instanceof Error ? error.message : String(error));
  }
}

function failed(error: string): ProviderEvent {
  return { type: "failed", failureReason: "error", error, retryable: false, usage: NO_USAGE };
}

/** The Teller quotes the orders; a prompt without a quotation is read as it stands. */
function readOrders({ task, context }: Run): { steps: Steps; language: Language }[] {
  const lines = task.prompt.split("\n");
  const quoted = lines.filter((line) => line.startsWith("> ")).map((line) => line.slice(2));
  const clock = { nowMs: Date.parse(context.now), timeZone: "UTC" };
  return (quoted.length > 0 ? quoted : lines).flatMap((line) =>
    parseMessage(line, clock).flatMap((intent) =>
      intent.kind === "run" ? [{ steps: intent.steps, language: languageOf(line) }] : [],
    ),
  );
}

/** Delegates one order; returns the titles of its tasks. Throws when the bus refuses. */
async function delegateSteps(steps: Steps, language: Language, run: Run): Promise<string[]> {
  const titles: string[] = [];
  let previous: string | null = null;
  for (const [i, step] of steps.entries()) {
    const isFollowed = i < steps.length - 1;
    let last: string | null = previous;
    for (const command of step) {
      const after: string | null = isFollowed ? last : previous;
      last = await delegateCommand(command, after, language, run);
      titles.push(titleOf([[command]], WORDS[language], TITLE_CHARS_MAX));
    }
    previous = last;
  }
  return titles;
}

async function delegateCommand(command: string, after: string | null, language: Language, run: Run): Promise<string> {
  const answer = await run.bus.call("delegate", {
    title: titleOf([[command]], WORDS[language], TITLE_CHARS_MAX),
    prompt: orderOf([[command]], WORDS[language]),
    ...(after !== null && { condition: { type: "task_done", params: { taskId: after } } }),
  });
  if (!answer.ok) throw new Error(answer.message);
  return Staged.parse(answer.data).id;
}
