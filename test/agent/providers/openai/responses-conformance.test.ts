/** The suites of every provider, over OpenAI's Responses. */
import { responses } from "../../../conformance/candidates.ts";
import { describeKernelProvider } from "../../../conformance/kernel-suite.ts";
import { describeProvider } from "../../../conformance/provider-suite.ts";

describeProvider(responses);
describeKernelProvider(responses);
