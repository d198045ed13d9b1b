/** `GET /api/openapi.json` is true: every route that it tells of is called, and answers as it says. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { Approval } from "@mimikit/protocol/approvals/approval";
import { codeOf } from "@mimikit/protocol/texts/coded";
import { ApiError, BODY_BYTES_MAX, MESSAGE_BODY_BYTES_MAX } from "@mimikit/protocol/wire/api";
import { createPairing } from "@mimikit/runtime/home/pairing";
import { writeMcpRecord } from "@mimikit/runtime/process/mcp-record";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { APPROVALS, approvalPath } from "@mimikit/store/disk/state";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  type ApiDocument,
  describeApi,
  type JsonSchema,
  type Operation,
  type Parameter,
} from "../../../apps/http-gateway/src/api/describe-api.ts";
import { type PushKeys, proofOf } from "../../../apps/http-gateway/src/push/keys.ts";
import { ROUTES } from "../../../apps/http-gateway/src/routes.ts";
import { Device } from "../../support/device.ts";
import { odd, writeMcpFile } from "../../support/mcp-servers.ts";
import { PushService } from "../../support/push-service.ts";
import { type Answer, type Ask, type Started, startGateway } from "../gateway.ts";
import { FILE, LIVED_IN, liveIn, OUTPUT } from "../lived-in.ts";
import { settleTurn } from "../records.ts";

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

/** A good request. */
interface Example {
  id?: string;
  query?: string;
  body?: object;
  bytes?: Buffer;
  /** The headers of a browser, where a script cannot ask it. */
  browser?: Record<string, string>;
}

interface World {
  gateway: Started;
  attachment: string;
}

const order = { prompt: "water the plants", interval: 3_600 };

/** Commands that are allowed for good. @returns the id. */
async function allowed({ gateway }: World): Promise<string> {
  const id = "t-000001.0.0.a1.approve";
  const prefix = ["npm", "install"];
  const approval: Approval = {
    ...{ kind: "approval", id, at: "2026-11-26T09:00:00.000Z", tool: "bash", prefix },
    ...{ reaches: ["network"], title: "Install" },
  };
  mkdirSync(join(gateway.home, APPROVALS), { recursive: true });
  await createRecord(openDisk(gateway.home, "test-approval"), Approval, approvalPath(id), approval);
  return id;
}

