/** /v1 keeps the gates of the rest, and makes one message of a request however often it is sent. The supervisor is played here. */

import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { Message } from "@mimikit/protocol/records/inbox";
import { V1_BODY_BYTES_MAX } from "@mimikit/protocol/wire/v1";
import { createPairing } from "@mimikit/runtime/home/pairing";
import { commandId } from "@mimikit/store/disk/create-command";
import { readRecord } from "@mimikit/store/disk/record";
import { DELIVERED_PATH, inboxPath } from "@mimikit/store/disk/state";
import { describe, expect, test } from "vitest";
import { lastNumber } from "../../../apps/http-gateway/src/state/last-number.ts";
import { Delivered } from "../../../apps/http-gateway/src/v1/delivered.ts";
import { v1Routes } from "../../../apps/http-gateway/src/v1/routes.ts";
import { type Answer, type Ask, type Started, startGateway, temporaryHome } from "../gateway.ts";
import { settleTurn } from "../records.ts";

const CHAT = "/v1/chat/completions";
const JSON_TYPE = { "Content-Type": "application/json" };

const hello = (more: object = {}) => ({ model: "mimikit", messages: [{ role: "user", content: "hello" }], ...more });

interface ErrorBody {
  error: { message: string; type: string; param: string | null; code: string };
}
const errorOf = (answer: Answer) => (answer.json as ErrorBody).error;

/** A client with a token of its own. */
async function addClient(gateway: Started, name = "Open WebUI"): Promise<{ id: string; token: string }> {
  const answer = await gateway.post("/api/devices", { name });
  expect(answer.status).toBe(201);
  return answer.json as { id: string; token: string };
}

const as = (token: string): Ask => ({ signedIn: false, headers: { Authorization: `Bearer ${token}` } });

/** The messages that wait, once there are so many. */
async function waiting(gateway: Started, count = 1): Promise<Message[]> {
  await expect.poll(() => gateway.names("inbox").length).toBe(count);
  const messages = await Promise.all(
    gateway.names("inbox").map((name) => readRecord(gateway.fs, Message, inboxPath(name.replace(".json", "")))),
  );
  return messages.filter((message) => message !== null);
}

/** The number of the next turn: those of one home have no gaps. */
const nextTurn = (gateway: Started) => gateway.names("archive").filter((name) => /^t-\d+\.json$/.test(name)).length + 1;

/** Answers what waits, now or at that time. */
async function settle(gateway: Started, reply: string, completedAt = new Date().toISOString()): Promise<void> {
  const ids = (await waiting(gateway)).map(({ id }) => id);
  await settleTurn(gateway.fs, nextTurn(gateway), ids, reply, [], [], { completedAt });
}

const contentOf = (answer: Answer) =>
  (answer.json as { choices: { message: { content: string } }[] }).choices[0]?.message.content;

