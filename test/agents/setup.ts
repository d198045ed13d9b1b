/** Says once for all suites which agent CLIs are not tested, and why. */
import { AGENT_NAMES, findAgent } from "../support/agents.ts";

export default function setup(): void {
  const missing = AGENT_NAMES.map(findAgent).flatMap((found) => ("missing" in found ? [found.missing] : []));
  if (missing.length > 0) process.stderr.write(`${missing.join("; ")}\n`);
}
