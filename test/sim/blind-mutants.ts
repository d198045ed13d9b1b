/**
 * Mutants that were made without a look at the checker, by a reader of the product and its docs alone: they say whether it also notices
 * a breach that nobody had in mind when it was written. Of seven it noticed four, and a fifth (one-yes-for-every-interruption) since it looks for
 * the permit of the very attempt that was cut off. Two are not here, because only tests of the rule notice them: that a repeat is acknowledged
 * when it is durable (test/http-gateway/state/commands.test.ts), and that the firings of a condition are numbered on where it has been changed
 * (test/core/rules/change.test.ts): no world changes a condition.
 */
import type { Mutant } from "./mutant-list.ts";

export const BLIND_MUTANTS: readonly Mutant[] = [
  {
    name: "torn-child-taken-for-whole",
    rule: "R2: a task whose record a power loss has torn is whole before the order that it comes from is archived",
    file: "packages/store/src/disk/record.ts",
    find: 'if (there === "torn") return replaceView(fs, path, textOf(schema, path, record));',
    replace: 'if (there === "torn") return false;',
    seed: 24,
  },
  {
    name: "reservations-of-one-look-not-added-up",
    rule: "budgets: runs begin beside each other only as long as all their reservations fit",
    file: "apps/worker-pool/src/claim/allot.ts",
    find: "accounts = accounts.map((account) => ({ ...account, reserved: addSpending(account.reserved, reserved) }));",
    replace: "",
    seed: 46,
  },
  {
    name: "one-yes-for-every-interruption",
    rule: "work that asks after an interruption runs again only with a yes for that very interruption",
    file: "packages/core/src/tasks/question.ts",
    find: "attempts.findLast(wasCutOff)?.attempt",
    replace: "attempts.find(wasCutOff)?.attempt",
    seed: 196,
  },
  {
    name: "chain-judged-before-its-plan-is-written",
    rule: "I5: a dependent task does not end for want of another one before all records of its plan are written",
    file: "packages/core/src/rules/fire.ts",
    find: "if (missing === undefined || !isComplete(dependent, snapshot)) return [];",
    replace: "if (missing === undefined) return [];",
    seed: 142,
  },
  {
    name: "roll-up-takes-what-was-added",
    rule: "memory: only the text that a summary was made of is taken from a note; the rest stays, and waits",
    file: "apps/supervisor/src/execute/notes.ts",
    find: "const restOf = (text: string) => text.slice(lengthOf(text, known));",
    replace: 'const restOf = (text: string) => (lengthOf(text, known) === 0 ? text : "");',
    seed: 2,
  },
];
