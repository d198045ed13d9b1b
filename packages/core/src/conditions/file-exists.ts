/** Holds while something is at the path, or at any path that the glob matches (SPEC D1). */
import { sentence } from "@mimikit/protocol/texts/coded";
import { type ConditionRule, forNow, UNKNOWN } from "./condition.ts";

export const fileExists: ConditionRule<"file_exists"> = {
  needs: ({ path }) => ({ paths: [path] }),
  judge: ({ path }, facts) => {
    const stamp = facts.stampOf(path);
    return stamp === undefined ? UNKNOWN : forNow(stamp !== "");
  },
  explain: ({ path }, facts) => {
    const stamp = facts.stampOf(path);
    if (stamp === undefined) return { text: sentence("evidence_unseen", { path }) };
    return { text: sentence(stamp === "" ? "evidence_nothing_at" : "evidence_there", { path }) };
  },
};
