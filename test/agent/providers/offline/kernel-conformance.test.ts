import { offline } from "../../../../packages/agent/src/providers/offline/index.ts";
import { createOpenai } from "../../../../packages/agent/src/providers/openai/index.ts";
import { describeKernelProvider, TRIES } from "../../../conformance/kernel-suite.ts";
import { type Candidate, describeProvider } from "../../../conformance/provider-suite.ts";

const openai: Candidate = {
  name: "openai",
  kind: "kernel",
  create: ({ baseUrl }, { silenceMs }) =>
    createOpenai({
      baseUrl,
      apiKey: "sk-conformance",
      model: "scripted",
      tokensMax: 14_336,
      firstByteMs: silenceMs,
      idleMs: silenceMs,
      retryDelaysMs: Array(TRIES - 1).fill(1),
    }),
};

describeProvider({ name: "offline", kind: "no model", create: () => offline });
describeProvider(openai);
describeKernelProvider(openai);
