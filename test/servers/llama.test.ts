/**
 * The server of llama.cpp with a small real model: its template, its stream, its window and its refusals. The model's words
 * are poor, and not looked at.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { startUnconnected } from "../support/connected.ts";
import { Instance } from "../support/instance.ts";
import { find, Server } from "./programs.ts";

const python = find("llama");
const MODEL = "smollm2";
/** Tokens: enough for a prompt of the Teller, and an end for a model that knows none. */
const WINDOW = 2_560;
/** A white pixel. */
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
/** A slow machine says two words a second. */
const TEST_MS_MAX = 600_000;

/** The GGUF file in the package of the model. */
function modelFile(): string {
  const packages = join(python ?? "", "../../lib");
  const path = readdirSync(packages, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".gguf"));
  if (path === undefined) throw new Error("the package holds no model");
  return join(packages, path);
}

/** One thread: several wait for each other by turning in circles, which on a busy machine takes ten times as long. */
function startServer(window: number, ...more: string[]): Promise<Server> {
  const args = [
    "--model",
    modelFile(),
    "--model_alias",
    MODEL,
    "--n_ctx",
    String(window),
    "--n_threads",
    "1",
    "--n_threads_batch",
    "1",
  ];
  return Server.start("/v1/models", (port) => [
    python ?? "",
    ...["-m", "llama_cpp.server", "--host", "127.0.0.1", "--port", String(port), ...args, ...more],
  ]);
}

const settingsOf = ({ url }: Server): Record<string, string> => ({
  MIMIKIT_PROVIDER: "llamacpp",
  MIMIKIT_LLAMACPP_BASE_URL: `${url}/v1`,
  MIMIKIT_LLAMACPP_MODEL: MODEL,
  MIMIKIT_TIMEOUT_SEC_TELLER: String(TEST_MS_MAX / 1_000),
});

describe.skipIf(python === undefined)("llama.cpp", () => {
  let server: Server;
  let mimikit: Instance;

  beforeAll(async () => {
    server = await startServer(WINDOW);
    mimikit = await Instance.start({
      env: settingsOf(server),
    });
  }, TEST_MS_MAX);
  afterAll(async () => {
    await mimikit?.dispose();
    await server?.dispose();
  });

  test(
    "is connected by name, with the only model of its list; what it does not tell stays unknown",
    async () => {
      const unconnected = await startUnconnected({ roles: [] });
      try {
        const said = await runCli(unconnected, ["connect", "llamacpp", "--url", `${server.url}/v1`, "--json"]);
        expect(JSON.parse(said.out)).toMatchObject({
          saved: true,
          // Its template knows no tools, and leaves them out without a word.
          answer: { model: MODEL, toolCalls: null, contextWindow: null },
        });
      } finally {
        await unconnected.dispose();
      }
    },
    TEST_MS_MAX,
  );

  test(
    "a turn streams, and ends in a reply whose tokens are counted, although the server counts none",
    async () => {
      const client = new OpenAI({
        baseURL: `http://127.0.0.1:${mimikit.port}/v1`,
        apiKey: mimikit.token,
        maxRetries: 0,
        timeout: TEST_MS_MAX,
      });
      const stream = await client.chat.completions.create({
        model: "mimikit",
        messages: [{ role: "user", content: "Say hello, please." }],
        stream: true,
      });
      const pieces: string[] = [];
      for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? "");
      const [reply] = await mimikit.replies();
      expect(pieces.filter((piece) => piece !== "").length).toBeGreaterThan(1);
      expect(reply?.text).toBe(pieces.join(""));
      expect(reply?.problem).toBeUndefined();
      expect(reply?.usage?.inputTokens).toBeGreaterThan(1_000);
      expect(reply?.usage?.outputTokens).toBeGreaterThan(0);
    },
    TEST_MS_MAX,
  );

  describe("with a window that no prompt of ours fits into", () => {
    let small: Server;
    let other: Instance;

    beforeAll(async () => {
      small = await startServer(512);
      other = await Instance.start({ env: { ...settingsOf(small), MIMIKIT_OPENAI_VISION: "true" } });
    }, TEST_MS_MAX);
    afterAll(async () => {
      await other?.dispose();
      await small?.dispose();
    });

    test("the reply says that it is too small", async () => {
      const { problem, text } = await other.replyTo(await other.send("Say hello."));
      expect(problem).toMatchObject({ cause: "window", provider: "llamacpp" });
      expect(text).toContain("context window");
    });

    test("a picture for a template that takes only text ends in a reply that names the server's error", async () => {
      const path = join(other.workDir, "pixel.png");
      writeFileSync(path, Buffer.from(PICTURE, "base64"));
      const { answer } = JSON.parse((await runCli(other, ["ask", "--json", "--attach", path, "What is this?"])).out);
      expect(answer).toMatch(/HTTP 500: can only concatenate str/);
    });
  });

  test(
    "with a format for tools the test calls one, or says that none was called",
    async () => {
      const other = await startServer(WINDOW, "--chat_format", "chatml-function-calling");
      const unconnected = await startUnconnected({ roles: [] });
      try {
        const said = await runCli(unconnected, ["connect", "llamacpp", "--url", `${other.url}/v1`, "--json"]);
        const { answer } = JSON.parse(said.out);
        expect(answer).toMatchObject({ model: MODEL });
        expect([true, null]).toContain(answer.toolCalls);
      } finally {
        await unconnected.dispose();
        await other.dispose();
      }
    },
    TEST_MS_MAX,
  );
});
