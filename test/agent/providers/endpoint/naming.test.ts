/** An unknown model is told with the names that are there, which nobody asks for otherwise. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SESSIONS } from "@mimikit/store/disk/state";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anthropic, google, openai } from "../../../conformance/candidates.ts";
import { ModelServer, type Step } from "../../../support/model-server.ts";
import { messageOf, replyOf, run, temporaryDirectory, turnOf } from "../../fixtures.ts";

let model: ModelServer;
let looks = 0;
beforeEach(async () => {
  model = await ModelServer.start();
  looks = 0;
  Object.defineProperty(model, "models", {
    get() {
      looks++;
      return [{ id: "scripted" }, { id: "scripted-2" }, { id: "other" }];
    },
  });
});
afterEach(() => model.close());

describe.each([openai, anthropic, google])("with $name", ({ name, create }) => {
  async function turn(step: Step) {
    const home = temporaryDirectory();
    mkdirSync(join(home, SESSIONS));
    model.script = { teller: [step] };
    const provider = create(model, { role: "teller", silenceMs: 20_000, home });
    return run(turnOf({ messages: [messageOf("hello")] }), { provider, home });
  }

  test("the names that are there are told, but for the one that was refused", async () => {
    const ran = await turn({ status: 404 });
    const { host } = new URL(model.url);
    expect(ran.problem).toEqual({
      cause: "model",
      provider: name,
      model: "scripted",
      host,
      names: ["scripted-2", "other"],
    });
    expect(replyOf(ran)).toContain("It has: scripted-2, other. Choose one:");
    expect(model.unknown).toEqual([]);
  });

  test("nobody asks for names where something else is wrong", async () => {
    await turn({ status: 401 });
    await turn({ say: "Hello." });
    expect(looks).toBe(0);
  });
});
