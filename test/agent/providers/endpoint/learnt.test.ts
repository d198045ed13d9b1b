/** The lessons of an endpoint, and how they are forgotten. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { testConnection } from "@mimikit/agent/connect/connect";
import { expect, onTestFinished, test } from "vitest";
import { learn, readLearnt } from "../../../../packages/agent/src/providers/endpoint/learnt.ts";
import { describeApi } from "../../../../packages/agent/src/providers/openai/describe-api.ts";
import { ModelServer } from "../../../support/model-server.ts";
import { temporaryDirectory } from "../../fixtures.ts";

test("connecting forgets what the endpoint refused before, which is shown until then", async () => {
  const server = await ModelServer.start({ teller: [{ say: "Ready." }] });
  onTestFinished(() => server.close());
  const home = join(temporaryDirectory(), "home");
  mkdirSync(home);
  const { baseUrl } = server;
  const at = { home, baseUrl, model: "mind-1" };
  learn(at, { noEffort: true, corrections: ["bridge", "max_tokens"] });
  expect(describeApi(at).learnt.join("\n")).toContain("bridge, max_tokens");
  const wanted = { provider: "openai", baseUrl, model: "mind-1" };
  await testConnection(wanted, { home, env: {}, workDir: home }, AbortSignal.timeout(20_000));
  expect(readLearnt(at)).toEqual({});
});
