/** The official `openai` package talks to the real processes: one conversation, one message, one reply, whatever is killed. */
import OpenAI, { APIConnectionError, AuthenticationError, BadRequestError, NotFoundError } from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { freePort } from "../support/free-port.ts";
import { Instance, type InstanceOptions } from "../support/instance.ts";
import { ModelServer, type Script } from "../support/model-server.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(options: InstanceOptions = {}): Promise<Instance> {
  const mimikit = await Instance.start(options);
  opened.unshift(mimikit);
  return mimikit;
}

async function startWith(script: Script) {
  const model = await ModelServer.start(script);
  opened.push({ dispose: () => model.close() });
  const mimikit = await start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "sk-clients",
      MIMIKIT_MODEL: "scripted",
    },
  });
  return { model, mimikit };
}

/** The official package, as a client that does not ask again by itself. */
function clientOf(mimikit: Instance, more: { apiKey?: string; maxRetries?: number } = {}): OpenAI {
  return new OpenAI({ baseURL: `http://127.0.0.1:${mimikit.port}/v1`, apiKey: mimikit.token, maxRetries: 0, ...more });
}

const says = (content: string) => ({ model: "mimikit", messages: [{ role: "user" as const, content }] });

async function textOf(client: OpenAI, content: string): Promise<string | null | undefined> {
  return (await client.chat.completions.create(says(content))).choices[0]?.message.content;
}

/** The conversation, once nothing is open any more. */
async function conversation(mimikit: Instance): Promise<string[]> {
  await mimikit.drained();
  return (await mimikit.messages()).map(({ role, text }) => `${role}: ${text}`);
}

/** Has a message of that text been taken up by a turn that runs? */
function isRunning(mimikit: Instance, text: string): Promise<true> {
  return mimikit.until(`a turn for "${text}"`, async () =>
    (await mimikit.messages()).some((said) => said.text === text && said.pending && said.toTaskId !== undefined)
      ? true
      : undefined,
  );
}

