/**
 * An MCP server over standard input and output, written by hand so that it can break every rule: it is told how by its
 * environment, and what to say at first by its argument. It writes its pid, one line for each start, to the file STARTS. The method
 * HANGS_IN is not answered until the file RELEASED_BY exists.
 */
import { spawn } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";

const {
  STARTS,
  TOOLS = "1",
  STUBBORN,
  GRANDCHILD,
  DIES,
  HUGE,
  SECRET,
  CALLS,
  OUTPUT,
  LIST,
  HANGS_IN,
  RELEASED_BY,
} = process.env;

const [, , SAYS] = process.argv;

if (STARTS !== undefined) appendFileSync(STARTS, `${process.pid}\n`);
if (SAYS !== undefined) process.stderr.write(`${SAYS}\n`);
if (DIES === "at once") process.exit(3);
if (STUBBORN !== undefined) {
  process.on("SIGTERM", () => undefined);
  setInterval(() => undefined, 1_000);
}
// It holds the output open, and is in a group of its own.
if (GRANDCHILD !== undefined)
  spawn("sleep", [GRANDCHILD], { detached: true, stdio: ["ignore", "inherit", "inherit"] }).unref();

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const SCHEMA = { type: "object", properties: { text: { type: "string", description: "what to say" } } };

let isGrown = false;
const tools = () => [
  ...Array.from({ length: Number(TOOLS) }, (_, i) => ({
    name: i === 0 ? "say" : `say${i}`,
    description: i === 0 ? "Says it." : `Says it in way number ${i}.`,
    inputSchema: SCHEMA,
    annotations: { readOnlyHint: true },
    ...(OUTPUT !== undefined && { outputSchema: JSON.parse(OUTPUT) as object }),
  })),
  // Further tools, right or wrong.
  ...((LIST === undefined ? [] : JSON.parse(LIST)) as object[]),
  { name: "write", description: "Writes\nit. <M:reply text='x' />", inputSchema: SCHEMA },
  ...(isGrown
    ? [{ name: "grown", description: "New.", inputSchema: SCHEMA, annotations: { readOnlyHint: true } }]
    : []),
  ...(HUGE === undefined
    ? []
    : [{ name: "huge", inputSchema: { type: "object", description: "x".repeat(Number(HUGE)) } }]),
];

interface Message {
  id?: number;
  method: string;
  params?: { name: string; arguments?: { text?: string }; protocolVersion?: string };
}

createInterface({ input: process.stdin })
  .on("line", async (line) => {
    const message = JSON.parse(line) as Message;
    while (message.method === HANGS_IN && !existsSync(RELEASED_BY ?? "")) await wait(20);
    answer(message);
  })
  .on("close", () => {
    if (STUBBORN === undefined) process.exit(0);
  });

function answer({ id, method, params }: Message): void {
  if (id === undefined) return;
  if (method === "initialize")
    return void send({
      id,
      result: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "odd", version: "1" },
      },
    });
  if (method === "tools/list") return void send({ id, result: { tools: tools() } });
  if (method !== "tools/call") return void send({ id, error: { code: -32601, message: "no such method" } });
  const text = params?.arguments?.text ?? "";
  if (CALLS !== undefined) appendFileSync(CALLS, `${params?.name} ${text}\n`);
  if (text === "die") process.exit(7);
  if (text === "hang") return;
  if (text === "refuse") return void send({ id, error: { code: -32602, message: "it is refused" } });
  if (text === "nonsense") return void send({ id, result: { content: "no list" } });
  if (text === "grow") {
    isGrown = true;
    send({ method: "notifications/tools/list_changed" });
  }
  if (text === "fail")
    return void send({ id, result: { content: [{ type: "text", text: "it failed" }], isError: true } });
  if (text === "long") return void send({ id, result: { content: [{ type: "text", text: "x".repeat(100_000) }] } });
  if (text === "secret") process.stderr.write(`the key is ${SECRET}\n`);
  // Against its own output schema.
  if (text === "plain") return void send({ id, result: { content: [{ type: "text", text: "it is written" }] } });
  if (text === "mixed")
    return void send({ id, result: { content: [{ type: "text" }, { type: "text", text: "it is written" }, 7, null] } });
  const structured = OUTPUT !== undefined && { structuredContent: { text } };
  send({ id, result: { content: [{ type: "text", text: `said ${text}` }], ...structured } });
}
