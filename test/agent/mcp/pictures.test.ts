/** Pictures in the answers of MCP servers: a model that sees is shown them, every other is told, and a Worker has their files. */
import { readFileSync, rmSync } from "node:fs";
import { ANSWER_CHARS_MAX, answerText } from "@mimikit/agent/mcp/answer-text";
import { keepPictures } from "@mimikit/agent/mcp/pictures";
import { IMAGE_BYTES_MAX, IMAGES_MAX } from "@mimikit/agent/prompt/media";
import type { External } from "@mimikit/agent/tools/external";
import type { Tool } from "@mimikit/agent/tools/tool";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { ModelServer } from "../../support/model-server.ts";
import { taskOf, temporaryDirectory } from "../fixtures.ts";
import { runKernelTask } from "../kernel-fixtures.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const GIF = Buffer.from("GIF89a, as far as anyone looks");
const picture = (bytes: Buffer, mimeType = "image/png") => ({
  type: "image",
  data: bytes.toString("base64"),
  mimeType,
});

describe("an answer", () => {
  test("names the file of each picture, whose type follows from its bytes, and keeps its other parts in order", async () => {
    const runDir = temporaryDirectory();
    const blob = { type: "resource", resource: { uri: "a:b", mimeType: "image/gif", blob: GIF.toString("base64") } };
    const parts = [{ type: "text", text: "before" }, picture(PNG, "text/html"), blob, { type: "text", text: "after" }];
    const { content, pictures } = await keepPictures(parts, runDir);
    expect(pictures.map(({ type }) => type)).toEqual(["image/png", "image/gif"]);
    expect(pictures.map(({ path }) => readFileSync(path))).toEqual([PNG, GIF]);
    const [a, b] = pictures;
    expect(
      answerText(content)
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual([
      "before",
      `[picture 1: image/png, ${PNG.length} bytes, in the file ${a?.path}]`,
      `[picture 2: image/gif, ${GIF.length} bytes, in the file ${b?.path}]`,
      "after",
    ]);
  });

  test("is bounded: what is no picture, is too large, or is one too many is told, and not kept", async () => {
    const runDir = temporaryDirectory();
    const large = Buffer.concat([PNG, Buffer.alloc(IMAGE_BYTES_MAX)]);
    const script = Buffer.from("<svg onload='alert(1)'/>");
    const many = Array.from({ length: IMAGES_MAX + 2 }, (_, i) => picture(Buffer.concat([PNG, Buffer.from([i])])));
    const { content, pictures } = await keepPictures(
      [picture(script), picture(large), picture(Buffer.alloc(0)), ...many],
      runDir,
    );
    expect(pictures).toHaveLength(IMAGES_MAX);
    const text = answerText(content);
    expect(text).toContain("24 bytes are said to be a picture, and are none");
    expect(text).toMatch(/a picture of \d+ bytes is left out/);
    expect(text.match(/a further picture is left out/g)).toHaveLength(2);
    expect(text.length).toBeLessThan(ANSWER_CHARS_MAX);
    // The tool has run: a disk that takes no more costs the picture alone.
    rmSync(runDir, { recursive: true });
    const lost = await keepPictures([picture(PNG), { type: "text", text: "said" }], runDir);
    expect([lost.pictures, answerText(lost.content)]).toEqual([[], expect.stringMatching(/could not be kept.*said/s)]);
  });
});

describe("a Worker", () => {
  let model: ModelServer;
  beforeAll(async () => {
    model = await ModelServer.start();
  });
  beforeEach(() => {
    model.requests.length = 0;
  });
  afterAll(() => model.close());

  const task = taskOf({ id: "t-000001.0.0", role: "worker", prompt: "what colour is it?" });
  let count = 0;
  /** A tool that answers with so many pictures, each another. */
  function looking(perCall = 1): { external: External; shown: string[] } {
    const shown: string[] = [];
    const runDir = temporaryDirectory();
    const look: Tool = {
      name: "camera__look",
      level: "read-only",
      keepsWithin: false,
      roles: ["worker"],
      input: z.record(z.string(), z.unknown()),
      shownTo: {},
      shown: z.unknown(),
      told: { description: "Looks.", parameters: { type: "object" } },
      async apply() {
        const bytes = Array.from({ length: perCall }, () => Buffer.concat([PNG, Buffer.from([++count])]));
        shown.push(...bytes.map((each) => each.toString("base64")));
        const { content, pictures } = await keepPictures(
          bytes.map((each) => picture(each)),
          runDir,
        );
        return { answer: { text: answerText(content), pictures } };
      },
    };
    return { external: { tools: [look], offered: [look] }, shown };
  }
  const call = (at: number) => ({ calls: [{ name: "camera__look", args: { at } }] });
  const VISION = { endpoint: { configured: { vision: true, audio: false } } };

  test("whose model sees is shown each picture behind the answer that names it, the newest four of many", async () => {
    const { external, shown } = looking(2);
    const ran = await runKernelTask(model, { worker: [call(1), call(2), call(3), { say: "Red." }] }, task, {
      external,
      ...VISION,
    });
    expect(ran).toMatchObject({ status: "done" });
    expect(model.requests.map(({ media }) => media.map(({ data }) => data))).toEqual([
      [],
      shown.slice(0, 2),
      shown.slice(0, 4),
      shown.slice(2, 6),
    ]);
    expect(ran.turns.filter(({ type }) => type === "note")).toHaveLength(3);
  });

  test("whose model does not see is told so, and that commands can read the files", async () => {
    const { external } = looking();
    const ran = await runKernelTask(model, { worker: [call(1), { say: "I cannot see it." }] }, task, {
      external,
      endpoint: { configured: { vision: false, audio: false } },
    });
    expect(model.requests.map(({ media }) => media.length)).toEqual([0, 0]);
    const [note] = ran.turns.flatMap((turn) => (turn.type === "note" ? [turn.text] : []));
    expect(note).toMatch(/You cannot see the pictures .*commands can read their files/);
  });

  test("whose endpoint refuses pictures after all goes on without them", async () => {
    const { external } = looking();
    const refusal = { status: 400, body: { error: { message: "image input is not supported" } } };
    const ran = await runKernelTask(model, { worker: [call(1), refusal, call(2), { say: "I cannot see." }] }, task, {
      external,
      ...VISION,
    });
    expect(ran).toMatchObject({ status: "done" });
    expect(model.requests.map(({ media }) => media.length)).toEqual([0, 1, 0, 0]);
  });
});
