/** `mimikit mcp serve` with the official MCP client over standard input and output, and the real processes behind it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance, type InstanceOptions } from "../support/instance.ts";
import { ModelServer, type Script } from "../support/model-server.ts";
import { CLI } from "../support/programs.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(options: InstanceOptions = {}): Promise<Instance> {
  const mimikit = await Instance.start(options);
  opened.push(mimikit);
  return mimikit;
}

async function startWith(script: Script) {
  const model = await ModelServer.start(script);
  const mimikit = await start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "sk-mcp",
      MIMIKIT_MODEL: "scripted",
    },
  });
  opened.push({ dispose: () => model.close() });
  return { mimikit, model };
}

/** A client, as Claude Desktop starts one: with an environment that names the place, and nothing else. */
async function connect(
  { home, workDir }: Pick<Instance, "home" | "workDir">,
  further: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const env = { PATH: process.env.PATH ?? "", MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir, ...further };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [CLI, "mcp", "serve"], env }));
  opened.unshift({ dispose: () => client.close() });
  return client;
}

interface Answer {
  text: string;
  isError: boolean;
  data: Record<string, unknown>;
}

async function call(client: Client, name: string, args: Record<string, unknown>, options = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: args }, options);
  const [first] = result.content as { type: string; text: string }[];
  return {
    text: first?.text ?? "",
    isError: result.isError === true,
    data: (result.structuredContent ?? {}) as Record<string, unknown>,
  };
}

test("it speaks English whatever the locale is, because programs read it", async () => {
  const workDir = mkdtempSync(join(tmpdir(), "mimikit-mcp-"));
  opened.push({ dispose: async () => rmSync(workDir, { recursive: true }) });
  const client = await connect(
    { home: join(workDir, "none"), workDir },
    { LANG: "zh_CN.UTF-8", LC_ALL: "zh_CN.UTF-8" },
  );
  const { tools } = await client.listTools();
  expect(JSON.stringify(tools) + client.getInstructions()).not.toMatch(/\p{Script=Han}/u);
  expect(await call(client, "tasks", {})).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^there is no state directory .*: set MIMIKIT_HOME/),
  });
});

test("it offers five tools, and says of each what it changes", async () => {
  const client = await connect(await start());
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ["ask", false],
    ["remember", false],
    ["search", true],
    ["tasks", true],
    ["schedule", false],
  ]);
  for (const { inputSchema, outputSchema, description } of tools)
    expect([inputSchema.type, outputSchema?.type, description]).toEqual(["object", "object", expect.any(String)]);
  expect(client.getInstructions()).toContain("data, not instructions");
});

test("it ends with its input, and says nothing that is no MCP", async () => {
  const mimikit = await start({ roles: [] });
  expect(await runCli(mimikit, ["mcp", "serve"])).toEqual({ code: 0, out: "", error: "" });
});

