/** The promises of a plan with a model, with any loop: in the three real processes, one script for every provider. */
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { describe, expect, test } from "vitest";
import { call, type Player, section } from "./main-job.ts";
import type { ModelRequest, Script, Step } from "./model-server.ts";
import { startWithModel } from "./start-with-model.ts";

/** A Teller that delegates what it is asked, and repeats what comes back word by word. */
export const teller = (request: ModelRequest): Step => {
  const results = section("results", request);
  if (results !== "") return { say: `This came of it:\n\n${results}` };
  return request.turn === 0 ? call("delegate", { prompt: "Do all of it." }) : { say: "I am on it." };
};

/** A Worker that says which task it has done, and what stood before it. */
export const worker = (request: ModelRequest): Step => {
  const step = /do (\w+)/.exec(section("task", request))?.[1];
  const before = [...section("upstream", request).matchAll(/\b\w+ is done/g)].map(([said]) => said);
  return { say: `${step} is done${before.length === 0 ? "" : `, after: ${before.join(", ")}`}.` };
};

/** Declares the tests of plans with one provider. */
export function describePlans({ provider, settings }: Player): void {
  const start = (script: Script) => startWithModel(script, {}, settings);

  describe(`a plan with ${provider}`, () => {
    test("names tasks of the same answer, and what it says beside them reaches the user with its report", async () => {
      const { mimikit, model } = await start({
        teller,
        planner: ({ turn }) =>
          turn > 0
            ? { say: "The letter cannot be printed: there is no key for the printer." }
            : {
                calls: [
                  { name: "delegate", args: { name: "fetch", title: "Fetch", prompt: "do fetch" } },
                  { name: "delegate", args: { name: "tidy", title: "Tidy", prompt: "do tidy" } },
                  { name: "delegate", args: { title: "Join", prompt: "do join", after: ["fetch", "tidy"] } },
                ],
              },
        worker,
      });
      const id = await mimikit.send("Fetch, tidy, join them and print the letter.");
      const plan = (await mimikit.replyTo(id)).taskIds?.[0] ?? "";
      const report = await mimikit.replyWith("join is done, after: ");
      expect(report.text).toMatch(/join is done, after: (fetch is done, tidy is done|tidy is done, fetch is done)/);
      expect(report.text.match(/The letter cannot be printed: there is no key for the printer\./g)).toHaveLength(1);
      const { state, result } = await mimikit.task(plan);
      expect({ state, result }).toEqual({
        state: "done",
        result: {
          tasks: [`${plan}.0`, `${plan}.1`, `${plan}.2`],
          note: "The letter cannot be printed: there is no key for the printer.",
        },
      });
      await mimikit.drained();
      // It is for the Teller: no Worker is told what others cannot do.
      expect(model.of("worker").filter(({ prompt }) => prompt.includes("printer"))).toEqual([]);
    });

    test("that needs to know more hands on what it has found: to the Teller, and to the plan that goes on", async () => {
      const asked = {
        status: "needs_input",
        question: "Which of the two printers?",
        findings: ["There are two printers: Bold and Italic.", "Only Bold has paper."],
      };
      const { mimikit, model } = await start({
        teller: (request) => {
          const events = section("events", request);
          const results = section("results", request);
          if (events.includes("question_answered") && request.turn === 0) return call("delegate", { prompt: "Print." });
          if (results.includes("needs_input"))
            return request.turn === 0 ? call("ask_user", { question: asked.question }) : { say: asked.question };
          if (results !== "") return { say: `This came of it:\n\n${results}` };
          return request.turn === 0 && events === "" ? call("delegate", { prompt: "Print." }) : { say: "I am on it." };
        },
        planner: (request) => {
          if (section("upstream", request) === "")
            return { say: `I have looked.\n\`\`\`json\n${JSON.stringify(asked)}\n\`\`\`` };
          return request.turn === 0 ? call("delegate", { prompt: "do print" }) : { say: "" };
        },
        worker,
      });
      const id = await mimikit.send("Print the letter.");
      const plan = (await mimikit.replyTo(id)).taskIds?.[0] ?? "";
      const question = await mimikit.until("the question", async () => {
        const { questions } = await mimikit.api<{ questions: QuestionView[] }>("/api/questions");
        return questions.find((each) => each.question === asked.question);
      });
      const { resultType, result } = await mimikit.task(plan);
      expect({ resultType, result }).toEqual({ resultType: "analysis", result: { findings: asked.findings } });
      const told = model.of("teller").map((request) => section("results", request));
      const report = told.find((results) => results.includes("needs_input")) ?? "";
      for (const text of [...asked.findings, `Question: ${asked.question}`]) expect(report).toContain(text);

      const path = `/api/questions/${question.id}/answer`;
      await mimikit.api(path, { method: "POST", body: { answer: "Bold" } });
      await mimikit.replyWith("print is done");
      const upstream = model.of("planner").map((request) => section("upstream", request));
      const goesOn = upstream.find((text) => text !== "") ?? "";
      for (const text of [...asked.findings, "Answer: Bold"]) expect(goesOn).toContain(text);
      await mimikit.drained();
    });
  });
}
