/**
 * The agent CLIs that tests may run: the programs that the environment names, or those that scripts/install-agents.mjs
 * has installed. Never one that is merely in the PATH: it may be a developer's own, with a login and a bill.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/config";
import type { Environment } from "@mimikit/runtime/home/home";
import { z } from "zod";
import { claudeSettingsOf, missingForClaude } from "../../packages/agent/src/providers/claude/settings.ts";
import { codexSettingsOf, missingForCodex } from "../../packages/agent/src/providers/codex/settings.ts";

const ROOT = join(import.meta.dirname, "../..");
const Package = z.object({ agents: z.record(z.string(), z.string()) });

/** The key that an agent CLI shows to the scripted endpoint. */
const KEY = "sk-for-a-scripted-endpoint";
/** This folder has no login. */
const NO_HOME = join(ROOT, "test/support");

const AGENTS = {
  codex: {
    package: "@openai/codex",
    variable: "MIMIKIT_CODEX_BIN",
    key: "OPENAI_API_KEY",
    missing: missingForCodex,
    settingsOf: codexSettingsOf,
  },
  claude: {
    package: "@anthropic-ai/claude-code",
    variable: "MIMIKIT_CLAUDE_BIN",
    key: "ANTHROPIC_API_KEY",
    missing: missingForClaude,
    settingsOf: claudeSettingsOf,
  },
};
export type AgentName = keyof typeof AGENTS;
export const AGENT_NAMES: readonly AgentName[] = ["codex", "claude"];

/** The environment of a provider with a scripted endpoint. It has no PATH. */
export function environmentOf(name: AgentName): Environment {
  const { variable, key } = AGENTS[name];
  return { [variable]: process.env[variable], [key]: KEY };
}

/** The program, or why there is none to test. */
export function findAgent(name: AgentName): { bin: string } | { missing: string } {
  const agent = AGENTS[name];
  const config = Config.parse({});
  const env = environmentOf(name);
  const surroundings = { home: NO_HOME, env, keys: {} };
  const missing = agent.missing("worker", config, surroundings);
  if (missing === null) return { bin: agent.settingsOf("worker", config, surroundings).file };
  const version = Package.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"))).agents[agent.package];
  const why = env[agent.variable] ? `${agent.variable} names no program` : `${agent.variable} is not set`;
  return { missing: `${name} is not tested: ${why}; "node scripts/install-agents.mjs" installs ${version}` };
}
