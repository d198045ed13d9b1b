/** LiteLLM's proxy between Mimikit and three vendors' wires: its own translation, streams and errors are met. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { startUnconnected } from "../support/connected.ts";
import { Instance } from "../support/instance.ts";
import { describeMainJob } from "../support/main-job.ts";
import { type Answer, type Fault, ModelServer, type Step } from "../support/model-server.ts";
import { find, Server } from "./programs.ts";

const program = find("litellm", "litellm");
/** LiteLLM shows it to the vendors; the main job looks for this word in the headers behind another's server. */
const VENDOR_KEY = "REDACTED";
const KEY = "sk-of-the-proxy";
const START_MS_MAX = 300_000;
/** A white pixel. */
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

interface Vendor {
  wire: string;
  /** The model's name for LiteLLM, which takes its window from its own tables. */
  model: string;
  window: number;
  address(): Record<string, string>;
  /** The refusals of the vendor, by the cause that the user is told. */
  refusals: Record<string, { status: number; body: unknown }>;
}

const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } });
const googleError = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, message, status, details },
});

const VENDORS: Record<string, Vendor> = {
  claude: {
    wire: "anthropic-messages",
    model: "anthropic/claude-sonnet-4-5",
    window: 200_000,
    address: () => ({ api_base: vendor.url, api_key: VENDOR_KEY }),
    // "Errors" in Anthropic's API reference; the words for credit and length are in anthropics/claude-code#1479 and #3003.
    refusals: {
      key: { status: 401, body: anthropicError("authentication_error", "invalid x-api-key") },
      credit: {
        status: 400,
        body: anthropicError("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
      },
      model: { status: 404, body: anthropicError("not_found_error", "model: claude-x") },
      window: {
        status: 400,
        body: anthropicError("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      },
    },
  },
  gemini: {
    wire: "gemini",
    model: "gemini/gemini-2.5-flash",
    window: 1_048_576,
    address: () => ({ api_base: `${vendor.url}/v1beta`, api_key: VENDOR_KEY }),
    // "Troubleshooting guide" of the Gemini API.
    refusals: {
      key: {
        status: 400,
        body: googleError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
          { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" },
        ]),
      },
      model: {
        status: 404,
        body: googleError(404, "NOT_FOUND", "models/gemini-x is not found for API version v1beta."),
      },
      window: {
        status: 400,
        body: googleError(
          400,
          "INVALID_ARGUMENT",
          "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
      },
    },
  },
  bedrock: {
    wire: "bedrock",
    model: "bedrock/converse/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    window: 200_000,
    address: () => ({
      aws_bedrock_runtime_endpoint: vendor.url,
      aws_access_key_id: VENDOR_KEY,
      aws_secret_access_key: VENDOR_KEY,
      aws_region_name: "us-east-1",
    }),
    // "Troubleshooting Amazon Bedrock API error codes".
    refusals: {
      key: { status: 403, body: { message: "The security token included in the request is invalid." } },
      model: { status: 400, body: { message: "The provided model identifier is invalid." } },
      window: { status: 400, body: { message: "Input is too long for requested model." } },
    },
  },
};

let vendor: ModelServer;
let proxy: Server;

/** JSON is YAML. */
const configuration = () =>
  JSON.stringify({
    model_list: Object.entries(VENDORS).map(([name, { model, address }]) => ({
      model_name: name,
      litellm_params: { model, ...address() },
    })),
    // A failure must not take the model out of the list for the next test.
    router_settings: { num_retries: 0, disable_cooldowns: true },
    general_settings: { master_key: KEY },
  });

const settings = (model: string): Record<string, string> => ({
  MIMIKIT_PROVIDER: "openai",
  OPENAI_BASE_URL: `${proxy.url}/v1`,
  OPENAI_API_KEY: KEY,
  MIMIKIT_MODEL: model,
});

describe.skipIf(program === undefined)("LiteLLM", () => {
  const directory = mkdtempSync(join(tmpdir(), "mimikit-litellm-"));

  beforeAll(async () => {
    vendor = await ModelServer.start();
    const path = join(directory, "config.yaml");
    writeFileSync(path, configuration());
    proxy = await Server.start(
      "/health/liveliness",
      (port) => [
        program ?? "",
        "--config",
        path,
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        "--telemetry",
        "False",
      ],
      // Its tables come from its package, not from the network.
      { LITELLM_LOCAL_MODEL_COST_MAP: "True" },
    );
  }, START_MS_MAX);
  afterAll(async () => {
    await proxy?.dispose();
    await vendor?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  describe.each(Object.keys(VENDORS))("before %s", (name) => {
    const { wire, window, refusals } = VENDORS[name] as Vendor;
    let mimikit: Instance;
    beforeAll(async () => {
      mimikit = await Instance.start({
        env: { ...settings(name), MIMIKIT_OPENAI_VISION: "true", MIMIKIT_EFFORT: "low" },
      });
    });
    afterAll(() => mimikit?.dispose());
    beforeEach(() => {
      vendor.requests.splice(0);
      vendor.unknown.splice(0);
    });

    const ask = async (text: string) => mimikit.replyTo(await mimikit.send(text));
    /** Says these, one after the other; the last stays. */
    const script = (...steps: Step[]) => {
      vendor.script = { teller: steps };
    };
    const look = (query: string): Answer => ({ calls: [{ name: "query_history", args: { query } }] });

    describeMainJob({
      provider: "openai",
      settings: () => settings(name),
      server: {
        name: `LiteLLM before ${wire}`,
        start: async (script) => {
          vendor.script = script;
          return Object.assign(Object.create(vendor) as ModelServer, { close: async () => {} });
        },
      },
    });

    test("is connected by its address: the test calls a tool, and tells the window that LiteLLM knows", async () => {
      const unconnected = await startUnconnected({ roles: [] });
      try {
        const words = ["connect", "openai", "--url", `${proxy.url}/v1`, "--model", name, "--key-stdin", "--json"];
        const said = await runCli(unconnected, words, `${KEY}\n`);
        expect(JSON.parse(said.out)).toMatchObject({ saved: true, answer: { toolCalls: true, contextWindow: window } });
      } finally {
        await unconnected.dispose();
      }
    });

    test("an answer streams, and its usage counts once", async () => {
      script({ say: "Hello through the proxy." });
      expect(await ask("Hello?")).toMatchObject({
        text: "Hello through the proxy.",
        usage: { inputTokens: 100, cachedTokens: 60, outputTokens: 7 },
      });
      expect(vendor.requests.map((request) => request.wire)).toEqual([wire]);
    });

    test("an effort becomes thinking, thoughts before a call go back signed, and calls made at once are all answered", async () => {
      script(
        { think: "Let me look.", ...look("first") },
        { calls: [...(look("second").calls ?? []), ...(look("third").calls ?? [])] },
        { say: "Looked." },
      );
      expect(await ask("Look it up.")).toMatchObject({ text: "Looked." });
      expect(vendor.unknown).toEqual([]);
      expect(vendor.requests.at(-1)?.results).toHaveLength(3);
      // `thinking` of Anthropic, also behind Bedrock; `thinkingConfig` of Gemini.
      for (const { body } of vendor.requests) expect(JSON.stringify(body)).toMatch(/"thinking(Config)?":\{/);
      expect(JSON.stringify(vendor.requests[1]?.body)).toContain(Buffer.from("sealed").toString("base64").slice(0, 8));
    });

    test("at the limit of calls the last answer is asked for, and comes", async () => {
      let calls = 0;
      vendor.script = {
        teller: ({ messages }) =>
          messages.at(-1)?.role === "user" && calls > 0 ? { say: "That is all." } : look(`try ${++calls}`),
      };
      expect(await ask("Look for ever.")).toMatchObject({ text: "That is all." });
      expect(vendor.unknown).toEqual([]);
      expect(calls).toBeGreaterThan(1);
    });

    test("a picture arrives whole", async () => {
      script({ say: "A white pixel." });
      const path = join(directory, `${name}.png`);
      writeFileSync(path, Buffer.from(PICTURE, "base64"));
      const said = await runCli(mimikit, ["ask", "--json", "--attach", path, "What is this?"]);
      expect(JSON.parse(said.out)).toMatchObject({ answer: "A white pixel." });
      expect(vendor.requests[0]?.media).toEqual([{ type: "image/png", data: PICTURE }]);
    });

    const faults: [string, Fault][] = [
      ["a limit of requests, with the time to wait", { status: 429, headers: { "retry-after": "1" } }],
      ["a vendor out of order", { status: 503 }],
      ["a stream that breaks off", { cut: "Half of" }],
    ];
    test.each(faults)("%s: it is asked again, and the reply is whole", async (_, fault) => {
      script(fault, { say: "The whole reply." });
      expect(await ask("Again?")).toMatchObject({ text: "The whole reply." });
      expect(vendor.requests).toHaveLength(2);
    });

    test.each(Object.entries(refusals))("a refusal for its %s keeps its meaning", async (cause, refusal) => {
      script(refusal);
      const { problem, text } = await ask(`What is wrong with the ${cause}?`);
      expect(problem).toMatchObject({ cause });
      expect(text).not.toContain(KEY);
    });

    test("an answer that the vendor withheld is reported as such", async () => {
      script({ say: "Half of", finish: "filter" });
      const { text } = await ask("Something bad.");
      expect(text).toMatch(/withheld|filter|refus/i);
      expect(vendor.requests).toHaveLength(1);
    });
  });
});
