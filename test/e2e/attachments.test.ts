/** A picture that the user sends, through the real processes: the model sees its bytes, and a Worker finds the file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";

const PICTURE = Buffer.from("\x89PNG\r\n\x1a\n pixels", "latin1");

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

test("a picture sent from the command line is seen by the model, read by the Worker at its path, and stays in the history", async () => {
  const model = await ModelServer.start({
    teller: (request) => {
      const results = section("results", request);
      if (results !== "") return { say: `It has ${/\b\d+\b(?= bytes)/.exec(results)?.[0]} bytes.` };
      if (section("inputs", request).includes("colour")) return { say: "It is grey." };
      return request.turn === 0
        ? call("delegate", { prompt: "count the bytes of the picture" })
        : { say: "I am on it." };
    },
    planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "count its bytes" }) : { say: "" }),
    worker: (request) => {
      const path = /path: "?([^\s"]+)/.exec(section("attachments", request))?.[1];
      const [counted] = request.results;
      return counted === undefined
        ? call("bash", { command: `echo $(wc -c < '${path}') bytes` })
        : { say: /\d+ bytes/.exec(counted)?.[0] ?? "nothing" };
    },
  });
  opened.push({ dispose: () => model.close() });
  const mimikit = await Instance.start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
      MIMIKIT_OPENAI_VISION: "true",
    },
  });
  opened.unshift(mimikit);
  await mimikit.ready();
  const path = join(mimikit.workDir, "shot.png");
  writeFileSync(path, PICTURE);

  const said = await runCli(mimikit, ["ask", "--json", "--attach", path, "how large is this?"]);
  expect(said.code).toBe(0);
  expect(JSON.parse(said.out)).toMatchObject({ complete: true, answer: `It has ${PICTURE.length} bytes.` });
  const seen = { type: "image/png", data: PICTURE.toString("base64") };
  for (const role of ["teller", "planner", "worker"] as const) expect(model.of(role)[0]?.media).toEqual([seen]);
  expect(section("attachments", model.of("teller")[0] ?? never())).toContain("name: shot.png");

  const { id } = (await mimikit.messages()).find(({ role }) => role === "user") ?? never();
  expect(await mimikit.messages()).toContainEqual(
    expect.objectContaining({ id, attachments: [expect.objectContaining({ name: "shot.png", type: "image/png" })] }),
  );
  // "It" is what was sent a moment ago.
  await mimikit.replyTo(await mimikit.send("and what colour is it?"));
  expect(model.of("teller").at(-1)?.media).toEqual([seen]);
});

function never(): never {
  throw new Error("it is not there");
}
