/** The settings of self-improvement, and whether a model answers for what it needs (SPEC J1). */
import { hasModel } from "@mimikit/agent/providers/index";
import { KINDS, kindsOf } from "@mimikit/protocol/base/kind";
import type { Config } from "@mimikit/runtime/config/config";
import type { ProviderEnvironment } from "@mimikit/runtime/config/providers";
import type { ImproveSettings } from "./improving.ts";

/** Roles that must be a model, because the offline engine neither looks nor judges. */
const NEEDED = new Set(kindsOf("improvement").map((kind) => KINDS[kind].role));

/** @param startedMs when this process began. */
export function improveSettings(config: Config, environment: ProviderEnvironment, startedMs: number): ImproveSettings {
  const { enabled, idleSec, budget } = config.selfImprove;
  const lacking = [...NEEDED].find((role) => !hasModel(role, config, environment));
  const lacks = lacking === undefined ? null : `no model answers for the ${lacking}`;
  return { isEnabled: enabled, lacks, idleSec, limit: budget, startedMs };
}
