/** The conformance suites at a third party's mock, for each wire. */
import { Aimock } from "../support/aimock.ts";
import { anthropic, google, openai } from "./candidates.ts";
import { describeKernelProvider } from "./kernel-suite.ts";
import { describeProvider, type Server } from "./provider-suite.ts";

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

for (const wire of [openai, anthropic, google]) {
  const candidate = { ...wire, server: aimock };
  describeProvider(candidate);
  describeKernelProvider(candidate);
}