/** A good request of every operation. One that is missing fails the tests. */
const EXAMPLES: Record<string, (world: World) => Example | Promise<Example>> = {
  getLivez: () => ({}),
  getReadyz: ({ gateway }) => {
    for (const role of ["supervisor", "workers"] as const) writeRole(gateway.home, role);
    return {};
  },
  getHealthz: () => ({}),
  postPair: async ({ gateway }) => ({ body: { code: (await createPairing(gateway.home)).code } }),
  postSignOut: () => ({ body: {} }),
  getDevices: async ({ gateway }) => {
    await pairOne(gateway);
    return {};
  },
  getApprovals: async (at) => {
    await allowed(at);
    return {};
  },
  deleteApprovalsById: async (at) => ({ id: await allowed(at) }),
  postPairings: () => ({ body: {} }),
  postDevices: () => ({ body: { name: "Open WebUI" } }),
  deleteDevicesById: async ({ gateway }) => ({ id: await pairOne(gateway) }),
  postPushKey: () => ({ body: {} }),
  postPush: async (at) => {
    const { service, device } = await notified(at);
    const { publicKey } = pushKeysOf(at);
    return { browser: device.pageHeaders, body: { subscription: service.subscribe(publicKey), language: "zh" } };
  },
  deletePush: async (at) => ({ browser: (await notified(at)).device.pageHeaders }),
  postPushTest: async (at) => ({ browser: (await notified(at)).device.pageHeaders, body: {} }),
  postPushAnswer: async (at) => {
    const { device } = await notified(at);
    const questionId = LIVED_IN.question;
    const proof = proofOf(pushKeysOf(at), device.id, questionId);
    return { browser: device.workerHeaders, body: { questionId, option: 0, proof } };
  },
  getStatus: () => ({}),
  getAdoption: () => ({}),
  postAdoption: () => ({ body: {} }),
  getUsage: () => ({ query: "days=3" }),
  postInput: ({ attachment }) => ({
    body: {
      text: "hi",
      client: { timeZone: "UTC", now: "2026-11-22T00:00:00Z" },
      quote: "t-000001",
      mode: "next",
      attachments: [attachment],
    },
  }),
  getMessages: () => ({ query: "limit=20" }),
  getHistoryExport: () => ({ query: "format=md" }),
  getHistorySearch: () => ({ query: "q=plants&limit=3&roles=user,assistant&from=2020-01-01T00:00:00Z" }),
  postAttachments: () => ({ bytes: FILE }),
  getAttachmentsById: ({ attachment }) => ({ id: attachment }),
  getMessagesByIdUsed: () => ({ id: "t-000002.reply" }),
  postSteer: () => ({ body: { text: "slower" } }),
  postStop: () => ({ body: {} }),
  postConversationRetry: () => ({ body: { text: "what is new today?", answerBy: { provider: "offline" } } }),
  postClear: () => ({ body: {} }),
  getTasks: () => ({ query: "role=worker&limit=20" }),
  getTasksById: () => ({ id: LIVED_IN.ended }),
  getTasksByIdTranscript: () => ({ id: LIVED_IN.ended }),
  getTasksByIdFiles: () => ({ id: LIVED_IN.ended }),
  getFiles: ({ gateway }) => ({ query: `path=${join(gateway.home, OUTPUT)}&task=${LIVED_IN.ended}` }),
  postTasksByIdAgain: () => ({ id: LIVED_IN.ended, body: { text: "water them twice" } }),
  postTasksByIdCancel: () => ({ id: LIVED_IN.queued, body: {} }),
  postTasksByIdSteer: () => ({ id: LIVED_IN.queued, body: { text: "slower" } }),
  postQueuesByRolePause: () => ({ id: "worker", body: {} }),
  postQueuesByRoleResume: () => ({ id: "worker", body: {} }),
  getQuestions: () => ({}),
  postQuestionsByIdAnswer: () => ({ id: LIVED_IN.question, body: { answer: "no" } }),
  getTriggers: () => ({}),
  postTriggers: () => ({ body: order }),
  getTriggersSimulate: () => ({ query: "from=2127-01-01T00:00:00Z&to=2127-01-02T00:00:00Z" }),
  getTriggersUpcoming: () => ({ query: "interval=60" }),
  getTriggersById: () => ({ id: LIVED_IN.recurring }),
  patchTriggersById: () => ({ id: LIVED_IN.recurring, body: { paused: true } }),
  deleteTriggersById: () => ({ id: LIVED_IN.scheduled }),
  postTriggersByIdRun: () => ({ id: LIVED_IN.recurring, body: {} }),
  getTriggersByIdExplain: () => ({ id: LIVED_IN.conditional }),
  getMemorySearch: () => ({ query: "q=plants&limit=3&after=2026-01-01" }),
  getMemoryStatus: () => ({}),
  getMemoryFiles: () => ({}),
  getMemoryFile: () => ({ query: "name=memory.md" }),
  postMemory: () => ({ body: { content: "the cat is grey", longTerm: true } }),
  postMemoryEdit: () => ({ body: { document: "memory.md", entry: "the cat is grey", to: "the cat is white" } }),
  getBacklog: () => ({}),
  postBacklog: () => ({ body: { op: "add", item: "a bigger pot" } }),
  getChanges: () => ({ query: "limit=3" }),
  postUndo: () => ({ body: { id: LIVED_IN.change } }),
  getImprovements: () => ({ query: "limit=3" }),
  getSkills: () => ({}),
  getMcp: ({ gateway }) => withTools(gateway),
  postMcp: async ({ gateway }) => {
    await withTools(gateway);
    return { body: { name: "memory", server: { command: "npx", args: ["-y", "some-memory"] } } };
  },
  postMcpByNameTest: async ({ gateway }) => ({ ...(await withTools(gateway)), id: "odd", body: {} }),
  deleteMcpByName: async ({ gateway }) => ({ ...(await withTools(gateway)), id: "memory" }),
  getSettings: () => ({}),
  patchSettings: () => ({ body: { changes: [{ name: "retryDelaySec", value: 5 }] } }),
  getAudit: () => ({ query: "limit=3&actor=supervisor" }),
  getProviders: () => ({}),
  getProvidersLocal: () => ({}),
  postProvidersTest: () => ({ body: { provider: "openai", baseUrl: "http://127.0.0.1:1/v1" } }),
  postProvidersConnect: () => ({ body: { provider: "ollama", model: "some-model", roles: ["teller"] } }),
  postProvidersForgetKey: () => ({ body: { provider: "openai" } }),
  postProvidersTryNow: () => ({ body: {} }),
  postRestart: () => ({ body: {} }),
  getMetrics: () => ({}),
  getOpenapiJson: () => ({}),
};

