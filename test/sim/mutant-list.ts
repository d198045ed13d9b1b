/**
 * Each mutant breaks one rule of the protocol in the real code (docs/file-protocol.md#rules). Rules whose breach shows
 * only once in many thousand worlds have a test of their own instead: the order of directories and the look before
 * "dead" in test/store/mirror/mirror.test.ts, claims that end with their tick in test/worker-pool/pool.test.ts, that a decided
 * steer stays until it is carried out in test/core/steering.test.ts, that an answer is no message too in
 * test/core/rules/questions.test.ts, that a plan is reported once in test/core/decide.test.ts, that the mark of a change
 * stays when it is taken back in test/store/disk/undo-cut-off.test.ts, that a name which was there, or whose sync failed, is not
 * taken for durable in test/store/disk/disk.test.ts, whose names are taken for durable in test/store/mirror/mirror.test.ts, and
 * that what goes of one record goes in its order in test/supervisor/side-by-side.test.ts, that what is folded can still be read in
 * test/store/mirror/ledger.test.ts, that what has left is followed, and what a look that was cut off had heard is looked at again in
 * test/store/mirror/mirror.test.ts.
 */
export interface Mutant {
  name: string;
  /** The rule that it breaks, in words. */
  rule: string;
  file: string;
  /** Stands exactly once in the file. */
  find: string;
  replace: string;
  /** Where few worlds show it: one that did. It is tried first, and the others after it. */
  seed?: number;
  /** The simulation that must notice it; the large one where it is not said. */
  simulation?: "calendar";
}

const HANDS = "apps/supervisor/src/execute/hands.ts";
const WISHES = "apps/supervisor/src/execute/wishes.ts";
const TASKS = "apps/supervisor/src/execute/tasks.ts";
const NOTES = "apps/supervisor/src/execute/notes.ts";
const SETTLEMENT = "apps/supervisor/src/execute/settle.ts";
const TRIGGERS = "apps/supervisor/src/execute/triggers.ts";
const QUESTIONS = "apps/supervisor/src/execute/questions.ts";
const RECORD = "packages/store/src/disk/record.ts";
const LEDGER = "packages/store/src/mirror/ledger.ts";
const SETTLE = "packages/core/src/rules/settle.ts";
const WAKE = "packages/core/src/rules/wake.ts";
const CLAIM = "apps/worker-pool/src/claim/claim.ts";
const POOL = "apps/worker-pool/src/pool.ts";
const ATTENTION = "packages/core/src/attention/attention.ts";
const FOLD = "apps/supervisor/src/upkeep/fold.ts";
const DOCUMENT = "packages/store/src/documents/document.ts";

