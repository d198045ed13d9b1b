/**
 * Holds when what is at the path is not what it was when it was last acted upon: created, written or removed (SPEC D1).
 * The first sight is only the baseline, unless `fireOnInit`. Because it is compared with a baseline, a change that
 * happened while nobody looked is seen all the same.
 */
import { sentence } from "@mimikit/protocol/texts/coded";
import { type ConditionRule, forNow, UNKNOWN } from "./condition.ts";

export const fileChanged: ConditionRule<"file_changed"> = {
  needs: ({ path }) => ({ paths: [path] }),
  judge: ({ path }, facts, { baseline }) => {
    const stamp = facts.stampOf(path);
    if (stamp === undefined) return UNKNOWN;
    return forNow(baseline !== undefined && stamp !== baseline);
  },
  explain: ({ path }, facts, { baseline }) => {
    const stamp = facts.stampOf(path);
    if (stamp === undefined) return { text: sentence("evidence_unseen", { path }) };
    if (baseline === undefined) return { text: sentence("evidence_first_look", { path }) };
    return { text: sentence(stamp === baseline ? "evidence_as_it_was" : "evidence_changed", { path }) };
  },
  baseline: ({ path, fireOnInit }, facts, isFirst) => {
    const stamp = facts.stampOf(path);
    // Nothing has this stamp, so that whatever is there counts as changed; nothing at all does not.
    return isFirst && fireOnInit && stamp ? "first" : stamp;
  },
};
