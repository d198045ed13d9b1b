/** The pages that one run loads: what it pages through is what it has loaded, and it is loaded once. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createToolBus } from "@mimikit/agent/bus";
import { ToolText } from "@mimikit/agent/tools/tool-text";
import { expect, onTestFinished, test } from "vitest";
import { kernelTools } from "../../../packages/agent/src/kernel/tools/index.ts";
import { contextOf, taskOf, temporaryDirectory } from "../fixtures.ts";

test("a long page is read on from its own text, whatever was loaded after it, and is not loaded again", async () => {
  const asked: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    asked.push(url);
    response
      .setHeader("content-type", "text/plain")
      .end(Array.from({ length: 4_000 }, (_, i) => `${url} ${i + 1}`).join("\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const dir = temporaryDirectory();
  const task = taskOf({ id: "t-000001.0.0", role: "worker" });
  const { signal } = new AbortController();
  const place = { task, workDir: dir, home: dir, sandbox: "auto" as const, runDir: dir, environment: {}, signal };
  const tools = kernelTools(place, [], { reach: { privateHosts: ["127.0.0.1"] }, search: null });
  const bus = createToolBus({ task, tools, reads: contextOf(), onCall: () => {} });
  const fetched = async (path: string, fromLine?: number) => {
    const answer = await bus.call("web_fetch", { url: `http://127.0.0.1:${port}${path}`, fromLine });
    return answer.ok ? ToolText.parse(answer.data).text : answer.message;
  };
  await fetched("/a");
  expect(await fetched("/a")).toContain("    /a 1\n    /a 2\n");
  expect(await fetched("/b")).toContain("    /b 1\n");
  expect(await fetched("/a", 3_000)).toContain("\n    /a 3000\n");
  expect(await fetched("/b", 3_000)).toContain("\n    /b 3000\n");
  expect(asked).toEqual(["/a", "/a", "/b"]);
});
