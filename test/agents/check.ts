/** Ends with an error unless every agent CLI is there: a suite that is asked for by name must not skip itself. */
import { AGENT_NAMES, findAgent } from "../support/agents.ts";

const missing = AGENT_NAMES.map(findAgent).flatMap((found) => ("missing" in found ? [found.missing] : []));
for (const reason of missing) console.error(reason);
if (missing.length > 0) process.exitCode = 1;
