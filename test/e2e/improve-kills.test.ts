/** Self-improvement under kill -9; `npm run test:improve` does it more often, and everything else of it is in test/improve. */
import { findSandbox } from "@mimikit/agent/shell/sandbox";
import { expect, test } from "vitest";
import { killWhileImproving } from "../improve/kill.ts";

const KILLS = 5;
const sandbox = await findSandbox();
const missing = "missing" in sandbox ? `self-improvement is not tested: ${sandbox.missing}` : null;
if (missing !== null) process.stdout.write(`${missing}\n`);

test.skipIf(missing !== null)(
  "kills leave the user's tree as it was, and nothing that no review stands for",
  async () => {
    const seed = Date.now() % 1_000_000;
    expect({ seed, problems: await killWhileImproving(seed, KILLS) }).toEqual({ seed, problems: [] });
  },
);