/** Two servers of which one has been listed, one that is none, and a command. */
async function withTools({ home }: Started): Promise<Example> {
  writeMcpFile(home, { odd: odd({ HUGE: "30000" }, "here I am"), memory: { command: "x" }, none: {} });
  mkdirSync(join(home, "tools"), { recursive: true });
  writeFileSync(join(home, "tools", "date.yaml"), "description: Tells the date.\ncommand: [date]\n");
  const tools = [{ name: "odd__say", level: "read-only" as const, description: "Says it." }];
  writeMcpRecord(home, { odd: { state: "failed", problems: ["it ended"], stderr: ["oh"], tools } });
  return {};
}

const pushKeysOf = ({ gateway }: World) =>
  JSON.parse(readFileSync(join(gateway.home, "push/keys.json"), "utf8")) as PushKeys;

/** Signs a browser in that is notified, by a push service that this process trusts from now on. */
async function notified({ gateway }: World) {
  const service = await PushService.start();
  onTestFinished(() => service.dispose());
  setDefaultCACertificates([...getCACertificates("default"), readFileSync(service.certificate, "utf8")]);
  const device = await Device.pair(gateway);
  await device.subscribe(service);
  return { service, device };
}

/** Signs a browser in. @returns the id of the device. */
async function pairOne(gateway: Started): Promise<string> {
  const { code } = await createPairing(gateway.home);
  await gateway.post("/api/pair", { code }, { signedIn: false });
  return gateway.names("sessions/web")[0]?.replace(".json", "") ?? "";
}

/** Nothing waits, and nothing came of the last reply: it can be given again. */
async function settleAll({ gateway }: World): Promise<void> {
  for (const name of await gateway.fs.list("inbox")) await gateway.fs.unlink(`inbox/${name}`);
  const { id } = (await gateway.post("/api/input", { text: "what is new?" })).json as { id: string };
  await settleTurn(gateway.fs, 3, [id], "Nothing.");
}

/** Lists that depend on the machine, or on a model that is there. */
const EMPTY_HERE = [
  ...[
    "getStatus.passedOver",
    "getStatus.paused",
    "postQueuesByRoleResume.paused",
    "getProvidersLocal.servers",
    "postProvidersTest.models",
  ],
  ...["postProvidersForgetKey.answersFor", "getSettings.missing", "patchSettings.missing"],
];

/** The document as the table of routes makes it; a test compares it with the one that is served. */
const DOCUMENT = describeApi(ROUTES, "0.0.0");

interface Documented {
  name: string;
  path: string;
  method: Method;
  operation: Operation;
}

const OPERATIONS: Documented[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  METHODS.flatMap((method) => {
    const operation = (methods as Partial<Record<Method, Operation>>)[method];
    return operation === undefined ? [] : [{ name: operation.operationId, path, method, operation }];
  }),
);

