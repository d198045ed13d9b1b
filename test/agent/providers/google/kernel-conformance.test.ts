import { google } from "../../../conformance/candidates.ts";
import { describeKernelProvider } from "../../../conformance/kernel-suite.ts";
import { describeProvider } from "../../../conformance/provider-suite.ts";

describeProvider(google);
describeKernelProvider(google);
