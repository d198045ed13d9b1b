/** The context of a model, through the real processes: the owner's rules, long pastes, a compressed conversation. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { type ModelRequest, ModelServer } from "../support/model-server.ts";

let model: ModelServer;
let mimikit: Instance;
beforeAll(async () => {
  model = await ModelServer.start();
  const env = {
    MIMIKIT_PROVIDER: "openai",
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: KEY,
    MIMIKIT_MODEL: "scripted",
  };
  mimikit = await Instance.start({ env });
});
afterAll(async () => {
  await mimikit.dispose();
  await model.close();
});

/** The last request to the Teller. */
function lastAsked(): ModelRequest {
  const last = model.of("teller").at(-1);
  if (last === undefined) throw new Error("the Teller was not asked");
  return last;
}

test("rules.md is told to every role, and a long paste reaches a Worker whole, its question the Teller", async () => {
  const question = "How often does it say ERROR?";
  const paste = "2026-11-22 ERROR nothing works\n".repeat(1_900);
  model.script = {
    teller: (request) => {
      const results = section("results", request);
      const [id = ""] = /t-\d+\.\d+\.\d+/.exec(results) ?? [];
      if (results !== "" && request.turn === 0)
        return call("summarize_task_result", { taskId: id, summary: "Nothing works." });
      if (results !== "") return { say: `It says so ${/Lines: (\d+)/.exec(results)?.[1]} times.` };
      if (section("inputs", request).includes("Thanks")) return { say: "You are welcome." };
      const fullText = /full_text: (\S+)/.exec(section("inputs", request))?.[1];
      return request.turn === 0 ? call("delegate", { prompt: `Count in ${fullText}` }) : { say: "I am on it." };
    },
    planner: (request) =>
      request.turn === 0 ? call("delegate", { prompt: section("request", request) }) : { say: "" },
    worker: (request) => {
      const path = /file: (\S+),/.exec(section("texts", request))?.[1];
      if (request.turn === 0) return { calls: [{ shell: `grep -c ERROR ${path}; echo hacked >> ${path}` }] };
      return { say: `Lines: ${/^\d+$/m.exec(request.results.join("\n"))?.[0]}` };
    },
  };
  writeFileSync(join(mimikit.home, "rules.md"), "Never push to main.\n");
  await mimikit.send(`${paste}${question}`);
  await mimikit.replyWith("It says so 1901 times.");
  const [asked] = model.of("teller");
  expect(asked && section("inputs", asked)).toMatch(
    new RegExp(`characters left out.*${question.replace("?", "\\?")}$`, "s"),
  );
  for (const role of ["teller", "planner", "worker"] as const) {
    const [first] = model.of(role);
    expect(first?.system).toMatch(
      new RegExp(`^You are the Mimikit runtime ${role}\\.\n\n// .*\n<M:rules>\n    Never push to main\\.`),
    );
  }
  const [file = ""] = readdirSync(join(mimikit.home, "attachments"));
  expect(readFileSync(join(mimikit.home, "attachments", file), "utf8")).toBe(`${paste}${question}`);
  await mimikit.replyTo(await mimikit.send("Thanks."));
  expect(section("tasks", lastAsked())).toMatch(/^- id: t-\d+\.0, .*state: done, .*gist: "Nothing works\."$/m);
});

test("what was compressed and noted is what the next turn is told, whatever is killed between; a new beginning forgets it", async () => {
  model.script = {
    teller: (request) => {
      const inputs = section("inputs", request);
      if (request.turn > 0) return { say: `Heard ${request.nth}.` };
      if (inputs.includes("compress"))
        return {
          say: "",
          calls: [
            { name: "compress_context", args: { summary: "They are planning a trip to Kiel." } },
            { name: "remember", args: { content: "is afraid of boats", target: "profile" } },
          ],
        };
      return { say: `Heard ${request.nth}.` };
    },
  };
  const tell = async (text: string) => mimikit.replyTo(await mimikit.send(text));
  await tell("I want to go to Kiel, and the weather bores me.");
  await tell("compress that");
  await mimikit.kill("supervisor");
  await tell("Shall I take the train?");
  expect(section("summary", lastAsked())).toContain("They are planning a trip to Kiel.");
  expect(section("profile", lastAsked())).toMatch(/^ {4}- is afraid of boats$/m);
  const before = lastAsked()
    .messages.slice(1, -1)
    .map(({ content }) => content);
  expect(before.join("\n")).toContain("compress that");
  expect(before.join("\n")).not.toContain("weather");
  // The summary for people is written with history.json, and is gone with the conversation.
  const view = join(mimikit.home, "sessions/chat.summary.md");
  await mimikit.until("the summary on disk", () => existsSync(view) || undefined);
  expect(readFileSync(view, "utf8")).toContain("They are planning a trip to Kiel.");
  const { hits } = await mimikit.api<{ hits: { text: string }[] }>("/api/history/search?q=weather");
  expect(hits[0]?.text).toContain("the weather bores me");
  await mimikit.api("/api/clear", { method: "POST" });
  await tell("Hello?");
  expect(section("summary", lastAsked())).toBe("");
  expect(section("profile", lastAsked())).toContain("is afraid of boats");
  await mimikit.until("no summary on disk", () => !existsSync(view) || undefined);
});
