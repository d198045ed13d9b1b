/** The official Python client at the real `/v1`: what docs/clients.md promises, in that client's own types and errors. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";
import { modelSettings } from "../support/start-with-model.ts";
import { find } from "./programs.ts";

const python = find("openai");
const echo = (words: string | undefined) => `You said: ${words}.`;

describe.skipIf(python === undefined)("the Python client", () => {
  let model: ModelServer;
  let mimikit: Instance;
  const children = new Set<ChildProcess>();

  beforeAll(async () => {
    model = await ModelServer.start();
    mimikit = await Instance.start({ env: { ...modelSettings(model), MIMIKIT_OPENAI_VISION: "true" } });
  });
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL");
    await mimikit?.dispose();
    await model?.close();
  });
  beforeEach(() => {
    model.requests.splice(0);
    // Each reply repeats the words.
    model.script = {
      teller: (request) => ({ say: echo(section("inputs", request).trim().split("\n").at(-1)?.trim()) }),
    };
  });

  /** Runs a scenario; throws what it prints where it fails. */
  async function run(scenario: string): Promise<unknown> {
    const child = spawn(python ?? "", [join(import.meta.dirname, "client.py"), scenario], {
      env: {
        PATH: process.env.PATH,
        OPENAI_BASE_URL: `http://127.0.0.1:${mimikit.port}/v1`,
        OPENAI_API_KEY: mimikit.token,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
    children.delete(child);
    if (error !== "") throw new Error(error);
    return JSON.parse(out);
  }

  test("finds the one model, and learns that there is no other", async () => {
    expect(await run("models")).toEqual({
      listed: ["mimikit"],
      retrieved: "mimikit",
      unknown: ["NotFoundError", 404, "model_not_found", "model"],
    });
  });

  test("reads a chat completion whole, as a stream and through its helper for streams", async () => {
    const usage = expect.any(Number);
    expect(await run("chat")).toEqual({
      whole: [echo("whole"), "stop", usage],
      streamed: [echo("streamed"), ["stop"], usage],
      helped: [echo("helped"), true, true],
    });
  });

  test("reads a response whole and as a stream", async () => {
    expect(await run("responses")).toEqual({
      whole: [echo("whole"), "completed", expect.any(Number)],
      streamed: [echo("streamed"), echo("streamed"), "completed"],
    });
  });

  test("offers tools that nobody calls, may demand none, and shows a picture", async () => {
    expect(await run("tools")).toEqual({
      offered: [echo("with tools"), null, "stop"],
      demanded: ["BadRequestError", 400, "unsupported_value", "tool_choice"],
      seen: echo("with a picture"),
    });
    expect(model.requests.at(-1)?.media).toEqual([{ type: "image/png", data: expect.any(String) }]);
  });

  test("is told of its mistakes in its own errors, and none of them is a message", async () => {
    const before = (await mimikit.messages()).length;
    const refused = (param: string) => ["BadRequestError", 400, "unsupported_value", param];
    expect(await run("errors")).toEqual({
      key: ["AuthenticationError", 401, "unauthorized", null],
      model: ["NotFoundError", 404, "model_not_found", "model"],
      several: refused("n"),
      schema: refused("response_format"),
      streamed: refused("n"),
      elsewhere: ["NotFoundError", 404, "not_found", null],
      "nothing said": ["BadRequestError", 400, "invalid", null],
      "too long": refused("messages"),
    });
    expect(await mimikit.messages()).toHaveLength(before);
  });

  test("says a request with the same key once, and is refused other words under it", async () => {
    expect(await run("again")).toEqual({ same: true, other: ["UnprocessableEntityError", 422, "key_reused", null] });
    expect(model.requests).toHaveLength(1);
  });

  test("gets the reply to each of two requests at once", async () => {
    expect(await run("at_once")).toEqual([echo("one"), echo("two")]);
  });

  test("asks again by itself when the gateway dies, and is answered once", async () => {
    const spoken = model.script;
    model.script = { teller: [{ hang: true }] };
    const reply = run("persistent");
    await mimikit.until("the turn", () => model.of("teller").length > 0 || undefined);
    model.script = spoken;
    await mimikit.kill("gateway");
    await mimikit.ready();
    await mimikit.kill("workers");
    expect(await reply).toBe(echo("persistent"));
    const lines = (await mimikit.messages()).filter(({ text }) => text.includes("persistent"));
    expect(lines.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });
});
