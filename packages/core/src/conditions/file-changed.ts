/**
 * Holds when what is at the path is not what it was when it was last acted upon (created, written or removed: SPEC D1)
 * and has stayed the same for `settleSec`, so that a save of a hundred files is one change, and no half of it is acted
 * upon. The first sight is only the baseline, unless `fireOnInit`. It is compared with a baseline, so a change is seen
 * even if it happened between two looks.
 */
import { sentence } from "@mimikit/protocol/texts/coded";
import { SETTLE_SEC_DEFAULT } from "@mimikit/protocol/triggers/atoms";
import { type ConditionRule, forNow, UNKNOWN } from "./condition.ts";

/** Nothing has this stamp, so that whatever is there counts as changed; nothing at all does not. */
const FIRST = "first";

export const fileChanged: ConditionRule<"file_changed"> = {
  needs: ({ path, settleSec = SETTLE_SEC_DEFAULT }) => ({
    paths: [path],
    ...(settleSec > 0 && { rests: [{ path, settleSec }] }),
  }),
  judge: ({ path, settleSec = SETTLE_SEC_DEFAULT }, facts, { baseline }) => {
    const stamp = facts.stampOf(path);
    if (stamp === undefined) return UNKNOWN;
    const isChanged = baseline !== undefined && stamp !== baseline;
    return forNow(isChanged && (settleSec === 0 || facts.hasSettled(path, settleSec)));
  },
  explain: ({ path }, facts, { baseline }) => {
    const stamp = facts.stampOf(path);
    if (stamp === undefined) return { text: sentence("evidence_unseen", { path }) };
    if (baseline === undefined) return { text: sentence("evidence_first_look", { path }) };
    return { text: sentence(stamp === baseline ? "evidence_as_it_was" : "evidence_changed", { path }) };
  },
  changed: ({ path }, facts, { baseline }, sinceMs) => {
    const stamp = facts.stampOf(path);
    if (stamp === undefined || baseline === undefined || stamp === baseline) return [];
    return facts.changedSince?.(path, baseline === FIRST ? 0 : sinceMs) ?? [];
  },
  baseline: ({ path, fireOnInit }, facts, isFirst) => {
    const stamp = facts.stampOf(path);
    return isFirst && fireOnInit && stamp ? FIRST : stamp;
  },
};
