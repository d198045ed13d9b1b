/** A model that goes in circles is asked for its end, and nobody reads how it works inside. */
import { describe, expect, test } from "vitest";
import { call, section } from "../support/main-job.ts";
import type { ModelRequest, Step } from "../support/model-server.ts";
import { startWithModel } from "../support/start-with-model.ts";

/** A Teller that delegates what it is asked, and repeats what comes back word by word. */
const teller = (request: ModelRequest): Step => {
  const results = section("results", request);
  if (results !== "") return { say: `This came of it:\n\n${results}` };
  return request.turn === 0 ? call("delegate", { prompt: "Do all of it." }) : { say: "I am on it." };
};

describe("a model that repeats itself", () => {
  const again = () => call("query_history", { query: "the same" });

  test("is asked once more without tools, and the user has its answer", async () => {
    const { mimikit } = await startWithModel({
      teller: (request) =>
        request.tools.length === 0 ? { say: "I find nothing about it." } : call("query_history", { query: "the same" }),
    });
    expect((await mimikit.replyTo(await mimikit.send("What did I say?"))).text).toBe("I find nothing about it.");
  });

  test("and then says nothing leaves the user with plain words, and no word of how it works inside", async () => {
    const { mimikit } = await startWithModel({ teller: again });
    const reply = await mimikit.replyTo(await mimikit.send("What did I say?"));
    expect(reply.text).toBe(
      "Sorry, I could not finish this reply: there is no usable answer (the model said nothing, even when it was asked again). Your message is saved: press Try again on the page, or type /retry.",
    );
  });

  test.each<[string, (request: ModelRequest) => Step]>([
    ["the same call", () => ({ calls: [{ name: "bash", args: { command: "echo no" } }] })],
    [
      "the same error",
      ({ turn }) => ({ calls: [{ name: "read_text_file", args: { path: "gone", fromLine: 1 + turn } }] }),
    ],
  ])("as a Worker with %s is asked for what it has, and that is its result", async (_, repeat) => {
    const { mimikit, model } = await startWithModel({
      teller,
      planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "do it" }) : { say: "" }),
      worker: (request) => (request.tools.length === 0 ? { say: "I came as far as this." } : repeat(request)),
    });
    await mimikit.send("Work.");
    await mimikit.replyWith("I came as far as this.");
    expect(model.of("worker")).toHaveLength(4);
  });
});

test("a model without tool calls that writes its tags wrong again and again is asked for its answer without them", async () => {
  const { mimikit, model } = await startWithModel(
    {
      teller: ({ messages, nth }) =>
        messages.at(-1)?.content.includes("You cannot call anything more")
          ? { say: "I cannot write it down." }
          : { say: `<M:remember text="${nth}" />` },
    },
    { env: { MIMIKIT_OPENAI_TOOL_CALLS: "false" } },
  );
  expect((await mimikit.replyTo(await mimikit.send("Remember tea."))).text).toBe("I cannot write it down.");
  expect(model.of("teller")).toHaveLength(4);
});
