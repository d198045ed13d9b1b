import { anthropic } from "../../../conformance/candidates.ts";
import { describeKernelProvider } from "../../../conformance/kernel-suite.ts";
import { describeProvider } from "../../../conformance/provider-suite.ts";

describeProvider(anthropic);
describeKernelProvider(anthropic);