async function world(): Promise<World> {
  const gateway = await startGateway({ limits: { day: { costUsd: 5 }, month: {} } });
  return { gateway, attachment: await liveIn(gateway) };
}

/** Sends an example, changed as the test wants it. */
function send({ gateway }: World, { path, method }: Documented, example: Example, more: Ask = {}): Promise<Answer> {
  const address =
    path.replace(/\{(id|role|name)\}/, encodeURIComponent(example.id ?? "")) +
    (example.query ? `?${example.query}` : "");
  const body = example.bytes ?? (example.body && JSON.stringify(example.body));
  const browser = more.signedIn === false ? undefined : example.browser;
  const type = example.bytes === undefined ? "application/json" : "text/plain";
  return gateway.ask(address, {
    method: method.toUpperCase(),
    ...(body !== undefined && { body }),
    ...(browser !== undefined && { signedIn: false }),
    ...more,
    headers: { ...(body !== undefined && { "Content-Type": type }), ...browser, ...more.headers },
  });
}

/** The schema of the document, as something that checks: a field that is not in it is a mistake. */
function checkerOf(schema: JsonSchema, { components }: ApiDocument = DOCUMENT): z.ZodType {
  const text = JSON.stringify({ ...schema, $defs: components.schemas });
  return z.fromJSONSchema(JSON.parse(text.replaceAll("#/components/schemas/", "#/$defs/")));
}

function assertShape(answer: Answer, schema: JsonSchema | undefined, about: string): void {
  if (schema === undefined) throw new Error(`${about}: no schema is documented for ${answer.status}`);
  const checked = checkerOf(schema).safeParse(answer.json ?? answer.text);
  expect(checked.error && z.prettifyError(checked.error), about).toBeUndefined();
}

/** An error of this status, documented, in the one shape that errors have, and with a code of ours for what it says. */
function assertRefused(answer: Answer, status: number, { operation }: Documented, about: string): void {
  expect(answer.status, `${about}: ${answer.text}`).toBe(status);
  expect(operation.responses, about).toHaveProperty(String(status));
  assertShape(answer, operation.responses[status]?.content?.["application/json"]?.schema, about);
  const { message, coded } = ApiError.parse(answer.json).error;
  expect(coded?.message, `${about}: ${message}`).toEqual(codeOf(message));
  expect(coded?.message, `${about}: ${message}`).toBeDefined();
}

const exampleOf = (at: World, { name }: Documented): Promise<Example> | Example => {
  const example = EXAMPLES[name];
  if (example === undefined) throw new Error(`${name} has no example`);
  return example(at);
};

test("what is served is made from the table of routes, says its version, and is for who is signed in", async () => {
  const gateway = await startGateway();
  const answer = await gateway.ask("/api/openapi.json");
  expect(answer.status).toBe(200);
  const { info, ...rest } = answer.json as ApiDocument;
  const { info: _, ...expected } = DOCUMENT;
  expect(rest).toEqual(JSON.parse(JSON.stringify(expected)));
  expect(info.version).toMatch(/^\d+\.\d+\.\d+/);
  expect((await gateway.ask("/api/openapi.json", { signedIn: false })).status).toBe(401);
});

test("every operation has an example here, and every example an operation", () => {
  expect(Object.keys(EXAMPLES).sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
});

test("every name of an operation is used once, and every parameter of a path is declared", () => {
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
  for (const { path, name, operation } of OPERATIONS) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    const declared = operation.parameters.filter((each) => each.in === "path");
    expect(
      declared.map((each) => each.name),
      name,
    ).toEqual(inPath);
    expect(
      declared.every(({ required }) => required),
      name,
    ).toBe(true);
  }
});