export const MUTANTS: readonly Mutant[] = [
  {
    name: "cancelled-below-unseen",
    rule: "views: everything below a new mark is attended to",
    file: ATTENTION,
    find: "if (below !== null) cancelled.add(below);",
    replace: "",
    seed: 143,
  },
  {
    name: "link-left-asleep",
    rule: "views: a link is attended to when a task that it waits for has changed",
    file: ATTENTION,
    find: "for (const link of this.waiting.get(id) ?? []) ids.add(link);",
    replace: "",
    seed: 76,
  },
  {
    name: "trigger-left-asleep",
    rule: "views: a trigger is attended to when its time has come",
    file: ATTENTION,
    find: "if (atMs !== null) this.due.push({ id, atMs });",
    replace: "",
    seed: 41,
  },
  {
    name: "death-untold",
    rule: "views: whose owner has died is looked at again",
    file: "packages/store/src/mirror/mirror.ts",
    find: "for (const id of this.running.judge(this.isAlive)) this.touch(id);",
    replace: "this.running.judge(this.isAlive);",
  },
  {
    name: "gone-and-still-grouped",
    rule: "views: what has gone is in no view",
    file: "packages/store/src/mirror/groups.ts",
    find: "group?.delete(id);",
    replace: "",
  },
  {
    name: "archived-untold",
    rule: "views: what is archived is looked at again",
    file: LEDGER,
    find: "    this.onAdd(id);\n",
    replace: "",
  },
  {
    name: "retry-never-due",
    rule: "views: a task whose retry is due stands in its lane again",
    file: "packages/core/src/tasks/line.ts",
    find: "this.retries.push({ id, dueMs });",
    replace: "void dueMs;",
    seed: 13,
  },
  {
    name: "undone-before-it-is",
    rule: "a change is said to be taken back only when that is durable",
    file: "apps/supervisor/src/execute/undo.ts",
    find: "  const edited = await (change.what",
    replace:
      '  await concludeUndo({ type: "conclude-undo", wish, outcome: "undone" }, hands);\n  const edited = await (change.what',
  },
  {
    name: "changed-unrecorded",
    rule: "J3: what is changed is recorded before it is changed",
    file: "apps/supervisor/src/execute/edit-once.ts",
    find: '  if (change === null || "problem" in change) return change;\n  try {',
    replace:
      '  if (change !== null) return change;\n  if (change === null || "problem" in change) return change;\n  try {',
  },
  {
    name: "acknowledged-before-durable",
    rule: "step 1: durable, then 202",
    file: "test/sim/scenario.ts",
    find: "await persist();\n        await acknowledge();",
    replace: "await acknowledge();\n        await persist();",
  },
  {
    name: "spent-links-stay",
    rule: "I7: every directory drains",
    file: "packages/core/src/rules/prune.ts",
    find: 'if (spent) removals.push({ from: "triggers", id, version });',
    replace: "void spent;",
  },
  {
    name: "rename-clobbers",
    rule: "R1: a fact is created once",
    file: RECORD,
    find: "const linked = await fs.link(temporary, path);",
    replace: 'await fs.rename(temporary, path);\n      const linked = "linked" as "linked" | "missing";',
  },
  {
    name: "no-directory-sync",
    rule: "R1: a name is durable before anybody is told",
    file: RECORD,
    find: "  await Promise.all([fs.unlink(temporary), batch.durable]);",
    replace: "  await fs.unlink(temporary);",
    seed: 15,
  },
  {
    name: "synced-before-named",
    rule: "R1: the sync of a batch begins when all of it has a name",
    file: RECORD,
    find: "this.names.done.then(",
    replace: "this.begun.done.then(",
  },
  {
    name: "no-content-sync",
    rule: "R1: content is durable before it has a name",
    file: "test/sim/world.ts",
    find: "await write(() => disk.syncContent(path));",
    replace: "",
  },
  {
    name: "act-on-undurable",
    rule: "R4: sync the directory before acting on what was listed",
    file: "packages/store/src/mirror/collection.ts",
    find: "await makeDurable(fs, paths);",
    replace: "void [makeDurable, paths];",
    seed: 197,
  },
  {
    name: "acts-on-undurable-content",
    rule: "R4: what was named before it was durable is synced with its content before anything is done about it",
    file: "packages/store/src/mirror/collection.ts",
    find: "await makeDurable(fs, paths);",
    replace: "{ void [makeDurable, paths]; await fs.syncDir(dir); }",
  },
  {
    name: "claim-of-a-lasting-task-lost",
    rule: "R4: only a claim whose attempt may begin anew is not synced",
    file: CLAIM,
    find: 'attempt === 1 && reserved === undefined && task.onInterrupt === "rerun" && KINDS[task.kind].runner === "provider"',
    replace: 'attempt >= 1 && KINDS[task.kind].runner === "provider"',
    seed: 3783,
  },
  {
    name: "children-undurable-when-settled",
    rule: "step 5: children are durable before their parent is archived",
    file: SETTLEMENT,
    find: "await keepChildren(settlement.tasks, hands);",
    replace: "void keepChildren;",
    seed: 21,
  },
  {
    name: "torn-claim-passed-over",
    rule: "R4: a claim that is torn is that of a dead owner",
    file: "packages/store/src/mirror/mirror.ts",
    find: "const file = isTorn && ID_PATTERN.test(id) ? await info() : null;",
    replace: "const file = !isTorn && ID_PATTERN.test(id) && isTorn ? await info() : null;",
    seed: 169,
  },
  {
    name: "what-others-archived-passed-over",
    rule: "views: what is nowhere is known only from a look at all",
    file: "apps/supervisor/src/supervisor.ts",
    find: "return this.mirror.ledger.seen !== this.seen;",
    replace: "return false;",
    seed: 86,
  },
  {
    name: "edits-side-by-side",
    rule: "edits of documents keep their order: each replaces the whole file",
    file: "apps/supervisor/src/execute/side-by-side.ts",
    find: 'edits.length > 0 || result.task.kind === "roll-up" ? null : rootOf(result.id);',
    replace: "edits.length < 0 ? null : rootOf(result.id);",
    seed: 158,
  },
  {
    name: "clean-up-before-archive-is-durable",
    rule: "R3: a source is deleted only after its effect is durable",
    file: LEDGER,
    find: "    await this.fs.syncDir(ARCHIVE);\n    this.synced",
    replace: "    this.synced",
    seed: 132,
  },
  {
    name: "memory-instead-of-name-for-messages",
    rule: "R4: a no from memory is confirmed by name (turn)",
    file: TASKS,
    find: "    if (await ledger.confirm(id)) return;\n  if (await ledger.confirm(turn.id)) return;",
    replace: "    if (ledger.has(id)) return;\n  if (await ledger.confirm(turn.id)) return;",
  },
  {
    name: "no-second-look-after-claim",
    rule: "step 3: archive and results are looked at again after the claim",
    file: CLAIM,
    find: " && (await isWanted(task.id, task.role, claiming));",
    replace: ";",
    seed: 29,
  },
  {
    name: "claim-ignores-cancellation",
    rule: "Cancel: claim checks the task and its ancestors",
    file: CLAIM,
    find: "ledger.confirmAny([id, cancelMark(id), ...ancestorsOf(id).map(cancelMark)])",
    replace: "ledger.confirmAny([id, cancelMark(id), ...ancestorsOf(id).map(cancelMark)].slice(0, 1))",
    seed: 11,
  },
  {
    name: "claim-by-exists-then-write",
    rule: "R1: never exists-then-write",
    file: CLAIM,
    find: "if (!(await create(fs, Claim, path, claim))) return null;",
    replace:
      "if (await fs.exists(path)) return null;\n  const t = fs.temporary();\n  await fs.write(t, JSON.stringify(Claim.parse(claim)));\n  await fs.rename(t, path);\n  void create;",
  },
  {
    name: "claim-from-the-living",
    rule: "R6: only a dead owner loses its claim",
    file: "packages/core/src/tasks/dispatch.ts",
    find: "if (failed === undefined && ownerAlive) return null;",
    replace: "void ownerAlive;",
  },
  {
    name: "children-left-alive",
    rule: "R6: marked processes are gone before the next attempt",
    file: POOL,
    find: "if (candidate.attempt > 1) await this.untilDone(() => options.endEarlier(candidate));",
    replace: "",
  },
  {
    name: "random-child-ids",
    rule: "R2: ids are derived",
    file: SETTLE,
    find: "      const id = childId(result.id, k);",
    replace: "      const id = `${childId(result.id, k)}x${Math.floor(Math.random() * 1_000_000)}`;",
  },
  {
    name: "random-dropped-ids",
    rule: "R2: the same file has the same id",
    file: "packages/store/src/mirror/mirror.ts",
    find: "JSON.stringify([stem, file.inode, file.mtimeMs, file.size])",
    replace: "JSON.stringify([stem, file.inode, file.mtimeMs, file.size, Math.random()])",
  },
  {
    name: "dropped-file-removed-first",
    rule: "R3: write the successor, then drop the predecessor",
    file: WISHES,
    find: "  const { fs, ledger, audit } = hands;\n  if (!(await ledger.confirm(wish.id))",
    replace: "  const { fs, ledger, audit } = hands;\n  await fs.unlink(path);\n  if (!(await ledger.confirm(wish.id))",
    seed: 36,
  },
  {
    name: "turn-archived-first",
    rule: "step 5: the turn is archived last",
    file: SETTLEMENT,
    find: "  await ledger.makeDurable();\n  await consume(settlement, hands);\n  await moveToArchive(resultPath(result.task.role, result.id), result.id, hands);",
    replace:
      "  await moveToArchive(resultPath(result.task.role, result.id), result.id, hands);\n  await fs.syncDir(ARCHIVE);\n  await consume(settlement, hands);",
    seed: 64,
  },
  {
    name: "archived-by-moving",
    rule: "R3: the archive gets a name before the source loses its own, and nothing is clobbered",
    file: HANDS,
    find: 'return (await fs.link(path, archivePath(id))) !== "missing" || (await fs.exists(archivePath(id)));',
    replace: "if (await fs.exists(path)) await fs.rename(path, archivePath(id));\n  return fs.exists(archivePath(id));",
    seed: 166,
  },
  {
    name: "children-after-the-archive",
    rule: "step 5: children exist before the turn is settled",
    file: SETTLEMENT,
    find: "  await queueChildren(settlement.tasks, hands);\n",
    replace:
      "  await moveToArchive(resultPath(result.task.role, result.id), result.id, hands);\n  await fs.syncDir(ARCHIVE);\n  await queueChildren(settlement.tasks, hands);\n",
  },
  {
    name: "plan-reported-in-pieces",
    rule: "C8: a plan is reported once",
    file: WAKE,
    find: "return snapshot.isArchived(plan) && openTasks(snapshot, tasks).length + openLinks(snapshot, links).length === 0;",
    replace: "void tasks;\n  void links;\n  return snapshot.isArchived(plan);",
  },
  {
    name: "turns-overlap",
    rule: "step 2: a turn begins only when the one before is in the archive",
    file: WAKE,
    find: "  if (number > snapshot.settledTurn) return [];\n",
    replace: "",
  },
  {
    name: "link-fires-without-its-condition",
    rule: "D1: a chain's link waits",
    file: "packages/core/src/conditions/task-done.ts",
    find: "if (outcome === undefined) return forNow(false);",
    replace: "if (outcome === undefined) return forNow(true);",
  },
  {
    name: "hopeless-link-waits-for-ever",
    rule: "I7: every directory drains",
    file: "packages/core/src/conditions/task-done.ts",
    find: 'forEver(outcome.status === "done" ||',
    replace: 'forNow(outcome.status === "done" ||',
  },
  {
    name: "cancel-forgets-descendants",
    rule: "Cancel: the task and everything below it",
    file: "packages/core/src/base/snapshot.ts",
    find: "return [id, ...ancestorsOf(id)].some((each) => snapshot.isArchived(cancelMark(each)));",
    replace: "void ancestorsOf;\n  return snapshot.isArchived(cancelMark(id));",
    seed: 15,
  },
  {
    name: "poison-is-tried-again",
    rule: "C5: what took its process down three times is given up",
    file: "packages/core/src/rules/rescue.ts",
    find: "if (isPoison(attempts)) {",
    replace: "if (isPoison(attempts) && attempts.length < 0) {",
  },
  {
    name: "restart-before-its-record",
    rule: "R11: a restart happens at most once",
    file: WISHES,
    find: "  const isFirst = await archive(record, WishOutcome, hands);",
    replace: "  await hands.restart();\n  const isFirst = await archive(record, WishOutcome, hands);",
  },
  {
    name: "edit-without-looking-for-its-mark",
    rule: "R10: an edit is made once",
    file: DOCUMENT,
    find: "const after = isMarked(before) ? before : await write(before);",
    replace: "const after = await write(before);",
  },
  {
    name: "edit-of-another-taken-for-durable",
    rule: "R4: also for documents",
    file: DOCUMENT,
    find: '  await fs.syncDir(directoryOf(path));\n  return "made before";',
    replace: '  return "made before";',
    seed: 296,
  },
  {
    name: "edit-replaces-unsynced",
    rule: "R10: an edit is durable before its turn is settled",
    file: RECORD,
    find: "is gone`);\n  });\n  await fs.syncDir(directoryOf(path));",
    replace: "is gone`);\n  });",
  },
  {
    name: "folded-ids-forgotten",
    rule: "R3: folded ids stay known for ever",
    file: LEDGER,
    find: "    await this.loadFolds();\n    return ids.some((id) => this.known.has(id));",
    replace: "    return ids.some((id) => this.known.has(id));",
    seed: 372,
  },
  {
    name: "names-removed-before-the-fold",
    rule: "R3: a name goes only when it is in a durable fold",
    file: FOLD,
    find: "      const { inPart, unfoldable } = await foldPart(fs, month, part, left);",
    replace:
      "      for (const id of left.slice(1)) await fs.unlink(archivePath(id));\n      const { inPart, unfoldable } = await foldPart(fs, month, part, left);",
  },
  {
    name: "consumed-without-sync",
    rule: "step 5: what a turn consumed is durable in the archive before the turn is",
    file: SETTLEMENT,
    find: "  if (consumed.length === 0) return;\n  await fs.syncDir(ARCHIVE);",
    replace: "  if (consumed.length === 0) return;",
    seed: 326,
  },
  {
    name: "plan-without-tasks-untold",
    rule: "C8: the user hears of every plan",
    file: SETTLEMENT,
    find: "for (const event of settlement.events) await tellTeller(event, hands);",
    replace: "",
  },
  {
    name: "cancel-without-mark",
    rule: "Cancel: a wish leaves its mark",
    file: WISHES,
    find: "if (taskId !== null) await markCancelled(taskId, wish.at, hands);",
    replace: "void taskId;",
  },
  {
    name: "cancel-effect-ignored",
    rule: "step 5: every effect is applied",
    file: SETTLEMENT,
    find: "for (const taskId of settlement.cancels) await markCancelled(taskId, result.completedAt, hands);",
    replace: "",
  },
  {
    name: "wish-forgotten",
    rule: "R3: a wish goes only after its answer is in the archive",
    file: WISHES,
    find: '  if (await archive(record, WishOutcome, hands))\n    hands.audit({ event: "cancel_answered"',
    replace:
      '  if (taskId !== null && (await archive(record, WishOutcome, hands)))\n    hands.audit({ event: "cancel_answered"',
  },
  {
    name: "upstream-not-injected",
    rule: "C8: a link is told the outcome that it waited for",
    file: "packages/core/src/rules/fire.ts",
    find: "const upstream = tasks.flatMap((taskId) => snapshot.outcomeOf(taskId) ?? []);",
    replace: "const upstream = tasks.slice(0, 0).flatMap((taskId) => snapshot.outcomeOf(taskId) ?? []);",
  },
  {
    name: "retried-for-ever",
    rule: "C4: the second failure is final",
    file: "packages/core/src/tasks/retry.ts",
    find: "earlier + 1 >= FAILURES_MAX",
    replace: "earlier + 1 >= FAILURES_MAX * 100",
    seed: 9,
  },
  {
    name: "claim-left-behind",
    rule: "a claim that a disk error left behind is handed back",
    file: POOL,
    find: "    await this.releaseLeftovers();\n",
    replace: "",
    seed: 532,
  },
  {
    name: "lanes-without-end",
    rule: "A5: so many at once, and no more",
    file: "packages/core/src/tasks/dispatch.ts",
    find: ".slice(0, Math.max(0, free[role]))",
    replace: "",
    seed: 4,
  },
  {
    name: "steer-follows-its-own-decision",
    rule: "a steer is decided once, when its wish is archived",
    file: WISHES,
    find: 'return decided === null || !("wish" in decided) || (decided.taskId ?? null) === taskId;',
    replace: "return decided === null || taskId === undefined || true;",
    seed: 283,
  },
  {
    name: "stop-looks-again",
    rule: "a stop that was cut off does not end the next thing too",
    file: "packages/core/src/rules/stop.ts",
    find: "const decision = decided ? snapshot.decisionOf(wish.id) : {",
    replace: 'const decision = decided && wish.id === "" ? snapshot.decisionOf(wish.id) : {',
    seed: 58,
  },
  {
    name: "signal-removed-first",
    rule: "R3: the message of an unheard steer is durable before its signal goes",
    file: WISHES,
    find: "await createMessage(message, hands);\n  await hands.fs.unlink(signalPath(signal.id));",
    replace: "await hands.fs.unlink(signalPath(signal.id));\n  await createMessage(message, hands);",
    seed: 180,
  },
  {
    name: "heard-steers-become-messages",
    rule: "what was heard is not said again",
    file: "packages/core/src/rules/steer.ts",
    find: "if (ids.has(signal.id))",
    replace: 'if (ids.has(signal.id) && signal.id.endsWith("7"))',
    seed: 11,
  },
  {
    name: "next-joins-the-others",
    rule: "a message that wants a turn of its own has one (SPEC I5)",
    file: WAKE,
    find: 'each.kind === "message" && each.mode !== "next" && first',
    replace: 'each.kind === "message" && first',
  },
  {
    name: "ways-are-mixed",
    rule: "a turn takes messages of one way: its reply goes back to where it was asked for",
    file: WAKE,
    find: " && isSameVia(each.via, first.via);",
    replace: ";",
  },
  {
    name: "new-conversation-not-archived",
    rule: "what a turn consumed is in the archive before the turn",
    file: SETTLEMENT,
    find: "if (!(await ledger.confirm(wish.id))) await createRecord(fs, WishOutcome, archivePath(wish.id), record);",
    replace: "void record;",
  },
  {
    name: "outage-counts-as-failure",
    rule: "who could not be reached is tried again until somebody answers (SPEC G4)",
    file: "packages/core/src/tasks/dispatch.ts",
    find: " || failed.outage === true",
    replace: "",
  },
  {
    name: "first-outage-pruned",
    rule: "of the attempts of an outage the first says since when",
    file: "packages/core/src/rules/prune.ts",
    find: "outages.slice(1, -1)",
    replace: "outages.slice(0, -1)",
  },
  {
    name: "outage-forgotten-by-a-stop",
    rule: "a turn that told of an outage keeps that line, however it ends",
    file: "packages/core/src/rules/stop.ts",
    find: "countAttempts(attempts), outage)",
    replace: "countAttempts(attempts))",
    seed: 67,
  },
  {
    name: "trigger-ends-over-its-decision",
    rule: "D5: what was decided is done before a trigger is archived",
    file: "packages/core/src/rules/stand.ts",
    find: "  const undone = undoneOf(trigger, snapshot);\n  if (undone.fire",
    replace:
      '  const undone = undoneOf(trigger, snapshot);\n  if (trigger.over !== undefined) return [{ type: "end-trigger", trigger, outcome: trigger.over }];\n  if (undone.fire',
    seed: 16,
  },
  {
    name: "trigger-forgotten-with-its-versions",
    rule: "Triggers: archive/<id> comes first, then its versions go",
    file: TRIGGERS,
    find: "if (await archive(record, EndedTrigger, hands)) hands.audit",
    replace: 'hands.ledger.add(id);\n  if (record.id === "") hands.audit',
  },
  {
    name: "skips-leave-no-record",
    rule: "D5: every occurrence has an outcome",
    file: TRIGGERS,
    find: "  for (const skip of skips)\n    if (await archive(",
    replace: "  for (const skip of skips.slice(1))\n    if (await archive(",
    seed: 4,
  },
  {
    name: "question-not-answered",
    rule: "Questions: the answer is told",
    file: QUESTIONS,
    find: "  if (event !== null) await tellTeller(event, hands);\n",
    replace: "",
  },
  {
    name: "late-answer-lost",
    rule: "Questions: a late answer becomes a message",
    file: QUESTIONS,
    find: "    await createMessage(message, hands);\n",
    replace: "    void message;\n",
  },
  {
    name: "runs-again-unasked",
    rule: "C5: the user decides whether it runs again",
    file: "packages/core/src/tasks/dispatch.ts",
    find: "if (asked !== undefined && !waiting.permits.has(runAgainPermit(task.id, asked))) return null;",
    replace: "if (asked !== undefined && waiting.permits.size > 99) return null;",
    seed: 118,
  },
  {
    name: "note-upon-note",
    rule: "E2: a note that was decided is in its file before the next is decided",
    file: "packages/core/src/rules/remember.ts",
    find: "  if (last !== null && !last.isKept) return",
    replace: "  if (last !== null && last.number < 0) return",
    seed: 4,
  },
  {
    name: "two-notes-of-one-number",
    rule: "R1: whoever creates a note first has decided what is in it",
    file: NOTES,
    find: "    if (!isSameRange(Note.safeParse(decided).data, note)) return;\n",
    replace: "    void [isSameRange, decided];\n",
    seed: 596,
  },
  {
    name: "kept-before-it-is-written",
    rule: "R3: a note counts as kept only when its messages are durable",
    file: NOTES,
    find: "  if (messages.length > 0) await editAnew(",
    replace:
      "  await archive({ ...note, id: keptId(note.id) }, Note, hands);\n  if (messages.length > 0) await editAnew(",
  },
  {
    name: "sources-go-first",
    rule: "R3: sources go only after their summary is durable",
    file: NOTES,
    find: "  const edited = await editAnew(path,",
    replace: "  for (const source of sources) await fs.unlink(source.path);\n  const edited = await editAnew(path,",
  },
  {
    name: "sources-come-back",
    rule: "R3: sources are gone for good before the roll-up is archived",
    file: NOTES,
    find: "await fs.syncDir(dir);",
    replace: "void dir;",
    seed: 25,
  },
  {
    name: "late-lines-go-too",
    rule: "E3: of a source goes only what was read",
    file: DOCUMENT,
    find: "replaceDocument(fs, path, before, added)",
    replace: 'replaceDocument(fs, path, before, "")',
  },
  {
    name: "summary-over-summary",
    rule: "E3: a summary replaces only the one that was merged into it",
    file: NOTES,
    find: "if (sha256(text) !== known) return STALE;",
    replace: "",
    seed: 240,
  },
  {
    name: "result-summary-forgotten",
    rule: "step 5: effects before the turn is archived",
    file: SETTLEMENT,
    find: "for (const summary of settlement.summaries) await archive(summary, ResultSummary, hands);",
    replace: "void ResultSummary;",
  },
  {
    name: "compression-forgotten",
    rule: "F3: what was compressed stays so in every view",
    file: "packages/store/src/views/history.ts",
    find: "compressed = compressedAfter(turn, compressed);",
    replace: "void compressedAfter;",
    seed: 6,
  },
];