describe("the gates", () => {
  const GATES: [string, (gateway: Started, token: string) => Promise<Answer>, number][] = [
    ["no credential", (gateway) => gateway.post(CHAT, hello(), { signedIn: false }), 401],
    ["a wrong one", (gateway) => gateway.post(CHAT, hello(), as(`sk-mimikit-${"a".repeat(43)}`)), 401],
    ["a foreign host", (gateway) => gateway.post(CHAT, hello(), { headers: { Host: "attacker.example" } }), 421],
    ["another origin", (gateway) => gateway.post(CHAT, hello(), { headers: { Origin: "https://evil.example" } }), 403],
    [
      "no JSON",
      (gateway) => gateway.ask(CHAT, { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } }),
      415,
    ],
    ["a compressed body", (gateway) => gateway.post(CHAT, hello(), { headers: { "Content-Encoding": "gzip" } }), 415],
    [
      "a deep body",
      (gateway) => gateway.ask(CHAT, { method: "POST", body: "[".repeat(1_000), headers: JSON_TYPE }),
      400,
    ],
    [
      "a body of 33 MB",
      (gateway) =>
        gateway.ask(CHAT, { method: "POST", body: Buffer.alloc(V1_BODY_BYTES_MAX + 1, 32), headers: JSON_TYPE }),
      413,
    ],
    [
      "__proto__",
      (gateway) =>
        gateway.ask(CHAT, {
          method: "POST",
          body: `{"model":"mimikit","messages":[{"role":"user","content":"hi"}],"__proto__":{}}`,
          headers: JSON_TYPE,
        }),
      400,
    ],
    ["another method", (gateway) => gateway.ask(CHAT), 405],
    ["another address", (gateway) => gateway.post("/v1/embeddings", {}), 404],
    [
      "another address, without a credential",
      (gateway) => gateway.post("/v1/embeddings", {}, { signedIn: false }),
      401,
    ],
  ];
  test.each(GATES)("%s", async (_name, ask, status) => {
    const gateway = await startGateway();
    const answer = await ask(gateway, (await addClient(gateway)).token);
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({
      error: { message: expect.any(String), type: expect.any(String), param: null, code: expect.any(String) },
    });
    expect(gateway.names("inbox")).toEqual([]);
  });

  test("a preflight is refused without a word about CORS", async () => {
    const gateway = await startGateway();
    const headers = { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" };
    const answer = await gateway.ask(CHAT, { method: "OPTIONS", signedIn: false, headers });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  test("a browser that is signed in is no client: its cookie counts for nothing here", async () => {
    const gateway = await startGateway();
    const headers = { Cookie: "mimikit_x=y", "X-Mimikit-Secret": "z" };
    expect((await gateway.ask("/v1/models", { signedIn: false, headers })).status).toBe(401);
  });

  test("ten wrong tokens lock an address out, but not who has the right one", async () => {
    const gateway = await startGateway();
    const { token } = await addClient(gateway);
    for (let i = 0; i < 10; i++) await gateway.ask("/v1/models", as("wrong"));
    expect((await gateway.ask("/v1/models", as("wrong"))).status).toBe(429);
    expect((await gateway.ask("/v1/models", as(token))).status).toBe(200);
  });
});

describe("a client's token", () => {
  test("is good for /v1 alone, and a use of it elsewhere is no guess", async () => {
    const gateway = await startGateway();
    const { token } = await addClient(gateway);
    expect((await gateway.ask("/v1/models", as(token))).status).toBe(200);
    for (const path of ["/api/status", "/api/devices", "/api/messages", "/metrics"])
      for (let i = 0; i < 5; i++)
        expect(await gateway.ask(path, as(token)), path).toMatchObject({
          status: 403,
          json: { error: { code: "clients_only_v1", hint: expect.stringContaining("/v1") } },
        });
    expect((await gateway.ask("/v1/models", as(token))).status).toBe(200);
  });

  test("is listed by its name, kept as a hash, never logged, and counts until it is revoked", async () => {
    const gateway = await startGateway();
    const { id, token } = await addClient(gateway);
    const { devices } = (await gateway.ask("/api/devices")).json as { devices: unknown[] };
    expect(devices).toEqual([expect.objectContaining({ id, kind: "client", name: "Open WebUI", expiresAt: null })]);
    expect(gateway.names("sessions/web")).toEqual([`${id}.json`]);
    expect(readFileSync(join(gateway.home, `sessions/web/${id}.json`), "utf8")).not.toContain(token);
    expect(gateway.logged.join("\n")).toContain("client_added");
    expect(gateway.logged.join("\n")).not.toContain(token);
    expect((await gateway.ask(`/api/devices/${id}`, { method: "DELETE" })).status).toBe(200);
    expect((await gateway.ask("/v1/models", as(token))).status).toBe(401);
  });

  test.each([{}, { name: "" }, { name: " " }, { name: "a".repeat(81) }, { name: 7 }])(
    "needs a name: %j",
    async (body) => {
      expect((await (await startGateway()).post("/api/devices", body)).status).toBe(400);
    },
  );

  test("is made by the owner: a client makes none", async () => {
    const gateway = await startGateway();
    const { token } = await addClient(gateway);
    expect((await gateway.post("/api/devices", { name: "another" }, as(token))).status).toBe(403);
  });
});

test("/v1/models knows one model, by its name", async () => {
  const gateway = await startGateway();
  expect(await gateway.ask("/v1/models")).toMatchObject({ status: 200, json: { data: [{ id: "mimikit" }] } });
  expect(await gateway.ask("/v1/models/mimikit")).toMatchObject({ status: 200, json: { id: "mimikit" } });
  expect(errorOf(await gateway.ask("/v1/models/gpt-4"))).toMatchObject({ code: "model_not_found", param: "model" });
});

test.each([
  [{ model: "gpt-4" }, "model"],
  [{ n: 2 }, "n"],
  [{ logprobs: true }, "logprobs"],
  [{ top_logprobs: 3 }, "top_logprobs"],
  [{ response_format: { type: "json_object" } }, "response_format"],
  [{ tool_choice: "required" }, "tool_choice"],
  [{ tool_choice: { type: "function", function: { name: "x" } } }, "tool_choice"],
  [{ function_call: { name: "x" } }, "function_call"],
  [{ modalities: ["text", "audio"] }, "modalities"],
  [{ background: true }, "background"],
  [{ conversation: "conv_1" }, "conversation"],
])("what would change the answer is refused by name: %j", async (more, param) => {
  const gateway = await startGateway();
  const answer = await gateway.post(CHAT, hello(more));
  expect([404, 400]).toContain(answer.status);
  expect(errorOf(answer)).toMatchObject({ type: "invalid_request_error", param });
  expect(gateway.names("inbox")).toEqual([]);
});

test("what means nothing here is ignored, tools included, and the message has a turn of its own", async () => {
  const gateway = await startGateway();
  const more = {
    temperature: 0.2,
    max_tokens: 7,
    stop: ["\n"],
    seed: 1,
    user: "me",
    n: 1,
    logprobs: false,
    tools: [{ type: "function", function: { name: "light", parameters: { type: "object" } } }],
    tool_choice: "auto",
    response_format: { type: "text" },
    unheard_of: { a: [1] },
  };
  const asked = gateway.post(CHAT, hello(more));
  const [message] = await waiting(gateway);
  expect(message).toMatchObject({ text: "hello", mode: "next" });
  await settle(gateway, "Hi.");
  expect(contentOf(await asked)).toBe("Hi.");
});

test("a picture in the request goes along with the message", async () => {
  const gateway = await startGateway();
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("base64");
  const content = [
    { type: "text", text: "what is this" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
  ];
  const asked = gateway.post(CHAT, hello({ messages: [{ role: "user", content }] }));
  const [message] = await waiting(gateway);
  expect(message).toMatchObject({ text: "what is this", attachments: [{ type: "image/png" }] });
  await settle(gateway, "A picture.");
  expect(contentOf(await asked)).toBe("A picture.");
});

test("an empty file is refused, and nothing is said; bytes of an unknown kind go along as they are", async () => {
  const gateway = await startGateway();
  const about = (data: string) => [{ type: "file", file: { file_data: data, filename: "a.bin" } }];
  const answer = await gateway.post(CHAT, hello({ messages: [{ role: "user", content: about("data:a/b;base64,") }] }));
  expect(answer.status).toBe(400);
  expect(gateway.names("inbox")).toEqual([]);
  const content = about(Buffer.from([0, 1, 2, 3]).toString("base64"));
  const asked = gateway.post(CHAT, hello({ messages: [{ role: "user", content }] }));
  const [message] = await waiting(gateway);
  expect(message).toMatchObject({ attachments: [{ name: "a.bin", type: "application/octet-stream" }] });
  await settle(gateway, "Four bytes.");
  expect(contentOf(await asked)).toBe("Four bytes.");
});

test("a request that a client makes on its own is answered by code: nothing is said, and nobody is asked", async () => {
  const gateway = await startGateway();
  const content = `### Task:\nGenerate…\nJSON format: { "title": "…" }\n<chat_history>\nUSER: hello there\n</chat_history>`;
  const answer = await gateway.post(CHAT, hello({ messages: [{ role: "user", content }] }));
  expect(contentOf(answer)).toBe(`{"title":"hello there"}`);
  expect(gateway.names("inbox")).toEqual([]);
});

/** Sends a request and leaves it, once the message is there. */
async function askAndLeave(gateway: Started, body: object, count = 1): Promise<void> {
  const headers = { Authorization: `Bearer ${gateway.token}`, ...JSON_TYPE };
  const request = httpRequest({ host: gateway.host, port: gateway.port, path: CHAT, method: "POST", headers });
  request.on("error", () => undefined);
  request.end(JSON.stringify(body));
  await waiting(gateway, count);
  request.destroy();
}

describe("the same request", () => {
  test("at the same time is one message, and each gets the reply", async () => {
    const gateway = await startGateway();
    const asked = Array.from({ length: 4 }, () => gateway.post(CHAT, hello()));
    await waiting(gateway);
    await settle(gateway, "Hi.");
    expect((await Promise.all(asked)).map(contentOf)).toEqual(["Hi.", "Hi.", "Hi.", "Hi."]);
  });

  test("of a client that left before the reply is the same message, and gets that reply, once", async () => {
    const gateway = await startGateway();
    await askAndLeave(gateway, hello());
    await settle(gateway, "Hi.");
    // The way in which it wants to be told is not part of what it says.
    expect((await gateway.post(CHAT, hello({ stream: true }))).text).toContain(`"content":"Hi."`);
    expect(gateway.names("inbox")).toEqual([]);
    // It was delivered now: who says it again means it again.
    const again = gateway.post(CHAT, hello());
    await settle(gateway, "Hi again.");
    expect(contentOf(await again)).toBe("Hi again.");
  });

  const REPEATED = { headers: { "X-Stainless-Retry-Count": "1" } };

  test("whose first try no gateway heard is another message, though it says that it is a repetition", async () => {
    const gateway = await startGateway();
    const asked = gateway.post(CHAT, hello());
    await settle(gateway, "Off.");
    expect(contentOf(await asked)).toBe("Off.");
    // The gateway is down, so that the next try fails; the one after that says so.
    await gateway.close();
    const next = await startGateway({ home: gateway.home });
    const again = next.post(CHAT, hello(), REPEATED);
    await settle(next, "Off again.");
    expect(contentOf(await again)).toBe("Off again.");
  });

  test("is the last message of that content, answered or not, and never one before it", async () => {
    let gateway = await startGateway();
    for (const reply of ["one", "two"]) {
      const asked = gateway.post(CHAT, hello());
      await settle(gateway, reply);
      expect(contentOf(await asked)).toBe(reply);
    }
    await askAndLeave(gateway, hello());
    const [third] = await waiting(gateway);
    await gateway.close();
    gateway = await startGateway({ home: gateway.home });
    // Its first try was left unanswered by a gateway that is gone: that one is meant, by both that ask for it.
    const both = [gateway.post(CHAT, hello(), REPEATED), gateway.post(CHAT, hello())];
    await expect.poll(() => waiting(gateway)).toEqual([third]);
    await settle(gateway, "three");
    expect((await Promise.all(both)).map(contentOf)).toEqual(["three", "three"]);
  });

  test("gets the reply that its client never got, also from a gateway that was restarted meanwhile", async () => {
    const gateway = await startGateway();
    await askAndLeave(gateway, hello());
    await settle(gateway, "Hi.");
    await gateway.close();
    const next = await startGateway({ home: gateway.home });
    expect(contentOf(await next.post(CHAT, hello(), REPEATED))).toBe("Hi.");
    expect(next.names("inbox")).toEqual([]);
  });

  test("is told from others by a note of 1,000 deliveries, which a disk that takes no more only shortens", async () => {
    const home = temporaryHome();
    const ids = Array.from({ length: 4_500 }, (_, n) => `m-${n}`);
    const first = new Delivered(home);
    for (const id of ids) first.add(id);
    const note = join(home, DELIVERED_PATH);
    expect(readFileSync(note, "utf8").length).toBeLessThan(20_000);
    const second = new Delivered(home);
    expect(ids.filter((id) => second.has(id))).toEqual(ids.slice(-1_000));
    rmSync(note);
    mkdirSync(note);
    expect(() => second.add("m-new")).toThrow("EISDIR");
    expect(second.has("m-new")).toBe(true);
  });

  test("long after the reply is another message, whatever became of the first", async () => {
    const gateway = await startGateway();
    await askAndLeave(gateway, hello());
    await settle(gateway, "Hi.", new Date(Date.now() - 901_000).toISOString());
    const asked = gateway.post(CHAT, hello());
    await settle(gateway, "Hi again.");
    expect(contentOf(await asked)).toBe("Hi again.");
  });

  test("costs a few looks, however often it was answered before", async () => {
    const asked = 40_000;
    let looks = 0;
    const archived = new Set(Array.from({ length: asked }, (_, n) => commandId("message", `v1 instance digest ${n}`)));
    const has = (id: string) => {
      looks++;
      return archived.has(id);
    };
    expect(lastNumber((n) => has(commandId("message", `v1 instance digest ${n}`)))).toBe(asked - 1);
    expect(looks).toBeLessThan(40);
    expect([0, 1, 2, 3].map((count) => lastNumber((n) => n < count))).toEqual([0, 0, 1, 2]);
  });

  test("of another client, or behind another conversation, is another message", async () => {
    const gateway = await startGateway();
    const { token } = await addClient(gateway);
    const later = hello({
      messages: [...hello().messages, { role: "assistant", content: "Hi." }, ...hello().messages],
    });
    const asked = [gateway.post(CHAT, hello()), gateway.post(CHAT, hello(), as(token)), gateway.post(CHAT, later)];
    const messages = await waiting(gateway, 3);
    expect(new Set(messages.map(({ text }) => text))).toEqual(new Set(["hello"]));
    await settleTurn(
      gateway.fs,
      nextTurn(gateway),
      messages.map(({ id }) => id),
      "Hi, all.",
    );
    expect((await Promise.all(asked)).map(contentOf)).toEqual(["Hi, all.", "Hi, all.", "Hi, all."]);
  });

  test("is named by an Idempotency-Key where there is one, whatever else it says", async () => {
    const gateway = await startGateway();
    const headers = { "Idempotency-Key": "mine" };
    const asked = gateway.post(CHAT, hello(), { headers });
    await settle(gateway, "Hi.");
    expect(contentOf(await asked)).toBe("Hi.");
    expect(contentOf(await gateway.post(CHAT, hello({ user: "other" }), { headers }))).toBe("Hi.");
    expect(gateway.names("inbox")).toEqual([]);
  });
});

test("who leaves ends nothing: the message is answered all the same", async () => {
  const gateway = await startGateway();
  await askAndLeave(gateway, hello());
  expect(gateway.names("signals")).toEqual([]);
  expect(await waiting(gateway)).toHaveLength(1);
});

test("64 requests wait at one time; the others are told to come back, and no message is lost", async () => {
  const gateway = await startGateway();
  let refused = 0;
  const asked = Array.from({ length: 80 }, async () => {
    const answer = await gateway.post(CHAT, hello());
    if (answer.status === 503) refused++;
    return answer;
  });
  await expect.poll(() => refused).toBe(16);
  expect((await gateway.ask("/v1/models")).status).toBe(200);
  await settle(gateway, "Hi.");
  const answers = await Promise.all(asked);
  expect(answers.filter(({ status }) => status === 200).map(contentOf)).toEqual(Array(64).fill("Hi."));
  const [first] = answers.filter(({ status }) => status === 503);
  expect([first?.headers["retry-after"], first && errorOf(first).code]).toEqual(["10", "too_many_waiting"]);
});

test("who waits hears that it still waits, and is cut off where its token is revoked meanwhile", async () => {
  const gateway = await startGateway({ waits: { keepAliveMs: 100 } });
  const { id, token } = await addClient(gateway);
  const headers = { Authorization: `Bearer ${token}`, ...JSON_TYPE };
  const request = httpRequest({ host: gateway.host, port: gateway.port, path: CHAT, method: "POST", headers });
  request.end(JSON.stringify(hello({ stream: true })));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) {
    text += String(chunk);
    if (text.includes(": still working")) await gateway.ask(`/api/devices/${id}`, { method: "DELETE" });
  }
  expect(text).toMatch(/^data: .*\n\n(: still working\n\n)+data: \{"error":\{.*revoked.*\}\}\n\n$/);
  // Its message is kept.
  expect(await waiting(gateway)).toHaveLength(1);
});

test("who has waited long enough is told so, and the same request again goes on", async () => {
  const gateway = await startGateway({ waits: { replyMs: 100 } });
  const answer = await gateway.post(CHAT, hello());
  expect([answer.status, errorOf(answer)]).toEqual([
    504,
    expect.objectContaining({ code: "reply_takes_longer", message: expect.stringContaining("the same request again") }),
  ]);
  await settle(gateway, "Hi.");
  expect(contentOf(await gateway.post(CHAT, hello()))).toBe("Hi.");
});

test("clients and browsers make no room for each other, and the 101st client is refused", async () => {
  const gateway = await startGateway();
  const first = await addClient(gateway);
  for (let i = 0; i < 101; i++) {
    const { code } = await createPairing(gateway.home);
    expect((await gateway.post("/api/pair", { code }, { signedIn: false })).status).toBe(200);
  }
  for (let i = 1; i < 100; i++) await addClient(gateway, `client ${i}`);
  expect(await gateway.post("/api/devices", { name: "one more" })).toMatchObject({ status: 409 });
  expect((await gateway.ask("/v1/models", as(first.token))).status).toBe(200);
  expect(gateway.names("sessions/web")).toHaveLength(200);
});

test("docs/clients.md lists the routes that there are", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../docs/clients.md"), "utf8");
  const routes = v1Routes().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect([...docs.matchAll(/`((?:GET|POST) \/v1\/[^`]+)`/g)].map(([, route]) => route)).toEqual(routes);
});
