/**
 * Each mutant breaks one rule of work on other machines in the real code (docs/pools.md, SCALE.md); the pools' worlds must notice it. Each
 * names the first world that did.
 */
import type { Mutant } from "../mutant-list.ts";

const STEP = "packages/core/src/pools/attempt-step.ts";
const CARRIER = "packages/runtime/src/pools/carrier.ts";
const DISPATCHER = "apps/worker-pool/src/dispatcher/dispatcher.ts";
const REMOTE = "apps/worker-pool/src/remote/remote-pool.ts";

const LIST: readonly Omit<Mutant, "simulation">[] = [
  {
    name: "begun-without-a-permit",
    rule: "no attempt begins without a permit of its home",
    file: REMOTE,
    find: 'const isPermitted = await this.ask(job, running, { kind: "ask", nonce }, PERMIT);',
    replace: "const isPermitted = true;",
    seed: 1,
  },
  {
    // That the answer and the creation of the record both look who has the permit is one look too many, as long as the questions about a job are
    // answered one after the other: a mutant of either alone changes nothing. So this one breaks what follows from both.
    name: "refused-is-granted",
    rule: "of two runs of one job, the one that asked first begins",
    file: DISPATCHER,
    find: 'case "refuse":\n        return link.tell(job, { kind: "permit", nonce, granted: false });',
    replace: 'case "refuse":\n        return link.tell(job, { kind: "permit", nonce, granted: true });',
    seed: 1,
  },
  {
    name: "believed-before-its-permit",
    rule: "before its permit, nothing of an attempt is believed",
    file: STEP,
    find: '(permit === nonce || (permit === null && kind === "ask"));',
    replace: "(permit === nonce || permit === null);",
    seed: 1,
  },
  {
    name: "offered-with-a-permit",
    rule: "with a permit, no job is ever offered again",
    file: STEP,
    find: 'if (attempt.permit === null) return "add";',
    replace: 'if (attempt.permit === null || attempt.silentMs > leaseMs / 2) return "add";',
    seed: 3,
  },
  {
    name: "the-epoch-is-ignored",
    rule: "nothing that a former life of the home had begun is gone on with",
    file: DISPATCHER,
    find: "isOfThisEpoch: owner.epoch === identity.epoch,",
    replace: "isOfThisEpoch: identity.epoch !== '',",
    seed: 6,
  },
  {
    name: "the-budget-forgets-a-claim",
    rule: "what an attempt reserves is counted until it has said what it cost",
    file: DISPATCHER,
    find: "...(claim.reserved !== undefined && { reserved: claim.reserved }),",
    replace: "",
    seed: 7,
  },
  {
    name: "charged-twice",
    rule: "an attempt is charged once, also where its outcome is taken again",
    file: "apps/worker-pool/src/dispatcher/line-once.ts",
    find: "if (hasLine(book, task.id, { role: task.role, attempt, ownerAlive: true, at: fromAt }, toMs)) return null;",
    replace: "void [hasLine, fromAt, toMs];",
    seed: 32,
  },
  {
    name: "interrupted-for-nothing",
    rule: "an attempt that was given up has cost what was reserved for it",
    file: "apps/worker-pool/src/claim/allot.ts",
    find: "const hasDied = !ownerAlive || each.failed !== undefined;",
    replace: "const hasDied = !ownerAlive;",
    seed: 7,
  },
  {
    name: "late-and-taken",
    rule: "after its interruption, nothing of an attempt is taken",
    file: DISPATCHER,
    find: "    if (await fs.exists(failedAttemptPath(ROLE, id, attempt))) return true;\n",
    replace: "",
    seed: 25,
  },
  {
    name: "ended-before-its-calls",
    rule: "the calls of a run are noted before its outcome is said",
    file: DISPATCHER,
    find: "    return noted >= calls;",
    replace: "    return true;",
    seed: 10,
  },
  {
    name: "calls-noted-again",
    rule: "each call is noted once",
    file: DISPATCHER,
    find: "const fresh = first > noted ? [] : calls.slice(noted - first);",
    replace: "const fresh = first > noted ? [] : calls;",
    seed: 1,
  },
  {
    name: "it-goes-on-alone",
    rule: "a machine that reaches nobody for a lease ends what it runs",
    file: REMOTE,
    find: "if (link.silentMs > leaseMs && !running.stop.signal.aborted) {",
    replace: "if (link.silentMs > 99 * leaseMs && !running.stop.signal.aborted) {",
    seed: 36,
  },
  {
    name: "given-up-after-one-lease",
    rule: "a machine is given up after two leases of silence",
    file: STEP,
    find: "export const LEASES_OF_SILENCE = 2;",
    replace: "export const LEASES_OF_SILENCE = 1;",
    seed: 12,
  },
  {
    name: "never-given-up",
    rule: "a machine is given up at all",
    file: STEP,
    find: 'return attempt.silentMs > LEASES_OF_SILENCE * leaseMs ? "give-up" : "wait";',
    replace: 'return "wait";',
    seed: 8,
  },
  {
    name: "silent-while-the-engine-is-away",
    rule: "while the engine is away, nothing is concluded",
    file: DISPATCHER,
    find: "if (stoodStill || !link.isThere || this.wasThere.get(name) !== true)",
    replace: "if (stoodStill)",
    seed: 12,
  },
  {
    name: "another-machine-is-believed",
    rule: "a machine speaks of what it was given, and of nothing else",
    file: DISPATCHER,
    find: "    if (each !== undefined && each.owner.pool !== pool) return;\n",
    replace: "",
    seed: 1,
  },
  {
    name: "heard-twice",
    rule: "what was said is heard once, in the order of its sender",
    file: CARRIER,
    find: "if (digits === undefined || number <= (this.last.get(session) ?? 0)) return null;",
    replace: "if (digits === undefined) return null;",
    seed: 5,
  },
  {
    name: "stopped-once",
    rule: "a run that nobody wants is told to stop until it does",
    file: DISPATCHER,
    find: 'await link.tell(job, { kind: ["runs", "lines", "want"].includes(said.kind) ? "stop" : "taken" });',
    replace: 'await link.tell(job, { kind: "taken" });',
    seed: 265,
  },
  {
    name: "taken-before-it-is-published",
    rule: "a machine forgets an outcome only when the home has it",
    file: DISPATCHER,
    find: "    await each.stream?.end();\n    options.noteUsage",
    replace: '    await link.tell(job, { kind: "taken" });\n    await each.stream?.end();\n    options.noteUsage',
    seed: 1,
  },
  {
    name: "lost-and-not-said",
    rule: "the machine says that a run is gone with its process",
    file: REMOTE,
    find: "if (ended === null) lost.push(begun);",
    replace: "if (ended === null) continue;",
    seed: 10,
  },
  {
    name: "an-outcome-in-memory",
    rule: "an outcome is on the disk of the machine before it is said",
    file: REMOTE,
    find: "    await createUnsynced(fs, EndedAway, endedAwayPath(job), { job, nonce, outcome });\n",
    replace: "",
    seed: 1,
  },
  {
    name: "begun-in-memory",
    rule: "an attempt is on the disk of the machine before it begins",
    file: REMOTE,
    find: "    await createUnsynced(fs, BegunAway, begunAwayPath(job), { job, nonce, owner: this.options.identity });\n",
    replace: "",
    seed: 1,
  },
  {
    name: "permits-for-ever",
    rule: "no permit is left of what is over",
    file: DISPATCHER,
    find: "      for (const path of [permitPath(id, Number(digits)), notedCallsPath(id, Number(digits))]) await fs.unlink(path);\n",
    replace: "      void digits;\n",
    seed: 1,
  },
  {
    name: "kept-for-a-former-home",
    rule: "a machine keeps nothing of a home that it has left",
    file: REMOTE,
    find: "if (partsOfJob(job)?.home !== homeId) {",
    replace: "if (partsOfJob(job)?.home === '') {",
    seed: 6,
  },
];

export const POOL_MUTANTS: readonly Mutant[] = LIST.map((mutant) => ({ ...mutant, simulation: "pools" }));
