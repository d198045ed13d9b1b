/** The one request that tries a model: it shall call a tool. */
import type { ModelRequest } from "../kernel/model.ts";

/** The tool of a trial. */
export const TRIAL_TOOL = "answer_trial";
export const TRIAL_REQUEST: ModelRequest = {
  messages: [
    { role: "system", content: `You are tried out. Call the tool ${TRIAL_TOOL} once. Say nothing else.` },
    { role: "user", content: `Call ${TRIAL_TOOL} with the word "ready".` },
  ],
  tools: [
    {
      name: TRIAL_TOOL,
      description: "Shows that tools can be called.",
      parameters: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
    },
  ],
  mayCall: true,
};
