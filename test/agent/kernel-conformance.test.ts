import { offline } from "@mimikit/agent/providers/offline/index";
import { createOpenai } from "@mimikit/agent/providers/openai/index";
import { describeKernelProvider, TRIES } from "../conformance/kernel-suite.ts";
import { type Candidate, describeProvider } from "../conformance/provider-suite.ts";

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
