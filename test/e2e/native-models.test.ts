/** The main job with the vendors' own wires, and with every wire at a third party's mock. */
import { Aimock } from "../support/aimock.ts";
import { describeMainJob, KEY, type Player } from "../support/main-job.ts";
import { startOpenai } from "../support/responses-server.ts";

const openai: Player = {
  provider: "openai",
  settings: ({ baseUrl }) => ({ OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: KEY, ...asks("openai") }),
};
const anthropic: Player = {
  provider: "anthropic",
  settings: ({ url }) => ({ MIMIKIT_ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY, ...asks("anthropic") }),
};
const google: Player = {
  provider: "google",
  settings: ({ url }) => ({ MIMIKIT_GOOGLE_BASE_URL: url, GEMINI_API_KEY: KEY, ...asks("google") }),
};

function asks(provider: string): Record<string, string> {
  return { MIMIKIT_PROVIDER: provider, MIMIKIT_MODEL: "scripted" };
}

for (const player of [anthropic, google]) describeMainJob(player);

/** It takes tools over Responses alone, as the first request is told. */
const rules = { name: "a server with OpenAI's rules", start: startOpenai, shownKey: KEY };
describeMainJob({ ...openai, server: rules });

const server = { name: "aimock", start: (script: Parameters<typeof Aimock.start>[0]) => Aimock.start(script) };
for (const player of [openai, anthropic, google]) describeMainJob({ ...player, server });
