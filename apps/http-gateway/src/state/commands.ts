/** The one door in: what a client wants becomes a record in inbox/, and is promised only once it is durable (SPEC K2). */

import { unknownPool } from "@mimikit/core/base/named-pool";
import { optionOf } from "@mimikit/core/tasks/question";
import { triggerIdOf } from "@mimikit/core/triggers/of-command";
import { definitionOf, patchOf, problemOf } from "@mimikit/core/triggers/triggers";
import { replyId } from "@mimikit/core/views/history";
import { againId } from "@mimikit/protocol/base/id";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import type { Question } from "@mimikit/protocol/records/question";
import { coded, codeOrQuote } from "@mimikit/protocol/texts/coded";
import {
  type Given,
  TRIGGERS_MAX,
  type TriggerChange,
  type TriggerInput,
  type When,
} from "@mimikit/protocol/triggers/trigger-order";
import type { BacklogBody, InputBody, MemoryBody, MemoryEditBody, RetryBody } from "@mimikit/protocol/wire/api";
import type { Log } from "@mimikit/runtime/audit/log";
import { changeView } from "@mimikit/runtime/config/list-changes";
import { taskThatNeverWas } from "@mimikit/runtime/workspace/trigger-facts";
import { assertKept, keepAttachments, UnknownAttachment } from "@mimikit/store/attachments/attachments";
import { type CommandInput, commandId, createCommand } from "@mimikit/store/disk/create-command";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { makeDurable } from "@mimikit/store/disk/record";
import { type Command, isSameCommand, readCommand } from "@mimikit/store/disk/same-command";
import { approvalPath, inboxPath } from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { HttpProblem } from "../http/problem.ts";
import { lastNumber } from "./last-number.ts";
import { isSameAnswer, isSameChange, isSameMessage, isSameOrder, isSameRetry, messageOf } from "./same-request.ts";
import type { View } from "./view.ts";

/** A command as it is said, or what decides whether the first one under its key was the same. */
type Asked = CommandInput | ((first: Command) => boolean | Promise<boolean>);

export interface CommandsDeps {
  fs: FileSystem;
  cache: StateCache;
  view: View;
  token: string;
  timeZone(): string;
  log: Pick<Log, "audit">;
  /** The clock; that of the machine when not given. */
  nowMs?: () => number;
}

export class Commands {
  private readonly fs: FileSystem;
  private readonly cache: StateCache;
  private readonly view: View;
  private readonly token: string;
  readonly timeZone: () => string;
  private readonly log: Pick<Log, "audit">;
  private readonly nowMs: () => number;
  /** How many are on their way to the disk, and whom to tell when none is any more. */
  private underWay = 0;
  private rest = Promise.withResolvers<void>();
  /** Of commands that are durable. */
  private notes: AuditEvent[] = [];

  /** @param timeZone of crons that name none: that of the owner. */
  constructor({ fs, cache, view, token, timeZone, log, nowMs = Date.now }: CommandsDeps) {
    this.fs = fs;
    this.cache = cache;
    this.view = view;
    this.token = token;
    this.timeZone = timeZone;
    this.log = log;
    this.nowMs = nowMs;
  }

  /** Resolves when no command is on its way to the disk. */
  async atRest(): Promise<void> {
    if (this.underWay > 0) await this.rest.promise;
  }

  /**
   * Makes a message durable. The same key always means the same message: sending it again changes nothing.
   * @returns the id of the message.
   * @throws HttpProblem 404 for an attachment that was never uploaded, 507 when the disk is full; nothing was promised then.
   */
  async sendMessage(input: InputBody, key: string | undefined): Promise<string> {
    const id = commandId("message", key);
    const { attachments = [] } = input;
    await this.withFiles(async () => {
      if (await this.isDone(id, key, (first) => isSameMessage(first, input))) return assertKept(this.fs, attachments);
      const kept = await keepAttachments(this.fs, attachments);
      const detail = { characters: input.text.length, attachments: kept.length };
      await this.accept(id, messageOf(input, kept), { event: "message_accepted", detail });
      await assertKept(this.fs, attachments);
    });
    return id;
  }

