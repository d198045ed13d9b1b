import { offline } from "../../../../packages/agent/src/providers/offline/index.ts";
import { openai } from "../../../conformance/candidates.ts";
import { describeKernelProvider } from "../../../conformance/kernel-suite.ts";
import { describeProvider } from "../../../conformance/provider-suite.ts";

describeProvider({ name: "offline", kind: "no model", create: () => offline });
describeProvider(openai);
describeKernelProvider(openai);
