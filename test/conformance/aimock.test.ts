/** The conformance suites at a third party's mock, for each wire, and turns at one that goes wrong at random. */
import { describe, expect, test } from "vitest";
import { replyOf } from "../agent/fixtures.ts";
import { Aimock } from "../support/aimock.ts";
import { anthropic, google, openai, responses } from "./candidates.ts";
import { describeKernelProvider } from "./kernel-suite.ts";
import { createBench, describeProvider, ok, remember, remembered, type Server } from "./provider-suite.ts";

const aimock: Server = {
  name: "aimock",
  start: (script) => Aimock.start(script),
  lacks: new Set([
    "tell who hung up",
    "count cached tokens",
    "check thoughts",
    "tell that no tool may be called",
    "answer in one piece",
    "withhold the usage",
    "send any bytes",
    "send any error code",
    "fall silent in the middle",
    "tear calls",
  ]),
};

/** Its Responses end as if nothing had been cut off. */
const uncut: Server = { ...aimock, lacks: new Set([...aimock.lacks, "cut off calls"]) };

for (const wire of [openai, responses, anthropic, google]) {
  const candidate = { ...wire, server: wire === responses ? uncut : aimock };
  describeProvider(candidate);
  describeKernelProvider(candidate);
}

const OVER = { openai, responses, anthropic, google };
describe.each(Object.entries(OVER))("over %s at aimock in chaos", (_, wire) => {
  const chaos = { dropRate: 0.2, malformedRate: 0.2, disconnectRate: 0.2 };
  const { turn } = createBench({ ...wire, server: { ...aimock, start: (script) => Aimock.start(script, chaos) } });

  test("every turn ends in one reply, and what it did was done once or not at all", async () => {
    for (let i = 0; i < 10; i++) {
      const ran = await turn(({ results }) => (results.length === 0 ? { calls: [remember("a")] } : ok));
      expect(ran.effects.filter((effect) => effect.type === "reply")).toHaveLength(1);
      if (ran.status === "done") expect(remembered(ran)).toEqual(["a"]);
      else expect([replyOf(ran), remembered(ran)]).toEqual([expect.stringContaining("could not finish"), []]);
    }
  });
});
