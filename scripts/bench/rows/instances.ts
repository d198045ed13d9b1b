/** The common part of rows about the whole product: three real processes from their bundles, in a state directory of their own. */
import { Instance, type InstanceOptions, ROLE_NAMES } from "../../../test/support/instance.ts";
import type { Figures } from "../measure/figures.ts";
import type { Contestant } from "./row.ts";

/** A model or an agent CLI of whoever measures is not asked; what is written in HOME is gone with the instance. */
const ENV = { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", GOOGLE_GENERATIVE_AI_API_KEY: "", GEMINI_API_KEY: "" };

/** Starts an instance, measures, and removes it. */
export async function withInstance<T>(
  options: InstanceOptions,
  measure: (mimikit: Instance) => Promise<T>,
): Promise<T> {
  const mimikit = await Instance.start({ ...options, env: { ...ENV, ...options.env } });
  try {
    return await measure(mimikit);
  } finally {
    await mimikit.dispose();
  }
}

/** A contestant that is a Mimikit, of which there is always one. */
export function instance(
  name: string,
  options: () => InstanceOptions,
  measure: (mimikit: Instance) => Promise<Figures>,
): Contestant {
  return { name, missing: null, round: () => withInstance(options(), measure) };
}

export const pidsOf = (mimikit: Instance): number[] => ROLE_NAMES.map((role) => mimikit.pidOf(role));
