/** search_memory through the Tool Bus: a Planner asks, and is answered with what the files say. */
import { createToolBus } from "@mimikit/agent/bus";
import { TOOLS } from "@mimikit/agent/tools/index";
import type { Role } from "@mimikit/protocol/base/role";
import { expect, test } from "vitest";
import { workspace } from "../../memory/workspace.ts";
import { contextOf, taskOf } from "../fixtures.ts";

const place = () =>
  workspace({
    ".mimikit/memory/summary/2026-03.md": "- the deployment became blue and green",
    ".mimikit/memory/summary/2025-03.md": "- the deployment was done by hand",
  });

function busOf(role: Role) {
  const reads = contextOf({ memoryPlace: place() });
  return createToolBus({ task: taskOf({ id: "t-000007.1", role }), tools: TOOLS, reads, onCall: () => undefined });
}

test("a Planner finds what is remembered, and says of which days it may be", async () => {
  const bus = busOf("planner");
  expect(await bus.call("search_memory", { query: "deployment in March 2025", limit: 1 })).toMatchObject({
    ok: true,
    data: {
      hits: [
        { source: "memory/summary/2025-03.md", content: "the deployment was done by hand", score: 1, at: "2025-03-01" },
      ],
    },
  });
  expect(await bus.call("search_memory", { query: "deployment", after: "2026-01-01" })).toMatchObject({
    ok: true,
    data: { hits: [{ source: "memory/summary/2026-03.md" }] },
  });
  expect(await bus.call("search_memory", { query: "deployment", after: "spring" })).toMatchObject({ ok: false });
});

test("a Teller finds it with what was said, in the words of either language, and what it was shown is kept with its reply", async () => {
  const bus = busOf("teller");
  expect(await bus.call("search_memory", { query: "deployment" })).toMatchObject({ ok: false });
  const text = "the deployment was done by hand";
  const source = "memory/summary/2025-03.md";
  expect(await bus.call("query_history", { query: "部署 deployed 2025 hand" })).toMatchObject({
    data: { messages: [], memory: [{ source, text }] },
  });
  expect(bus.shown[0]).toMatchObject({ source, text });
  const narrow = await bus.call("query_history", { query: "deployment", roles: ["user"] });
  expect(narrow).toEqual({ ok: true, data: { messages: [] } });
});
