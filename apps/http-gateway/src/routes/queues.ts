/** `/api/queues/{role}`: what waits in a paused queue does not begin. It is a setting, so it outlives everything (SPEC J3). */
import { PAUSABLE } from "@mimikit/protocol/base/kind";
import { NoBody, QueuesAnswer } from "@mimikit/protocol/wire/api";
import { loadConfig, pausedIn } from "@mimikit/runtime/config/config";
import { z } from "zod";
import { route } from "../api/route.ts";
import { saveSettings } from "../http/save-settings.ts";

const QueueParams = z.strictObject({ role: z.enum(PAUSABLE) });
const common = {
  method: "post",
  params: QueueParams,
  body: NoBody,
  status: 200,
  answer: QueuesAnswer,
  errors: { 409: "set by a variable, which takes precedence, or config.yaml cannot be edited as it is" },
} as const;

export const pauseQueue = route({
  ...common,
  path: "/api/queues/:role/pause",
  summary: "pauses the queue of a role: queued tasks do not start, running ones continue",
  handle: async ({ params: { role } }, parts) => {
    await saveSettings(parts, [{ name: `paused.${role}`, value: true }]);
    return { paused: pausedIn(loadConfig(parts.home, parts.environment).config) };
  },
});

export const resumeQueue = route({
  ...common,
  path: "/api/queues/:role/resume",
  summary: "resumes the queue of a role",
  handle: async ({ params: { role } }, parts) => {
    await saveSettings(parts, [{ name: `paused.${role}`, value: undefined }]);
    return { paused: pausedIn(loadConfig(parts.home, parts.environment).config) };
  },
});
