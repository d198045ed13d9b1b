/** A model that orders work again at each report is stopped by a question to the owner. */
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { expect, test } from "vitest";
import { call } from "../support/main-job.ts";
import { startWithModel } from "../support/start-with-model.ts";

test("a model that delegates at each report goes no further than its row without the owner, then as far again with a yes, and no further with a no", async () => {
  let plans = 0;
  let known = "";
  const { mimikit } = await startWithModel(
    {
      teller: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "once more" }) : { say: "Again." }),
      planner: ({ turn }) => {
        if (turn === 0) plans++;
        return turn === 0 ? call("delegate", { prompt: "once more" }) : { say: "" };
      },
      worker: [{ say: "It is done." }],
    },
    { env: { MIMIKIT_OWN_ORDERS_MAX: "2" } },
  );
  const asked = (question: string) =>
    mimikit.until(question, async () => {
      const { questions } = await mimikit.api<{ questions: QuestionView[] }>("/api/questions");
      return questions.find((each) => each.question.includes(question) && each.id !== known);
    });
  const answer = (id: string, text: string) => {
    known = id;
    return mimikit.api(`/api/questions/${id}/answer`, { method: "POST", body: { answer: text } });
  };
  await mimikit.send("begin");
  const first = await asked("I have ordered work 2 times in a row");
  expect(plans).toBe(3);
  await answer(first.id, "go on");
  const second = await asked("I have ordered work 2 times in a row");
  expect(second.id).not.toBe(first.id);
  expect(plans).toBe(6);
  await answer(second.id, "stop");
  await mimikit.until("the end of the plan", async () => {
    const { state } = await mimikit.task(second.id.replace(".a1.run-again", ""));
    return state === "cancelled" || state === "failed" || undefined;
  });
  expect(plans).toBe(6);
});