describe("Chat Completions", () => {
  test("the whole reply, and the same as a stream with its usage at the end", async () => {
    const { mimikit } = await startWith({ teller: [{ say: "Hello from Mimikit." }] });
    const client = clientOf(mimikit);
    const whole = await client.chat.completions.create(says("hello"));
    expect(whole).toMatchObject({
      object: "chat.completion",
      model: "mimikit",
      choices: [{ index: 0, message: { role: "assistant", content: "Hello from Mimikit." }, finish_reason: "stop" }],
    });
    expect(whole.usage?.total_tokens).toBeGreaterThan(0);

    const stream = await client.chat.completions.create({
      ...says("hello, live"),
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    const finishes: unknown[] = [];
    let usage: unknown;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finishes.push(...chunk.choices.map(({ finish_reason: reason }) => reason).filter((reason) => reason !== null));
      usage = chunk.usage ?? usage;
    }
    expect([text, finishes]).toEqual(["Hello from Mimikit.", ["stop"]]);
    expect(usage).toMatchObject({ total_tokens: expect.any(Number) });
    expect(await conversation(mimikit)).toEqual([
      "user: hello",
      "assistant: Hello from Mimikit.",
      "user: hello, live",
      "assistant: Hello from Mimikit.",
    ]);
  });

  test("only what is new is said, however long the conversation is that a client sends", async () => {
    const { mimikit, model } = await startWith({ teller: [{ say: "Noted." }] });
    const client = clientOf(mimikit);
    expect(await textOf(client, "I am called Ada")).toBe("Noted.");
    await client.chat.completions.create({
      model: "mimikit",
      messages: [
        { role: "system", content: "You are a pirate." },
        { role: "user", content: "I am called Ada" },
        { role: "assistant", content: "Noted." },
        { role: "user", content: "What am I called?" },
      ],
    });
    expect((await conversation(mimikit)).filter((line) => line.startsWith("user"))).toEqual([
      "user: I am called Ada",
      "user: What am I called?",
    ]);
    expect(JSON.stringify(model.of("teller"))).not.toContain("pirate");
  });

  test("a work that takes longer is begun with the reply, and reported in the conversation", async () => {
    const mimikit = await start();
    const reply = await textOf(clientOf(mimikit), "run `echo from a client`");
    expect(reply).not.toContain("from a client\n");
    await mimikit.replyWith("\nfrom a client\n");
  });
});

describe("Responses", () => {
  test("the whole reply, and the same as a stream", async () => {
    const { mimikit } = await startWith({ teller: [{ say: "Hello from Mimikit." }] });
    const client = clientOf(mimikit);
    const whole = await client.responses.create({ model: "mimikit", input: "hello", instructions: "Be a pirate." });
    expect(whole).toMatchObject({ object: "response", status: "completed", output_text: "Hello from Mimikit." });
    expect(whole.usage?.total_tokens).toBeGreaterThan(0);

    const next = { model: "mimikit", previous_response_id: whole.id };
    const stream = client.responses.stream({ ...next, input: [{ role: "user", content: "hello, live" }] });
    const types: string[] = [];
    let text = "";
    for await (const event of stream) {
      if (types.at(-1) !== event.type) types.push(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    expect(types).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect([text, (await stream.finalResponse()).output_text]).toEqual(["Hello from Mimikit.", "Hello from Mimikit."]);
    expect(await conversation(mimikit)).toHaveLength(4);
  });
});

test("the package finds the model, and is told of mistakes in its own errors", async () => {
  const mimikit = await start();
  const client = clientOf(mimikit);
  const models = await client.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(["mimikit"]);
  expect((await client.models.retrieve("mimikit")).owned_by).toBe("mimikit");
  await expect(client.models.retrieve("gpt-4")).rejects.toThrow(NotFoundError);
  await expect(client.chat.completions.create({ ...says("hi"), model: "gpt-4" })).rejects.toMatchObject({
    status: 404,
    code: "model_not_found",
    param: "model",
  });
  await expect(client.chat.completions.create({ ...says("hi"), n: 3 })).rejects.toThrow(BadRequestError);
  await expect(client.embeddings.create({ model: "mimikit", input: "hi" })).rejects.toThrow(NotFoundError);
  await expect(textOf(clientOf(mimikit, { apiKey: "sk-wrong" }), "hi")).rejects.toThrow(AuthenticationError);
  expect(await mimikit.messages()).toEqual([]);
});

test("a client has a token of its own, from the command line, until it is revoked there", async () => {
  const mimikit = await start();
  const added = await runCli(mimikit, ["devices", "add", "Open", "WebUI"]);
  const token = added.out.trim();
  expect(added.error).toContain(`http://127.0.0.1:${mimikit.port}/v1`);
  const client = clientOf(mimikit, { apiKey: token });
  expect(await textOf(client, "hello")).toBeTruthy();
  expect((await runCli(mimikit, ["devices"])).out).toMatch(/Open WebUI +client/);
  const status = await fetch(`http://127.0.0.1:${mimikit.port}/api/status`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(status.status).toBe(403);
  // Sessions are files: a gateway that was killed knows them all.
  await mimikit.kill("gateway");
  await mimikit.ready();
  expect((await client.models.list()).data).toHaveLength(1);
  expect((await runCli(mimikit, ["devices", "sign-out", "Open WebUI"])).code).toBe(0);
  await expect(textOf(client, "hello")).rejects.toThrow(AuthenticationError);
});

test("what a client asks on its own gets its answer, and is said to nobody", async () => {
  const { mimikit, model } = await startWith({ teller: [{ say: "Hello." }] });
  const client = clientOf(mimikit);
  await textOf(client, "hello");
  const history = "<chat_history>\nUSER: hello\nASSISTANT: Hello.\n</chat_history>";
  const title = `### Task:\nGenerate a concise title summarizing the chat history.\n### Output:\nJSON format: { "title": "…" }\n${history}`;
  const tags = `### Task:\nGenerate 1-3 broad tags…\n### Output:\nJSON format: { "tags": ["tag1"] }\n${history}`;
  expect(await textOf(client, title)).toBe(`{"title":"hello"}`);
  const stream = await client.chat.completions.create({ ...says(tags), stream: true });
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  expect(text).toBe(`{"tags":["General"]}`);
  expect(await conversation(mimikit)).toEqual(["user: hello", "assistant: Hello."]);
  expect(model.of("teller")).toHaveLength(1);
});

describe("kill -9", () => {
  test("of the gateway, before the turn begins: the request again is the same message, and gets its reply", async () => {
    const { mimikit } = await startWith({ teller: [{ say: "Hello." }] });
    // The message is not taken up meanwhile.
    process.kill(mimikit.pidOf("supervisor"), "SIGSTOP");
    const lost = textOf(clientOf(mimikit), "hello");
    const refused = expect(lost).rejects.toThrow(APIConnectionError);
    await mimikit.until("the message", async () => ((await mimikit.messages()).length > 0 ? true : undefined));
    await mimikit.kill("gateway");
    await refused;
    process.kill(mimikit.pidOf("supervisor"), "SIGCONT");
    await mimikit.ready();
    expect(await textOf(clientOf(mimikit), "hello")).toBe("Hello.");
    expect(await conversation(mimikit)).toEqual(["user: hello", "assistant: Hello."]);
  });

  test("of all three, in the middle of a stream: what came stays, and the request again gets the whole reply", async () => {
    let asked = 0;
    const { mimikit } = await startWith({
      teller: () => (asked++ === 0 ? { hang: "The answer is" } : { say: "The answer is forty-two." }),
    });
    const read = async () => {
      let text = "";
      try {
        const stream = await clientOf(mimikit).chat.completions.create({ ...says("what is it"), stream: true });
        for await (const chunk of stream) {
          text += chunk.choices[0]?.delta.content ?? "";
          if (text !== "") begun.resolve();
        }
      } catch (error) {
        return { text, error };
      }
      return { text, error: null };
    };
    const begun = Promise.withResolvers<void>();
    const first = read();
    await begun.promise;
    await mimikit.kill("gateway");
    const broken = await first;
    expect("The answer is").toContain(broken.text);
    expect(broken.error).not.toBeNull();
    await mimikit.ready();
    const second = read();
    await mimikit.kill("workers");
    await mimikit.kill("supervisor");
    expect(await second).toEqual({ text: "The answer is forty-two.", error: null });
    expect(await conversation(mimikit)).toEqual(["user: what is it", "assistant: The answer is forty-two."]);
  });

  test("of supervisor and pool: the request that waits gets the reply, and nothing of the broken draft twice", async () => {
    let asked = 0;
    const { mimikit } = await startWith({
      teller: () => (asked++ === 0 ? { hang: "The answer is" } : { say: "The answer is forty-two." }),
    });
    const stream = await clientOf(mimikit).chat.completions.create({ ...says("what is it"), stream: true });
    const pieces: string[] = [];
    for await (const chunk of stream) {
      const piece = chunk.choices[0]?.delta.content ?? "";
      if (piece === "") continue;
      pieces.push(piece);
      if (pieces.length > 1) continue;
      await mimikit.kill("workers");
      await mimikit.kill("supervisor");
    }
    expect(pieces.join("")).toBe("The answer is forty-two.");
    // The draft was told while it was written.
    expect(pieces.length).toBeGreaterThan(1);
    expect(await conversation(mimikit)).toEqual(["user: what is it", "assistant: The answer is forty-two."]);
  });

  test("of the gateway behind the reply, before it was read: the request again gets it, and asks no model", async () => {
    const { mimikit, model } = await startWith({ teller: [{ say: "Hello." }] });
    process.kill(mimikit.pidOf("supervisor"), "SIGSTOP");
    const lost = textOf(clientOf(mimikit), "hello");
    const refused = expect(lost).rejects.toThrow(APIConnectionError);
    await mimikit.until("the message", async () => ((await mimikit.messages()).length > 0 ? true : undefined));
    // It has taken the request, and cannot tell of the reply.
    process.kill(mimikit.pidOf("gateway"), "SIGSTOP");
    process.kill(mimikit.pidOf("supervisor"), "SIGCONT");
    await mimikit.drained();
    await mimikit.kill("gateway");
    await refused;
    await mimikit.ready();
    expect(await textOf(clientOf(mimikit), "hello")).toBe("Hello.");
    expect(await conversation(mimikit)).toEqual(["user: hello", "assistant: Hello."]);
    expect(model.of("teller")).toHaveLength(1);
  });

  test("of the gateway, seen by the package as it is: it asks again by itself, and nothing happens twice", async () => {
    let asked = 0;
    const { mimikit } = await startWith({ teller: () => (asked++ === 0 ? { hang: true } : { say: "Hello." }) });
    const reply = textOf(clientOf(mimikit, { maxRetries: 20 }), "hello");
    await isRunning(mimikit, "hello");
    await mimikit.kill("gateway");
    await mimikit.ready();
    await mimikit.kill("workers");
    expect(await reply).toBe("Hello.");
    expect(await conversation(mimikit)).toEqual(["user: hello", "assistant: Hello."]);
  });
});

test("a model that cannot be reached is said at once, and the request again waits for the reply", async () => {
  const port = await freePort();
  const mimikit = await start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_API_KEY: "sk-clients",
      MIMIKIT_MODEL: "scripted",
      MIMIKIT_CIRCUIT_COOLDOWN_SEC: "1",
      MIMIKIT_CIRCUIT_COOLDOWN_MAX_SEC: "2",
    },
  });
  const client = clientOf(mimikit);
  const unreachable = { status: 503, code: "model_unreachable", message: expect.stringContaining("ECONNREFUSED") };
  await expect(textOf(client, "hello")).rejects.toMatchObject(unreachable);
  const stream = await client.chat.completions.create({ ...says("hello"), stream: true });
  const read = async () => {
    for await (const chunk of stream) expect(chunk.choices[0]?.delta.content).toBe("");
  };
  await expect(read()).rejects.toMatchObject({ code: "model_unreachable" });
  const model = await ModelServer.start({ teller: [{ say: "Hello." }] }, port);
  opened.push({ dispose: () => model.close() });
  // The package asks again by itself as long as it is told to.
  expect(await textOf(clientOf(mimikit, { maxRetries: 40 }), "hello")).toBe("Hello.");
  expect((await conversation(mimikit)).filter((line) => line.startsWith("user"))).toEqual(["user: hello"]);
});

test("without a client nothing of it is loaded, and the first one loads it", async () => {
  const mimikit = await start({ countsCalls: true });
  const loaded = async () =>
    (await mimikit.calls("gateway")).modules.filter((path) => /http-gateway\/src\/v1\/|wire\/v1/.test(path));
  await mimikit.send("hello");
  await mimikit.drained();
  expect(await loaded()).toEqual([]);
  await clientOf(mimikit).models.list();
  expect((await loaded()).length).toBeGreaterThan(0);
});
