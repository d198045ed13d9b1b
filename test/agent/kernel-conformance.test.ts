import { offline } from "@mimikit/agent/providers/offline/index";
import { createOpenai } from "@mimikit/agent/providers/openai/index";
import { describeProvider } from "../conformance/provider-suite.ts";

describeProvider({ name: "offline", create: () => offline, hasModel: false });

describeProvider({
  name: "openai",
  create: ({ baseUrl }, { silenceMs, tries }) =>
    createOpenai({
      baseUrl,
      apiKey: "sk-conformance",
      model: "scripted",
      tokensMax: 14_336,
      firstByteMs: silenceMs,
      idleMs: silenceMs,
      retryDelaysMs: Array(tries - 1).fill(1),
    }),
  hasModel: true,
});
