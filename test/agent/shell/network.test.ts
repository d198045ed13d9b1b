/** The variables by which programs that are started reach the network. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "@mimikit/agent/shell/command";
import { networkVariables } from "@mimikit/agent/shell/network";
import { Output } from "@mimikit/agent/shell/output";
import { useProxy } from "@mimikit/runtime/network/use-proxy";
import { afterEach, expect, test, vi } from "vitest";
import { cliEnvironment } from "../../../packages/agent/src/providers/agent-cli/environment.ts";
import { temporaryDirectory } from "../fixtures.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  useProxy({}, {});
});

test("an agent CLI is told of every proxy and certificate, also of passwords: it calls its model with them", () => {
  vi.stubEnv("HTTPS_PROXY", "http://me:word@proxy.example:3128");
  vi.stubEnv("no_proxy", "lan.example");
  vi.stubEnv("NODE_EXTRA_CA_CERTS", "/etc/company.pem");
  vi.stubEnv("OPENAI_API_KEY", "sk-secret");
  const environment = cliEnvironment({ CODEX_HOME: "/x" });
  expect(environment).toMatchObject({
    HTTPS_PROXY: "http://me:word@proxy.example:3128",
    no_proxy: "lan.example",
    NODE_EXTRA_CA_CERTS: "/etc/company.pem",
    CODEX_HOME: "/x",
  });
  expect(environment).not.toHaveProperty("OPENAI_API_KEY");
  useProxy({ url: "http://you:other@proxy.example:3129" }, {});
  expect(cliEnvironment({})).toMatchObject({ HTTPS_PROXY: "http://you:other@proxy.example:3129" });
});

test("a command of a model is told of a proxy without a password, and of none with one", async () => {
  vi.stubEnv("HTTPS_PROXY", "http://proxy.example:3128");
  vi.stubEnv("HTTP_PROXY", "http://me:word@proxy.example:3128");
  vi.stubEnv("SSL_CERT_FILE", "/etc/company.pem");
  expect(networkVariables(false)).toMatchObject({
    HTTPS_PROXY: "http://proxy.example:3128",
    SSL_CERT_FILE: "/etc/company.pem",
  });
  expect(networkVariables(false)).not.toHaveProperty("HTTP_PROXY");

  const workDir = temporaryDirectory();
  const path = join(temporaryDirectory(), "output.txt");
  const output = await Output.create(path, 10_000);
  const bounds = { home: temporaryDirectory(), workDir, allow: [], mode: "off" } as never;
  const command = runCommand("env", { bounds, environment: {}, output }, new AbortController().signal);
  for await (const _ of command);
  await output.close();
  const said = readFileSync(path, "utf8");
  expect(said).toContain("HTTPS_PROXY=http://proxy.example:3128");
  expect(said).not.toContain("me:word");
});
