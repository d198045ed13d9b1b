/** Holds while something is at the path, or at any path that the glob matches (SPEC D1). */
import { type ConditionRule, forNow, UNKNOWN } from "./condition.ts";

export const fileExists: ConditionRule<"file_exists"> = {
  needs: ({ path }) => ({ paths: [path] }),
  judge: ({ path }, facts) => {
    const stamp = facts.stampOf(path);
    return stamp === undefined ? UNKNOWN : forNow(stamp !== "");
  },
  explain: ({ path }, facts) => {
    const stamp = facts.stampOf(path);
    if (stamp === undefined) return { text: `${path} cannot be looked at` };
    return { text: stamp === "" ? `nothing is at ${path}` : `${path} is there` };
  },
};