test("every reference leads to a component, every component is used, and every way of signing in is told", () => {
  const references = [...JSON.stringify(DOCUMENT).matchAll(/"\$ref":"([^"]+)"/g)].map(([, target = ""]) => target);
  const targets = Object.keys(DOCUMENT.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect([...new Set(references)].sort()).toEqual(targets.sort());
  for (const security of DOCUMENT.security)
    for (const scheme of Object.keys(security)) expect(DOCUMENT.components.securitySchemes).toHaveProperty(scheme);
});

test("a query is told as what it means: numbers, lists and their bounds, not the texts of an address", () => {
  const query = (name: string, parameter: string) =>
    OPERATIONS.find((each) => each.name === name)?.operation.parameters.find((each) => each.name === parameter);
  expect(query("getTasks", "limit")?.schema).toEqual({ type: "integer", minimum: 1, maximum: 500, default: 50 });
  expect(query("getTriggersUpcoming", "interval")?.schema).toMatchObject({ type: "integer", minimum: 10 });
  expect(query("getHistorySearch", "roles")).toMatchObject({ explode: false, schema: { type: "array" } });
  expect(query("getAudit", "after")?.schema).toEqual({ type: "string" });
});

test("a condition is told to its depth, and what is no condition is none", () => {
  const condition = checkerOf({ $ref: "#/components/schemas/Condition" });
  const leaf = { type: "file_exists", params: { path: "a" } };
  const either = (inner: object) => ({ type: "or", conditions: [{ type: "not", condition: inner }, leaf] });
  expect(condition.safeParse(either(either(leaf))).success).toBe(true);
  expect(condition.safeParse(either(either({ ...leaf, surprise: 1 }))).success).toBe(false);
});

test.each(OPERATIONS)("$name answers a good request as it is documented", async (documented) => {
  const at = await world();
  if (documented.name === "postConversationRetry") await settleAll(at);
  const answer = await send(at, documented, await exampleOf(at, documented));
  const { responses } = documented.operation;
  const [good] = Object.keys(responses).filter((status) => status.startsWith("2"));
  expect(answer.status, answer.text).toBe(Number(good));
  const content = responses[answer.status]?.content;
  if (content === undefined) return expect(answer.text).toBe("");
  const type = answer.headers["content-type"] ?? "";
  const documentedType = Object.keys(content).find((each) => type === each || type.startsWith(`${each};`));
  expect(documentedType, type).toBeDefined();
  const { schema } = content[documentedType ?? ""] ?? {};
  if (schema !== undefined) assertShape(answer, schema, documented.name);
  // A list that is empty would tell nothing of what is in it.
  for (const [field, value] of Object.entries(answer.json ?? {}))
    if (!EMPTY_HERE.includes(`${documented.name}.${field}`)) expect(value, field).not.toEqual([]);
});

const GUARDED = OPERATIONS.filter(({ operation }) => operation.security === undefined);
test("only these need no credential", () => {
  const open = OPERATIONS.filter((each) => !GUARDED.includes(each)).map(({ name }) => name);
  expect(open).toEqual(["getLivez", "getReadyz", "getHealthz", "postPair", "postPushAnswer"]);
});

test("without a credential every other route is 401, and nothing is done", async () => {
  const at = await world();
  const before = at.gateway.names("inbox");
  for (const each of GUARDED) {
    const example = await exampleOf(at, each);
    assertRefused(await send(at, each, example, { signedIn: false }), 401, each, each.name);
  }
  expect(at.gateway.names("inbox")).toEqual(before);
});

/** A text that is none of what a parameter may be; null where every text is one. */
function badTextFor({ schema }: Parameter, { components }: ApiDocument): string | null {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  const { type, enum: choice, pattern } = components.schemas[name ?? ""] ?? schema;
  return type === "string" && choice === undefined && pattern === undefined ? null : "§";
}

test("every bad request is refused as it is documented, and nothing is done", async () => {
  const at = await world();
  const before = at.gateway.names("inbox");
  for (const each of OPERATIONS) await assertDistrustful(at, each);
  expect(at.gateway.names("inbox")).toEqual(before);
});

/** Any mistake in a request of this operation is refused. */
/** Only what the user says may be longer than the rest. */
function bodyBytesMaxOf({ operation }: Documented): number {
  const isSaid = [
    "postInput",
    "postSteer",
    "postTasksByIdSteer",
    "postTasksByIdAgain",
    "postConversationRetry",
  ].includes(operation.operationId);
  return isSaid ? MESSAGE_BODY_BYTES_MAX : BODY_BYTES_MAX;
}

async function assertDistrustful(at: World, documented: Documented): Promise<void> {
  const { operation } = documented;
  const example = await exampleOf(at, documented);
  const refuses = async (status: number, changed: Example, about: string, more: Ask = {}) =>
    assertRefused(await send(at, documented, changed, more), status, documented, `${documented.name}, ${about}`);

  if (example.id !== undefined) await refuses(400, { ...example, id: "NO ID!" }, "no id");
  const query = operation.parameters.filter((each) => each.in === "query");
  if (query.length > 0) await refuses(400, { ...example, query: `${example.query}&surprise=1` }, "an unknown field");
  for (const parameter of query) {
    const { name, required } = parameter;
    const bad = badTextFor(parameter, DOCUMENT);
    const others = new URLSearchParams(example.query);
    others.delete(name);
    if (required) await refuses(400, { ...example, query: `${others}` }, `without ${name}`);
    if (bad === null) continue;
    others.set(name, bad);
    await refuses(400, { ...example, query: `${others}` }, `${name} is ${bad}`);
  }
  if (operation.parameters.some((each) => each.name === "Idempotency-Key")) {
    await refuses(400, example, "a key that is too long", { headers: { "Idempotency-Key": "k".repeat(256) } });
  }
  if (example.body !== undefined) {
    await refuses(400, { ...example, body: { ...example.body, surprise: 1 } }, "an unknown field");
    await refuses(400, { ...example, body: [] }, "a list");
    await refuses(400, example, "no JSON", { body: "{" });
    await refuses(415, example, "a text", { headers: { "Content-Type": "text/plain" } });
    await refuses(413, example, "a long body", { body: `"${"x".repeat(bodyBytesMaxOf(documented))}"` });
    for (const field of Object.keys(example.body)) {
      const body = { ...example.body, [field]: { no: "such thing" } };
      await refuses(400, { ...example, body }, `${field} is something else`);
    }
  }
  if (example.bytes !== undefined) {
    await refuses(400, { bytes: Buffer.alloc(0) }, "no bytes");
    await refuses(415, example, "a form", { headers: { "Content-Type": "multipart/form-data; boundary=x" } });
  }
}

test("what is not there is 404, as it is documented", async () => {
  const at = await world();
  const named = OPERATIONS.filter(({ path }) => path.includes("{id}"));
  for (const each of named) {
    const example = await exampleOf(at, each);
    const id = each.path.includes("attachments") ? "0".repeat(64) : "nobody-knows-it";
    assertRefused(await send(at, each, { ...example, id }), 404, each, each.name);
  }
  const stranger = await at.gateway.ask("/api/surprise");
  expect(stranger.status).toBe(404);
});

test("every other method of every path is 405, and Allow says which there are", async () => {
  const gateway = await startGateway();
  for (const [path, known] of Object.entries(DOCUMENT.paths)) {
    const allowed = METHODS.filter((method) => method in known).map((method) => method.toUpperCase());
    const heads = allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    for (const method of METHODS.filter((each) => !(each in known))) {
      const answer = await gateway.ask(path.replace("{id}", LIVED_IN.ended), { method: method.toUpperCase() });
      expect(answer.status, `${method} ${path}`).toBe(405);
      expect(answer.headers.allow?.split(", ").sort(), `${method} ${path}`).toEqual(heads.sort());
      assertShape(answer, { $ref: "#/components/schemas/ApiError" }, `${method} ${path}`);
    }
  }
});
