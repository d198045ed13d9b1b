import fc from "fast-check";
import { expect, test } from "vitest";
import type { PushItem } from "../../../apps/http-gateway/src/push/items.ts";
import { cut, messageOf, PAYLOAD_BYTES_MAX, type PushPayload } from "../../../apps/http-gateway/src/push/payload.ts";

const NOW_MS = Date.parse("2026-11-25T12:00:00.000Z");
const AT = new Date(NOW_MS).toISOString();
const proof = () => "p".repeat(43);
const payloadOf = (item: PushItem, language: "en" | "zh" = "en") =>
  JSON.parse(messageOf(item, language, proof, NOW_MS).payload) as PushPayload;

const asks = (options: string[], more: Partial<Extract<PushItem, { kind: "question" }>> = {}): PushItem => ({
  id: "t-000001.0",
  at: AT,
  text: "Which?",
  kind: "question",
  question: {
    id: "t-000001.0",
    at: AT,
    expiresAt: new Date(NOW_MS + 60_000).toISOString(),
    question: "Which?",
    options,
    isChoice: false,
  },
  ...more,
});

const report = (...states: ("done" | "failed" | "cancelled")[]): PushItem => ({
  id: "t-000002.reply",
  at: AT,
  text: "All of it.",
  kind: "report",
  tasks: states.map((state, n) => ({ id: `t-000001.${n}`, title: "Make tea", state })),
});

test("the largest payload fits into one push, whatever is in it, and is read as it was cut", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", '"', "\\", "\n", "\u0000", "字", "👩‍👩‍👧‍👦", "\ud800"),
    maxLength: 4_000,
  });
  fc.assert(
    fc.property(text, text, text, fc.constantFrom("en" as const, "zh" as const), (body, title, option, language) => {
      const id = "t".repeat(128);
      const items: PushItem[] = [
        { ...asks([option || "a", option || "b"]), id, text: body },
        { id, at: AT, text: body, kind: "notification", title },
        { id, at: AT, text: body, kind: "report", tasks: [{ id, title, state: "failed" }] },
      ];
      for (const item of items) {
        const { payload } = messageOf(item, language, proof, NOW_MS);
        expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(PAYLOAD_BYTES_MAX);
        expect(payload).not.toMatch(/\\u/);
      }
    }),
  );
});

test("a text is cut behind a whole character, as people see it", () => {
  expect(cut("短い", 6)).toBe("短い");
  expect(cut("ab👩‍👩‍👧‍👦cd", 12)).toBe("ab…");
  expect(cut("é".repeat(10), 9)).toBe("ééé…");
  expect(cut("  a\u0000\u001bb\n c  ", 100)).toBe("a b\n c");
});

test("a report is told by the outcome of its work, in the language of the device, and leads to it", () => {
  expect(payloadOf(report("done"))).toMatchObject({ title: "Done: Make tea", page: "./#/tasks/t-000001.0" });
  expect(payloadOf(report("failed"), "zh").title).toBe("失败：Make tea");
  expect(payloadOf(report("cancelled")).title).toBe("Cancelled: Make tea");
  expect(payloadOf(report("done", "failed"))).toMatchObject({ title: "1 of 2 tasks are done", page: "./" });
  expect(payloadOf(report("done", "done")).title).toBe("2 tasks are done");
  expect(payloadOf(report())).toMatchObject({ title: "Mimikit", body: "All of it.", page: "./", always: false });
});

test("a question has buttons where all of its answers are, and is not kept longer than it is open", () => {
  expect(payloadOf(asks(["yes", "no"]), "zh")).toMatchObject({
    title: "Mimikit 有一个问题",
    options: ["yes", "no"],
    proof: proof(),
  });
  // None is a button where not all are, each of them whole: the last is the no.
  for (const options of [[], ["a", "b", "c"], ["x".repeat(121), "no"], ["yes", "不".repeat(41)], ["yes", " "]]) {
    expect(payloadOf(asks(options))).not.toHaveProperty("options");
    expect(payloadOf(asks(options))).not.toHaveProperty("proof");
  }
  expect(messageOf(asks(["yes"]), "en", proof, NOW_MS)).toMatchObject({ ttlSec: 60, urgency: "high" });
  expect(messageOf(report("done"), "en", proof, NOW_MS)).toMatchObject({ ttlSec: 86_400, urgency: "normal" });
});
