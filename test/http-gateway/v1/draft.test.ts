/** A client is sent a reply while it is written: in the end always the whole of it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { nextOf, restOf } from "../../../apps/http-gateway/src/v1/draft.ts";

/** Sends what can be sent of each draft, one after the other, and then the rest. */
function sentFor(drafts: readonly string[], reply: string): string {
  let sent = "";
  for (const draft of drafts) sent += nextOf(sent, draft);
  return sent + restOf(sent, reply);
}

test("a draft that only grows is sent as it grows, and the reply once", () => {
  expect(sentFor(["It", "It is", "It is five"], "It is five o'clock.")).toBe("It is five o'clock.");
});

test("what is said before a tool is called stays, and the reply follows it once", () => {
  expect(sentFor(["Let me look.", "Let me look.\n\nIt is"], "It is five.")).toBe("Let me look.\n\nIt is five.");
});

test("a draft that begins anew is held back, and where it comes to the same nothing is told twice", () => {
  expect(sentFor(["The answer is fo", "", "The", "The answer is forty"], "The answer is forty-two.")).toBe(
    "The answer is forty-two.",
  );
});

test("a reply that is another than its draft follows whole", () => {
  expect(sentFor(["I think so"], "No.")).toBe("I think so\n\nNo.");
});

test("a reply of nothing adds nothing to a stream of nothing", () => {
  expect(restOf("", "")).toBe("");
});

test("whatever the drafts were, what was sent ends with the whole reply, and begins with the reply where there was no other draft", () => {
  // Few letters, so that drafts and reply often have something in common.
  const text = fc.stringMatching(/^[ab\n]{0,12}$/);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), text, (drafts, reply) => {
      expect(sentFor(drafts, reply).endsWith(reply)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 12 }), { maxLength: 6 }), (reply, cuts) => {
      expect(
        sentFor(
          cuts.sort((a, b) => a - b).map((cut) => reply.slice(0, cut)),
          reply,
        ),
      ).toBe(reply);
    }),
    { numRuns: 2_000 },
  );
});