  /** @throws HttpProblem 404 for an attachment that is not there. */
  private async withFiles(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof UnknownAttachment) throw new HttpProblem(404, codeOrQuote(error.message));
      throw error;
    }
  }

  /**
   * Says something to a task or, without one, to what runs now (SPEC I5). The same key always means the same words.
   * @returns the id of the command. @throws HttpProblem 404 for an unknown task, 409 for one that has ended or is a step of self-improvement.
   */
  async steer(text: string, taskId: string | undefined, key: string | undefined): Promise<string> {
    const id = commandId("steer", key);
    const target = { ...(taskId !== undefined && { taskId }) };
    const command = { kind: "steer" as const, text, ...target };
    if (await this.isKnown(id, key, command)) return id;
    if (taskId !== undefined) await this.view.assertSteerable(taskId);
    const note = { event: "steer_accepted", ...target, detail: { characters: text.length } };
    return this.accept(id, command, note);
  }

  /**
   * Asks for what runs now to be ended (SPEC I5).
   * @param only `reply`: the reply that is being written, and never a task.
   * @returns the id of the command.
   */
  async stop(key: string | undefined, only?: "reply"): Promise<string> {
    const id = commandId("stop", key);
    const command = { kind: "stop" as const, ...(only !== undefined && { only }) };
    if (await this.isDone(id, key, command)) return id;
    return this.accept(id, command, { event: "stop_requested" });
  }

  /** Asks for the conversation to start over (SPEC F3); signed, like a restart. @returns the id of the command. */
  async clear(key: string | undefined): Promise<string> {
    const id = commandId("clear", key);
    if (await this.isDone(id, key, { kind: "clear" })) return id;
    return this.accept(id, { kind: "clear" }, { event: "clear_requested" });
  }

  /**
   * Asks for the last reply to be given again. The same key always means the same command.
   * @returns the id of the command. @throws HttpProblem 404 for an unknown message, 409 where that cannot be.
   */
  async retry({ messageId, text, answerBy }: RetryBody, key: string | undefined): Promise<string> {
    const id = commandId("retry", key);
    const asked = { messageId, text, answerBy };
    if (await this.isKnown(id, key, (first) => isSameRetry(first, asked, this.cache))) return id;
    const { turnId, said } = await this.view.lastReply(messageId);
    const last = said.findLast(({ role }) => role === "user");
    if (text !== undefined && (last === undefined || !last.id.startsWith("m-")))
      throw new HttpProblem(409, coded("nothing_said_there"));
    if (text !== undefined && messageId !== undefined && messageId !== last?.id && messageId !== replyId(turnId))
      throw new HttpProblem(409, coded("only_last_changed"));
    const edit = text !== undefined && last !== undefined && { edit: { messageId: last.id, text } };
    const command = { kind: "retry" as const, turnId, ...edit, ...(answerBy !== undefined && { answerBy }) };
    return this.accept(id, command, { event: "retry_requested", detail: { turnId, edited: text !== undefined } });
  }

  /**
   * Asks for a task and everything below it to be cancelled. Every command is one of its own: a second cancel may find
   * children that the first came too early for.
   * @returns the id of the command. @throws HttpProblem 404 for an unknown task, 409 for one that has ended.
   */
  async cancelTask(taskId: string): Promise<string> {
    await this.view.assertCancellable(taskId);
    return this.accept(commandId("cancel"), { kind: "cancel", taskId }, { event: "cancel_requested", taskId });
  }

  /**
   * Orders an ended task once more, asked in other words where `text` is given. The same key always means the same try.
   * @returns the id of the new task, from now on. @throws HttpProblem 404 for an unknown task, 409 where it cannot be tried again.
   */
  async tryAgain(taskId: string, text: string | undefined, key: string | undefined): Promise<string> {
    const id = commandId("again", key);
    const newId = againId(taskId, id);
    const command = { kind: "again" as const, taskId, ...(text !== undefined && { text }) };
    if (await this.isKnown(id, key, command)) return newId;
    await this.view.assertRepeatable(taskId);
    await this.accept(id, command, { event: "again_requested", taskId, detail: { newId } });
    return newId;
  }

  /** Asks for the processes to be started again. The signature proves that the sender was signed in. */
  restart(): Promise<string> {
    return this.accept(commandId("restart"), { kind: "restart" }, { event: "restart_requested" });
  }

  /**
   * Answers an open question. The same key always means the same answer.
   * @returns the id of the command.
   * @throws HttpProblem 404 for an unknown question, 410 for one that is closed, 400 where only one of its options can be the answer.
   */
  async answer(questionId: string, answer: string, key: string | undefined): Promise<string> {
    const id = commandId("answer", key);
    if (await this.isKnown(id, key, (first) => isSameAnswer(first, questionId, answer))) return id;
    const question = await this.view.questionOf(questionId);
    const command = { kind: "answer" as const, questionId, answer: checkedAnswer(question, answer) };
    const detail = { questionId, characters: answer.length };
    return this.accept(id, command, { event: "answer_accepted", detail });
  }

  /**
   * Answers an open question with one of its options. The same key always means the same answer.
   * @param place of the option: 0, 1, … @returns the id of the command.
   * @throws HttpProblem as `answer` does; 400 where there is no such option.
   */
  async choose(questionId: string, place: number, key: string): Promise<string> {
    const id = commandId("answer", key);
    // The key names the question and the place.
    if (await this.isKnown(id, key, () => true)) return id;
    const { options } = await this.view.questionOf(questionId);
    const option = options[place];
    if (option === undefined) throw new HttpProblem(400, coded("answer_is_option", { options: options.join(", ") }));
    return this.answer(questionId, option, key);
  }

  /**
   * Orders a trigger. The same key always means the same trigger.
   * @returns the id that it has, from now on.
   * @throws HttpProblem 400 for an order that cannot be carried out, 409 when there are TRIGGERS_MAX already.
   */
  async putTrigger(input: TriggerInput, key: string | undefined): Promise<string> {
    const id = commandId("trigger-put", key);
    const triggerId = triggerIdOf(id);
    if (await this.isKnown(id, key, (first) => isSameOrder(first, input, this.timeZone()))) return triggerId;
    const definition = definitionOf(input, this.timeZone());
    if ("problem" in definition) throw new HttpProblem(400, codeOrQuote(definition.problem));
    this.assertPossible(definition.when);
    await this.assertPool(definition.order.pool);
    const { triggers } = await this.view.refresh();
    await this.assertTasksKnown(definition.when);
    if (triggers.length >= TRIGGERS_MAX)
      throw new HttpProblem(409, coded("triggers_full", { max: TRIGGERS_MAX }), { hint: "Delete some of them first." });
    const detail = { triggerId, type: definition.when.type };
    await this.accept(id, { kind: "trigger-put", definition }, { event: "trigger_ordered", detail });
    return triggerId;
  }

  /**
   * Changes, pauses or resumes a trigger. The same key always means the same change.
   * @returns the id of the command.
   * @throws HttpProblem 404 for an unknown trigger, 410 for one that is over, 400 for a change that cannot be made.
   */
  async patchTrigger(triggerId: string, change: TriggerChange, key: string | undefined): Promise<string> {
    const id = commandId("trigger-patch", key);
    const isSame = (first: Command) => isSameChange(first, triggerId, change, this.timeZone());
    if (await this.isKnown(id, key, isSame)) return id;
    const { type } = await this.view.triggerOf(triggerId);
    if (Object.keys(change).length === 0) throw new HttpProblem(400, coded("change_empty"));
    const patch = patchOf(change, type, this.timeZone());
    if ("problem" in patch) throw new HttpProblem(400, codeOrQuote(patch.problem));
    if (patch.when !== undefined) this.assertPossible(patch.when);
    await this.assertPool(patch.order?.pool);
    await this.assertTasksKnown(patch.when);
    const detail = { triggerId, fields: Object.keys(change) };
    return this.accept(id, { kind: "trigger-patch", triggerId, patch }, { event: "trigger_changed", detail });
  }

  /** @throws HttpProblem 400 in words that say what would be right. */
  private assertPossible(when: When): void {
    const problem = problemOf(when, this.nowMs());
    if (problem !== null) throw new HttpProblem(400, codeOrQuote(problem));
  }

  /** @throws HttpProblem 400 for a machine that there is not. */
  private async assertPool(pool: string | undefined): Promise<void> {
    if (pool === undefined) return;
    const { readPools } = await import("@mimikit/runtime/pools/registry");
    const problem = unknownPool(pool, await readPools(this.fs));
    if (problem !== null) throw new HttpProblem(400, codeOrQuote(problem));
  }

  /** @throws HttpProblem 400 for an order that waits for a task that never was. */
  private async assertTasksKnown(when: When | undefined): Promise<void> {
    const id = await taskThatNeverWas(when, this.cache);
    if (id !== null) throw new HttpProblem(400, coded("task_never_was", { id }));
  }

  /** Ends a trigger for good. @returns the id of the command. @throws HttpProblem 404 unknown, 410 over. */
  async deleteTrigger(triggerId: string, key: string | undefined): Promise<string> {
    const id = commandId("trigger-delete", key);
    const command = { kind: "trigger-delete" as const, triggerId };
    if (await this.isKnown(id, key, command)) return id;
    await this.view.triggerOf(triggerId);
    return this.accept(id, command, { event: "trigger_deleted", detail: { triggerId } });
  }

  /**
   * Fires a trigger once more, whatever its schedule says.
   * @returns the id of the command. @throws HttpProblem 404 unknown, 410 over.
   */
  async runTrigger(triggerId: string, key: string | undefined): Promise<string> {
    const id = commandId("trigger-run", key);
    const command = { kind: "trigger-run" as const, triggerId };
    if (await this.isKnown(id, key, command)) return id;
    await this.view.triggerOf(triggerId);
    return this.accept(id, command, { event: "trigger_run_requested", detail: { triggerId } });
  }

  /**
   * Fires a trigger for a delivery from outside, once: under its key it is the same delivery, whatever a retry of it says.
   * @returns the id of the command, and whether it was there before. @throws HttpProblem 404 unknown, 410 over.
   */
  async deliver(triggerId: string, key: string, given: Given): Promise<{ id: string; duplicate: boolean }> {
    const id = commandId("trigger-run", key);
    const isSame = () => true;
    if (await this.isKnown(id, key, isSame)) return { id, duplicate: true };
    await this.view.triggerOf(triggerId);
    const note = { event: "trigger_run_requested" as const, detail: { triggerId, hook: given.from } };
    const isNew = await this.create(id, { kind: "trigger-run", triggerId, given }, note);
    return { id, duplicate: !isNew };
  }

  /** The last of the commands that these keys in a row have made, if any. @param keyOf the key of a number, from 0 on. */
  async lastRun(keyOf: (number: number) => string): Promise<{ number: number; first: Command | null } | null> {
    const idOf = (number: number) => commandId("trigger-run", keyOf(number));
    const { archiveIndex } = this.cache;
    const isThere = async (id: string) => (await this.fs.exists(inboxPath(id))) || (await archiveIndex.confirm(id));
    let number = lastNumber((each) => archiveIndex.has(idOf(each)));
    if (!(await isThere(idOf(number)))) return null;
    while (await isThere(idOf(number + 1))) number++;
    return { number, first: await readCommand(idOf(number), this.fs, archiveIndex) };
  }

  /** Asks for something to be remembered. The same key always means the same words. @returns the id of the command. */
  async addMemory({ content, longTerm, target }: MemoryBody, key: string | undefined): Promise<string> {
    const id = commandId("memory-add", key);
    const command = { kind: "memory-add" as const, content, longTerm, ...(target !== undefined && { target }) };
    if (await this.isDone(id, key, command)) return id;
    return this.accept(id, command, { event: "memory_add_accepted", detail: { characters: content.length } });
  }

  /** Asks for an entry of memory to be changed or forgotten. @returns the id of the command. */
  async editMemory({ document, entry, to }: MemoryEditBody, key: string | undefined): Promise<string> {
    const id = commandId("memory-edit", key);
    const command = { kind: "memory-edit" as const, document, entry, ...(to !== undefined && { to }) };
    if (await this.isDone(id, key, command)) return id;
    return this.accept(id, command, { event: "memory_edit_accepted", detail: { document } });
  }

  /** Asks for a change of the backlog. The same key always means the same change. @returns the id of the command. */
  async editBacklog({ op, item }: BacklogBody, key: string | undefined): Promise<string> {
    const id = commandId("backlog-edit", key);
    const command = { kind: "backlog-edit" as const, op, item };
    if (await this.isDone(id, key, command)) return id;
    return this.accept(id, command, { event: "backlog_edit_accepted", detail: { op } });
  }

  /**
   * Asks for a change to be undone; whether that can be done is seen when it is carried out. Asking for one that was
   * undone before is harmless.
   * @returns the id of the command. @throws HttpProblem 404 for an unknown change, 409 for one that cannot be undone now.
   */
  async undo(changeId: string, key: string | undefined): Promise<string> {
    const id = commandId("undo", key);
    const command = { kind: "undo" as const, changeId };
    if (await this.isKnown(id, key, command)) return id;
    await this.view.refresh();
    const change = this.cache.changes.get(changeId);
    if (change === undefined)
      throw new HttpProblem(404, coded("no_such_change"), { hint: "GET /api/changes lists them." });
    const { state, problem } = await changeView(change, { fs: this.fs, cache: this.cache }, this.nowMs());
    if (state === "gone")
      throw new HttpProblem(409, problem === undefined ? coded("undo_not_now") : codeOrQuote(problem));
    return this.accept(id, command, { event: "undo_requested", detail: { changeId } });
  }

  /**
   * Commands of a prefix that was allowed for good are to ask again.
   * @returns the id of the command. @throws HttpProblem 404 where there is no approval with this id.
   */
  async revoke(approvalId: string, key: string | undefined): Promise<string> {
    const id = commandId("revoke", key);
    const command = { kind: "revoke" as const, approvalId };
    if (await this.isKnown(id, key, command)) return id;
    if (!(await this.fs.exists(approvalPath(approvalId))))
      throw new HttpProblem(404, coded("no_such_approval"), { hint: "GET /api/approvals lists them." });
    return this.accept(id, command, { event: "revoke_requested", detail: { approvalId } });
  }

  /**
   * Makes a command durable, and notes in the audit that it is new, when the client has its answer. @returns its id.
   * @throws HttpProblem 422 where another command was made under this id meanwhile.
   */
  private async accept(id: string, said: CommandInput, note: AuditEvent): Promise<string> {
    if (!(await this.create(id, said, note))) await this.assertSame(id, said);
    return id;
  }

  /** @returns false where a command of this id was there before. */
  private async create(id: string, said: CommandInput, note: AuditEvent): Promise<boolean> {
    this.underWay++;
    try {
      const isNew = await createCommand(this.fs, this.token, said, id, this.nowMs());
      if (isNew) this.noteSoon({ ...note, detail: { id, ...note.detail } });
      return isNew;
    } finally {
      if (--this.underWay === 0) {
        this.rest.resolve();
        this.rest = Promise.withResolvers();
      }
    }
  }

  /** Those of one turn of the event loop are written together, after the answers of this turn. */
  private noteSoon(note: AuditEvent): void {
    if (this.notes.push(note) > 1) return;
    setImmediate(() => {
      this.log.audit(...this.notes);
      this.notes = [];
    });
  }

  /**
   * Was this asked for already? A repeat is no news, whatever has happened since. The first may still be on its way to the disk, or come
   * from a gateway that was killed, so it is made durable before the repeat is answered.
   * @throws HttpProblem 422 where the key was used for something else.
   */
  private async isKnown(id: string, key: string | undefined, asked: Asked): Promise<boolean> {
    if (key === undefined) return false;
    const path = inboxPath(id);
    // A command moves from inbox/ to archive/, so it is looked for in this order.
    if (!(await this.fs.exists(path))) return this.isDone(id, key, asked);
    await makeDurable(this.fs, [path]);
    await this.assertSame(id, asked);
    return true;
  }

  /**
   * Was this carried out already? A repeat that comes after that must not ask a second time.
   * @throws HttpProblem 422 where the key was used for something else.
   */
  private async isDone(id: string, key: string | undefined, asked: Asked): Promise<boolean> {
    if (key === undefined || !(await this.cache.archiveIndex.confirm(id))) return false;
    await this.assertSame(id, asked);
    return true;
  }

  /** @throws HttpProblem 422 where the command of this id is another one. A damaged record tells nothing, and counts as the same. */
  private async assertSame(id: string, asked: Asked): Promise<void> {
    const first = await readCommand(id, this.fs, this.cache.archiveIndex);
    if (first === null) return;
    const isSame = typeof asked === "function" ? await asked(first) : isSameCommand(first, asked);
    if (!isSame) throw new HttpProblem(422, coded("key_reused"), { hint: "Send it under another key." });
  }
}

/** The supervisor's own questions have no other answers than their options. @throws HttpProblem 400. */
function checkedAnswer(question: Question, answer: string): string {
  const taken = optionOf(question, answer);
  if (taken !== null) return taken;
  throw new HttpProblem(400, coded("answer_is_option", { options: question.options.join(", ") }));
}