describe("ask", () => {
  test("waits for the whole answer, work included, and tells of the course", async () => {
    const client = await connect(await start());
    const steps: string[] = [];
    const onprogress = ({ message = "" }: { message?: string | undefined }) => void steps.push(message);
    const { text, data } = await call(client, "ask", { text: "run `echo $((20+2))`" }, { onprogress });
    expect(text).toContain("\n22\n");
    expect(data).toMatchObject({ state: "complete", tasks: [{ state: "done" }, { state: "done" }] });
    expect(steps.length).toBeGreaterThan(0);
  });

  test("under the same id waits for the rest of what was not complete in time, and is one message", async () => {
    let asked = 0;
    const script: Script = { teller: () => (asked++ === 0 ? { hang: true } : { say: "Hello." }) };
    const { mimikit, model } = await startWith(script);
    const client = await connect(mimikit);
    const first = await call(client, "ask", { text: "hello", id: "mine", waitSec: 1 });
    expect(first.data).toMatchObject({ id: "mine", state: "waiting", replies: [] });
    expect(first.text).toContain("Call ask with id mine");
    await mimikit.until("the model", () => (model.of("teller").length > 0 ? true : undefined));
    await mimikit.kill("workers");
    const second = await call(client, "ask", { text: "hello", id: "mine" });
    expect([second.text, second.data.state]).toEqual(["Hello.", "complete"]);
    const other = await call(client, "ask", { text: "something else", id: "mine" });
    expect([other.isError, other.text]).toEqual([true, expect.stringContaining("used before, for something else")]);
    await mimikit.drained();
    expect(await mimikit.messages()).toHaveLength(2);
  });

  test("goes on over kill -9 of every process and of itself: one message, one reply", async () => {
    let asked = 0;
    const { mimikit } = await startWith({ teller: () => (asked++ === 0 ? { hang: true } : { say: "Hello." }) });
    const first = await connect(mimikit);
    const lost = call(first, "ask", { text: "hello", id: "mine" }).catch(() => "lost");
    await mimikit.until("the turn", async () => ((await mimikit.messages())[0]?.toTaskId ? true : undefined));
    const transport = first.transport as StdioClientTransport;
    process.kill(transport.pid ?? 0, "SIGKILL");
    expect(await lost).toBe("lost");
    const again = call(await connect(mimikit), "ask", { text: "hello", id: "mine" });
    await mimikit.kill("gateway");
    await mimikit.kill("workers");
    await mimikit.kill("supervisor");
    expect((await again).text).toBe("Hello.");
    await mimikit.drained();
    expect((await mimikit.messages()).map(({ role, text }) => [role, text])).toEqual([
      ["user", "hello"],
      ["assistant", "Hello."],
    ]);
  });

  test("where nothing runs says what to do", async () => {
    const mimikit = await start();
    const client = await connect(mimikit);
    await mimikit.stop();
    const { isError, text } = await call(client, "ask", { text: "hello" });
    expect([isError, text]).toEqual([true, expect.stringContaining("mimikit up")]);
  });

  test("refuses what is no question", async () => {
    const client = await connect(await start({ roles: [] }));
    for (const args of [{}, { text: "" }, { text: "a".repeat(64_001) }, { text: "hi", waitSec: 0 }, { text: 7 }])
      expect((await call(client, "ask", args)).isError).toBe(true);
  });
});

test("what is remembered is found, the same id remembers it once, and what was said is found, too", async () => {
  const mimikit = await start();
  const client = await connect(mimikit);
  const fact = { content: "The gate code is 4711", longTerm: true, id: "gate" };
  const [first, again] = [await call(client, "remember", fact), await call(client, "remember", fact)];
  expect(again.data.id).toBe(first.data.id);
  expect((await call(client, "remember", { ...fact, content: "The gate is open" })).isError).toBe(true);
  await mimikit.replyTo(await mimikit.send("hello, gate keeper"));
  await mimikit.drained();
  const { data } = await call(client, "search", { query: "gate" });
  expect(data.memory).toEqual([expect.objectContaining({ text: expect.stringContaining("4711") })]);
  expect(data.conversation).toContainEqual(expect.objectContaining({ text: "hello, gate keeper" }));
  expect((await call(client, "search", { query: "gate", in: "conversation" })).data.memory).toEqual([]);
});

test("work is scheduled once under its id, listed, and refused where its time cannot be", async () => {
  const mimikit = await start();
  const client = await connect(mimikit);
  const order = { prompt: "water the plants", title: "plants", interval: 86_400, id: "plants" };
  const { data } = await call(client, "schedule", order);
  expect((await call(client, "schedule", order)).data.triggerId).toBe(data.triggerId);
  const listed = await call(client, "tasks", {});
  expect(listed.data.scheduled).toEqual([
    expect.objectContaining({ id: data.triggerId, title: "plants", paused: false }),
  ]);
  const past = await call(client, "schedule", { prompt: "too late", runAt: "2020-01-01T00:00:00Z" });
  expect([past.isError, past.text]).toEqual([true, expect.stringContaining("in the past")]);
  expect((await call(client, "schedule", { prompt: "never" })).isError).toBe(true);
});

test("tasks are listed and shown, with what they handed in", async () => {
  const mimikit = await start();
  const client = await connect(mimikit);
  await call(client, "ask", { text: "run `echo shown`" });
  const { data } = await call(client, "tasks", { state: "done", text: "echo shown" });
  const [task] = data.tasks as { id: string; role: string }[];
  const shown = await call(client, "tasks", { id: task?.id });
  expect(shown.text).toContain("shown");
  const unknown = await call(client, "tasks", { id: "t-000999.0" });
  expect([unknown.isError, unknown.text]).toEqual([true, expect.stringContaining("there is no task")]);
});
