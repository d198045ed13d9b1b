/** Files that users send, with the real programs: codex is given the pictures, and both can read what they are told of. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

import { type AttachmentEvidence, copyEvidence } from "@mimikit/agent/prompt/evidence";
import type { Provider } from "@mimikit/agent/provider";
import { Config } from "@mimikit/runtime/config/config";
import { runPath } from "@mimikit/store/disk/state";
import { describe, expect, onTestFinished, test } from "vitest";
import { createClaude } from "../../packages/agent/src/providers/claude/index.ts";
import { claudeSettingsOf } from "../../packages/agent/src/providers/claude/settings.ts";
import { createCodex } from "../../packages/agent/src/providers/codex/index.ts";
import { codexSettingsOf } from "../../packages/agent/src/providers/codex/settings.ts";
import { messageOf, run, taskOf, temporaryDirectory, turnOf } from "../agent/fixtures.ts";
import { findAgent } from "../support/agents.ts";
import { ModelServer, type Script } from "../support/model-server.ts";

/** A picture that every program can open: 2 by 2 pixels, all of them grey. */
const PNG = png();

/** It begins as a picture does, and is none. */
const BROKEN = Buffer.from("\x89PNG\r\n\x1a\n no pixels", "latin1");

const codex = findAgent("codex");
const claude = findAgent("claude");

async function serve(script: Script): Promise<ModelServer> {
  const model = await ModelServer.start(script);
  onTestFinished(() => model.close());
  return model;
}

/** A workspace with its state directory inside, where a picture is stored under its hash, without an ending. */
function place(bytes = PNG) {
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  for (const dir of ["sessions", "runs", "attachments"]) mkdirSync(join(home, dir), { recursive: true });
  writeFileSync(join(home, "token"), "state-canary");
  const id = "a".repeat(64);
  const path = join(home, "attachments", id);
  writeFileSync(path, bytes);
  const evidence: AttachmentEvidence = {
    messageId: "m-1",
    path,
    file: { id, type: "image/png", bytes: bytes.length, name: "shot.png" },
  };
  return { workDir, home, evidence };
}

/** As the pool lays it out for a Worker. */
async function laidOut(home: string, evidence: AttachmentEvidence, taskId: string): Promise<AttachmentEvidence[]> {
  const runDir = join(home, runPath(taskId, 1));
  mkdirSync(runDir, { recursive: true });
  return copyEvidence([evidence], runDir);
}

const question = turnOf({ messages: [messageOf("What is in the picture?")] });
const work = taskOf({ id: "t-000001.0.0", role: "worker", prompt: "describe the picture" });

type ProviderOf = (model: ModelServer, role: "teller" | "worker", home: string) => Provider;

/** Promises of every program that is given pictures. */
function showsPictures(providerOf: ProviderOf): void {
  test("shows its model the picture that the user sent", async () => {
    const model = await serve({ teller: [{ say: "It is grey." }] });
    const { evidence, ...at } = place();
    const provider = providerOf(model, "teller", at.home);
    const ran = await run(question, { ...at, provider, context: { evidence: [evidence] } });
    expect(ran).toMatchObject({ status: "done" });
    expect(model.requests[0]?.media).toEqual([{ type: "image/png", data: PNG.toString("base64") }]);
    expect(model.requests[0]?.prompt).toContain('shown: "picture 1"');
  });

  test("answers about a picture that nobody can open", async () => {
    const model = await serve({ teller: [{ say: "It is broken." }] });
    const { evidence, ...at } = place(BROKEN);
    const provider = providerOf(model, "teller", at.home);
    const ran = await run(question, { ...at, provider, context: { evidence: [evidence] } });
    expect(ran).toMatchObject({ status: "done", effects: [{ type: "reply", text: "It is broken." }] });
  });
}

describe.skipIf("missing" in codex)("the real codex", () => {
  const codexOf: ProviderOf = (model, role, home) => {
    const env = { MIMIKIT_CODEX_BIN: "bin" in codex ? codex.bin : "", OPENAI_API_KEY: "sk-canary" };
    const config = Config.parse({ model: "gpt-5", codex: { baseUrl: model.baseUrl } });
    return createCodex(codexSettingsOf(role, config, { home, env, keys: {} }));
  };

  showsPictures(codexOf);

  test("lets a Worker's commands read the file, and nothing beside it", async () => {
    const { evidence, ...at } = place();
    const [copy] = await laidOut(at.home, evidence, work.id);
    const command = `wc -c < '${copy?.path}'; cat ${at.home}/token || echo hidden`;
    const model = await serve({
      worker: [{ calls: [{ name: "exec_command", args: { cmd: command } }] }, { say: "It is grey." }],
    });
    const provider = codexOf(model, "worker", at.home);
    const ran = await run(work, { ...at, provider, context: { evidence: copy === undefined ? [] : [copy] } });
    expect(ran).toMatchObject({ status: "done" });
    expect(model.requests[0]?.media).toHaveLength(1);
    expect(model.requests[1]?.results.join()).toContain(`${PNG.length}\n`);
    expect(model.requests[1]?.results.join()).toContain("hidden");
  });
});

describe.skipIf("missing" in claude)("the real claude", () => {
  const claudeOf: ProviderOf = (model, role, home) => {
    const env = { MIMIKIT_CLAUDE_BIN: "bin" in claude ? claude.bin : "", ANTHROPIC_API_KEY: "sk-ant-canary" };
    const config = Config.parse({ model: "scripted", claude: { baseUrl: model.url } });
    return createClaude(claudeSettingsOf(role, config, { home, env, keys: {} }));
  };

  showsPictures(claudeOf);

  test("lets a Worker look at the picture at the path that it is told", async () => {
    const { evidence, ...at } = place();
    const [copy] = await laidOut(at.home, evidence, work.id);
    const model = await serve({
      worker: [{ calls: [{ name: "Read", args: { file_path: copy?.path } }] }, { say: "It is grey." }],
    });
    const provider = claudeOf(model, "worker", at.home);
    const ran = await run(work, { ...at, provider, context: { evidence: copy === undefined ? [] : [copy] } });
    expect(ran).toMatchObject({ status: "done" });
    expect(model.requests[0]?.prompt).toContain("attachments/1-shot.png");
    // It was shown at the beginning, and looked at once more.
    expect(model.requests.map(({ media }) => media.length)).toEqual([1, 2]);
  });
});

/** A PNG as the format has it: signature, header, one compressed block of pixels, end. */
function png(): Buffer {
  const header = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0]);
  const pixels = deflateSync(Buffer.from([0, 128, 128, 0, 128, 128]));
  const chunks = [chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
