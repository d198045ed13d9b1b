/** The providers of the kernel as the suites try them: their own code, at an address of the suite. */
import { createAnthropic } from "../../packages/agent/src/providers/anthropic/index.ts";
import { createGoogle } from "../../packages/agent/src/providers/google/index.ts";
import { createOpenai } from "../../packages/agent/src/providers/openai/index.ts";
import { TRIES } from "./kernel-suite.ts";
import type { Candidate } from "./provider-suite.ts";

const settings = (silenceMs: number) => ({
  apiKey: "sk-conformance",
  model: "scripted",
  tokensMax: 14_336,
  outputTokensMax: 2_048,
  senses: { vision: false, audio: false },
  firstByteMs: silenceMs,
  idleMs: silenceMs,
  retryDelaysMs: Array<number>(TRIES - 1).fill(1),
});

export const openai: Candidate = {
  name: "openai",
  kind: "kernel",
  create: ({ baseUrl }, { silenceMs }) => createOpenai({ id: "openai", baseUrl, ...settings(silenceMs) }),
};

/** The vendors' own libraries read streams alone. */
const streamed = { hasWhole: false, badJson: /what is no answer/ };

export const responses: Candidate = {
  name: "openai",
  kind: "kernel",
  create: ({ baseUrl }, { silenceMs }) =>
    createOpenai({ id: "openai", api: "responses", baseUrl, ...settings(silenceMs) }),
  wire: {
    ...streamed,
    hasWhole: true,
    otherShape: 'data: {"type":"response.output_text.delta","delta":7}\n\n',
    errorEvent: 'data: {"type":"error","code":"server_error","message":"out of memory","param":null}\n\n',
    hasTornCalls: true,
  },
};

export const anthropic: Candidate = {
  name: "anthropic",
  kind: "kernel",
  create: ({ baseUrl }, { silenceMs }) => createAnthropic({ baseUrl, ...settings(silenceMs) }),
  wire: {
    ...streamed,
    otherShape: 'event: message_start\ndata: {"type":"message_start","message":"none"}\n\n',
    errorEvent: 'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"out of memory"}}\n\n',
    hasTornCalls: true,
  },
};

export const google: Candidate = {
  name: "google",
  kind: "kernel",
  create: ({ url }, { silenceMs }) => createGoogle({ baseUrl: `${url}/v1beta`, ...settings(silenceMs) }),
  wire: {
    ...streamed,
    otherShape: 'data: {"candidates":"none"}\n\n',
    errorEvent: 'data: {"error":{"code":500,"message":"out of memory","status":"INTERNAL"}}\n\n',
    hasTornCalls: false,
  },
};
