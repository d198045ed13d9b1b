/**
 * The conversation that a model is shown in a run: the rules, the question, then messages, calls and answers. It is in
 * the session on disk before anything depends on it; it always fits into the window, and no call in it is without its
 * result.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { tryJson } from "@mimikit/protocol/base/json";
import type { Steer } from "@mimikit/protocol/base/signal";
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { isTurn } from "@mimikit/protocol/records/task";
import type { TranscriptEntry } from "@mimikit/protocol/wire/transcript";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { hasCode } from "@mimikit/store/disk/error-code";
import { sessionPath, summaryPath } from "@mimikit/store/disk/state";
import { z } from "zod";
import { inputText } from "../prompt/input-text.ts";
import { IMAGES_MAX, MEDIA_TOKENS, type Media } from "../prompt/media.ts";
import {
  fillPrompt,
  fillTalk,
  loadPrompt,
  type PromptFile,
  type RenderedSection,
  renderSections,
} from "../prompt/prompt.ts";
import { lines, record } from "../prompt/quote.ts";
import { shownIn } from "../prompt/shown-memory.ts";
import { estimateTokens } from "../prompt/tokens.ts";
import type { Run } from "../provider.ts";
import { definitionOf, isResumable } from "../roles/index.ts";
import { answeredCalls, countCalls, repair, Session, type SessionLine, type TurnOf } from "../session/session.ts";
import { summarizeTalk } from "../session/summarize-talk.ts";
import { NO_SUMMARY, parseSummary, renderSummary, type Summary, showSummary, summarize } from "../session/summary.ts";
import { budgetsFor } from "../talk/budgets.ts";
import type { Picture } from "../tools/tool-text.ts";
import { fitConversation, measure, QUESTION_SHARE_MAX, RESULT_SHARE_MAX, shortenTo, total } from "./budget.ts";
import type { KernelMessage, ModelRequest, Thought, ToolCall } from "./model.ts";
import { section, type ToolCallFormat } from "./tool-call-format.ts";
import { READ_SKILL } from "./tools/read-skill.ts";

const SkillInput = z.object({ name: z.string() });

const CACHE_KEY_CHARS = 32;
/** Of a request, pictures of tools' answers may take this much. */
const PICTURES_SHARE_MAX = 0.5;

export const RESUMED =
  "An earlier attempt of this task ended here without a result. What it did is above, and its effects are still there. Go on from where it was; look before you repeat a step.";

/** The least that a conversation that was too long keeps beside the rules: a question of ordinary length is never cut. */
const HALVED_TOKENS_MIN = 1_024;

/** The beginning of an attempt's conversation. */
export interface Resumed {
  turns: number;
  badLines: number;
  callsMade: number;
}

export class ModelConversation {
  private run: Run;
  private media: readonly Media[];
  private readonly format: ToolCallFormat;
  private readonly file: PromptFile;
  private readonly session: Session;
  private readonly turns: SessionLine[] = [];
  /** The ids of all calls, including those of earlier attempts. */
  private readonly ids = new Set<string>();
  private tokensMax: number;
  private sections: readonly RenderedSection[];
  private prompt: KernelMessage[] = [];
  /** How many messages the summary stands for, and what an earlier attempt knew. */
  private cut = 0;
  private summary: Summary;
  private mustCut = false;
  private isBlind = false;
  /** The bytes of pictures in base64, by their paths. */
  private readonly loaded = new Map<string, string>();

  private constructor(
    run: Run,
    format: ToolCallFormat,
    file: PromptFile,
    session: Session,
    tokensMax: number,
    summary: Summary,
    media: readonly Media[],
  ) {
    this.run = run;
    this.media = media;
    this.format = format;
    this.file = file;
    this.session = session;
    this.tokensMax = tokensMax;
    this.sections = this.renderSections();
    this.summary = summary;
  }

  /**
   * A Worker's later attempt goes on with the session; every other begins it again, because what an earlier attempt has
   * staged is gone with it and must not be believed done (docs/file-protocol.md#the-life-of-a-task).
   * @param tokensMax what a request may have, tools included.
   * @param media what the question shows, in the order in which the evidence names it.
   * Throws what the disk throws, `SessionTooLong`, `BadTemplate`.
   */
  static async open(
    run: Run,
    format: ToolCallFormat,
    tokensMax: number,
    media: readonly Media[] = [],
  ): Promise<{ conversation: ModelConversation; resumed: Resumed | null }> {
    const { task, attempt, home } = run;
    const loaded = await loadPrompt(definitionOf(task), run.context.rules);
    const system = format.rules === "" ? loaded.system : `${loaded.system}\n${format.rules}`;
    const file = { ...loaded, system, tokens: loaded.tokens + estimateTokens(format.rules) };
    const path = join(home, sessionPath(task.id));
    const mustLast = isResumable(task);
    const mayResume = mustLast && attempt > 1;
    const { session, turns, badLines } = mayResume
      ? await Session.resume(path)
      : { session: await Session.begin(path, mustLast), turns: [], badLines: 0 };
    const summary = mayResume ? await readSummary(join(home, summaryPath(task.id))) : NO_SUMMARY;
    if (!mayResume) await rm(join(home, summaryPath(task.id)), { force: true });
    const conversation = new ModelConversation(run, format, file, session, tokensMax, summary, media);
    try {
      conversation.turns.push(...turns);
      conversation.withIds(turns.flatMap((turn) => (turn.type === "assistant" ? turn.calls : [])));
      const text = conversation.promptWithin(conversation.room).at(-1)?.content ?? "";
      // Of attempts that came to nothing, as those of an outage, nothing is noted: there may be very many.
      if (turns.at(-1)?.type !== "prompt") await conversation.add({ type: "prompt", attempt, text });
    } catch (error) {
      await session.close();
      throw error;
    }
    const callsMade = countCalls(repair(turns));
    return { conversation, resumed: turns.length <= 1 ? null : { turns: turns.length, badLines, callsMade } };
  }

  close(): Promise<void> {
    return this.session.close();
  }

  /** The user's steering messages to the earlier attempts. */
  get steers(): Steer[] {
    return this.turns.flatMap((turn) => (turn.type === "steer" ? [{ id: turn.id, at: turn.at, text: turn.text }] : []));
  }

  /** The skills that the earlier attempts have read, as their calls named them. */
  get skillsRead(): string[] {
    return answeredCalls(repair(this.turns)).flatMap(({ call, result }) =>
      isSkillRead(result) ? nameIn(call.arguments) : [],
    );
  }

  /** Gives the calls of a new answer ids that are unique in the session. Many endpoints send none, or repeat them in each answer. */
  withIds(calls: readonly ToolCall[]): ToolCall[] {
    return calls.map((call) => {
      let { id } = call;
      for (let n = this.ids.size; id === "" || this.ids.has(id); n++) id = `call${String(n).padStart(5, "0")}`;
      this.ids.add(id);
      return { ...call, id };
    });
  }

  /** Adds the model's text and calls. Its thoughts are kept if calls came of them: some vendors demand them back then. */
  addAnswer(text: string, calls: readonly ToolCall[], thoughts: readonly Thought[] = []): Promise<void> {
    for (const { text } of thoughts) if (text !== "") this.run.tell({ type: "thought", text });
    const isKept = calls.length > 0 && thoughts.length > 0;
    return this.add({ type: "assistant", text, calls: [...calls], ...(isKept && { thoughts: [...thoughts] }) });
  }

  addResult(result: Omit<TurnOf<"result">, "type">): Promise<void> {
    return this.add({ type: "result", ...result });
  }

  /** Adds a message of the kernel to the model. */
  addNote(text: string, pictures: readonly Picture[] = []): Promise<void> {
    return this.add({ type: "note", text, ...(pictures.length > 0 && { pictures: [...pictures] }) });
  }

  addSteer(steer: Steer): Promise<void> {
    return this.add({ type: "steer", ...steer });
  }

  /** From now on the prompt is the rules and the question alone (SPEC I6). */
  dropContext(): void {
    this.sections = this.sections.filter(({ isQuestion }) => isQuestion);
    this.prompt = [];
  }

  /** Does the question show pictures, or let recordings be heard? */
  get hasMedia(): boolean {
    return this.media.length > 0 || (!this.isBlind && this.turns.some((turn) => picturesOf(turn).length > 0));
  }

  /** From now on the model is told of the evidence, and shown nothing of it. */
  dropMedia(): void {
    const evidence = (this.run.context.evidence ?? []).map(({ shownAs: _, ...each }) => each);
    this.run = { ...this.run, context: { ...this.run.context, evidence } };
    this.media = [];
    this.isBlind = true;
    this.sections = this.renderSections();
    this.prompt = [];
  }

  /** The endpoint holds less than was thought: no request is longer than `tokensMax` from now on. */
  fitTo(tokensMax: number): void {
    this.tokensMax = Math.min(this.tokensMax, tokensMax);
    this.mustCut = true;
    this.prompt = [];
  }

  /** The endpoint found it too long, whatever we had estimated: half of what is not rules and tools, and nothing shown, from now on. */
  halve(): void {
    const { messages } = this.request(true);
    const { tools } = this.format;
    const rules = measure(
      messages.filter(({ role }) => role === "system"),
      tools,
    );
    const rest = Math.max(0, Math.min(this.tokensMax, measure(messages, tools)) - rules);
    this.tokensMax = rules + Math.max(Math.floor(rest / 2), Math.min(rest, HALVED_TOKENS_MIN));
    this.mustCut = true;
    this.dropMedia();
    this.dropContext();
  }

  /** @param mayCall whether the model is offered its tools. Throws what the disk throws while the summary is written. */
  request(mayCall: boolean): ModelRequest {
    const turns = repair(this.turns).filter((turn) => !isFirstPrompt(turn, this.turns));
    const { room } = this;
    const seen = this.seenIn(turns);
    const upTo = (cut: number) =>
      cut > this.cut ? summarize(turns.slice(this.cut, cut), this.summary, this.goal) : this.summary;
    const { messages, cut } = fitConversation(
      {
        prompt: (max) => this.promptWithin(max),
        turns: turns.map((turn) => this.messageOf(turn, room, seen)),
        cut: this.cut,
        summary: (cut, max) => (cut === 0 ? null : summaryMessage(upTo(cut), max)),
      },
      room,
      (message) => measure(this.format.write([message]), []),
      this.mustCut,
    );
    if (cut > this.cut) {
      this.summary = upTo(cut);
      this.cut = cut;
      replaceFile(join(this.run.home, summaryPath(this.run.task.id)), renderSummary(this.summary));
    }
    const asked = messages[this.prompt.length - 1];
    if (asked !== undefined) this.run.bus.show(shownIn(asked.content, this.run));
    return { messages: this.format.write(messages), tools: this.format.tools, mayCall, cacheKey: this.cacheKey };
  }

  /** The same in each request of a session. All turns begin with the same rules, so that they share one; it tells nothing of the task. */
  private get cacheKey(): string {
    const { task, home } = this.run;
    const name = `${home}\n${isTurn(task) ? task.role : task.id}`;
    return createHash("sha256").update(name).digest("hex").slice(0, CACHE_KEY_CHARS);
  }

  /** How many messages the summary stands for. */
  get summarized(): number {
    return this.cut;
  }

  private async add(turn: SessionLine): Promise<void> {
    await this.session.append(turn);
    this.turns.push(turn);
    for (const told of toldBy(turn)) this.run.tell(told);
  }

  /** The room that the descriptions of the tools leave for messages. */
  private get room(): number {
    return this.tokensMax - measure([], this.format.tools);
  }

  /** The user's own words that this began with. */
  private get goal(): string {
    const { task } = this.run;
    return isTurn(task) ? task.turn.messages.map((message) => message.text).join("\n") : task.prompt;
  }

  /** The prompt stays as it is while it fits, for the endpoint's cache. */
  private promptWithin(max: number): KernelMessage[] {
    if (this.prompt.length === 0 || total(this.prompt, (message) => measure([message], [])) > max)
      this.prompt = this.renderPrompt(max);
    return this.prompt;
  }

  /** A model that talks with the user is shown what was said as messages of its own; to all others that is a text. */
  private renderPrompt(max: number): KernelMessage[] {
    const { media } = this;
    const shown = media.length * MEDIA_TOKENS;
    const rooms = [max - shown, this.room * QUESTION_SHARE_MAX - shown] as const;
    const withMedia = media.length > 0 && { media };
    if (!isTurn(this.run.task)) {
      const { system, user } = fillPrompt(this.file, this.sections, ...rooms);
      return [
        { role: "system", content: system },
        { role: "user", content: user, ...withMedia },
      ];
    }
    const { system, head, talk, question } = fillTalk(this.file, this.sections, ...rooms);
    return [
      { role: "system", content: system },
      ...(head === "" ? [] : [{ role: "user" as const, content: head.trimEnd() }]),
      ...talk.map(({ role, content }) => (role === "user" ? { role, content } : { role, content, calls: [] })),
      { role: "user", content: question, ...withMedia, isQuestion: true },
    ];
  }

  private renderSections(): RenderedSection[] {
    const { run } = this;
    const budgets = budgetsFor(this.tokensMax, run.context.budgets);
    const sumUp = (history: readonly HistoryMessage[], summary: string) => summarizeTalk({ history, summary });
    return renderSections(run, { budgets, sumUp }, isTurn(run.task));
  }

  /** Of the pictures that tools have answered with, the newest are shown: as many as a request takes, and half of it has room for. */
  private seenIn(turns: readonly SessionLine[]): ReadonlySet<Picture> {
    const roomFor = Math.floor((this.room * PICTURES_SHARE_MAX) / MEDIA_TOKENS);
    const max = this.isBlind ? 0 : Math.min(IMAGES_MAX, roomFor);
    return new Set(max === 0 ? [] : turns.flatMap(picturesOf).slice(-max));
  }

  private mediaOf(pictures: readonly Picture[]): Media[] {
    return pictures.flatMap(({ path, type }) => {
      const data = this.loaded.get(path) ?? readIfThere(path);
      if (data === null) return [];
      this.loaded.set(path, data);
      return [{ type, data }];
    });
  }

  private messageOf(turn: SessionLine, room: number, seen: ReadonlySet<Picture>): KernelMessage {
    switch (turn.type) {
      case "prompt":
        return { role: "user", content: RESUMED };
      case "note": {
        const all = picturesOf(turn);
        const media = this.mediaOf(all.filter((each) => seen.has(each)));
        const left = all.length - media.length;
        const content = left === 0 ? turn.text : `${turn.text}\n[${left} of them are not shown here]`;
        return { role: "user", content, ...(media.length > 0 && { media }) };
      }
      case "steer": {
        const words = record({ id: turn.id, at: turn.at }, turn.text);
        const remark =
          "The user says this now, while you work. It counts before what was asked earlier. Only your last message is handed on: let it say all that still counts";
        return { role: "user", content: section(remark, "inputs", words) };
      }
      case "assistant":
        return { role: "assistant", content: turn.text, calls: turn.calls, thoughts: turn.thoughts };
      case "result": {
        const { requestId: callId, tool, text: content, error, artifact } = turn;
        return shortenTo({ role: "tool", callId, tool, content, error, artifact }, Math.floor(room * RESULT_SHARE_MAX));
      }
    }
  }
}

/** The question of the attempt that runs stands first; of the others' only the note remains that they ended. */
function isFirstPrompt(turn: SessionLine, turns: readonly SessionLine[]): boolean {
  return turn.type === "prompt" && turns.find((each) => each.type === "prompt") === turn;
}

function picturesOf(turn: SessionLine): readonly Picture[] {
  return turn.type === "note" ? (turn.pictures ?? []) : [];
}

/** A file in base64; null where it is gone, as the folder of a run is after some days. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "base64");
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES")) return null;
    throw error;
  }
}

function isSkillRead({ tool, isMade, error }: TurnOf<"result">): boolean {
  return tool === READ_SKILL && isMade && error === undefined;
}

/** The name in the arguments of a call; none if it cannot be read. */
function nameIn(input: string): string[] {
  const { data } = SkillInput.safeParse(tryJson(input));
  return data === undefined ? [] : [data.name];
}

function summaryMessage(summary: Summary, tokensMax: number): KernelMessage | null {
  const parts = showSummary(summary, tokensMax).map(({ title, text }) => record({ part: title }, text));
  if (parts.length === 0) return null;
  const remark = "What was said and done so far, shortened; what follows is whole";
  return { role: "user", content: section(remark, "compressed_context", lines(...parts)) };
}

async function readSummary(path: string): Promise<Summary> {
  try {
    return parseSummary(await readFile(path, "utf8"));
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    return NO_SUMMARY;
  }
}

/** The part of a turn that people are shown. */
function toldBy(turn: SessionLine): TranscriptEntry[] {
  switch (turn.type) {
    case "assistant": {
      const calls = turn.calls.map((call) => ({
        type: "call" as const,
        id: call.id,
        tool: call.name,
        input: inputText(call.arguments),
      }));
      return turn.text === "" ? calls : [{ type: "said", text: turn.text }, ...calls];
    }
    case "result":
      return [{ type: "output", id: turn.requestId, ok: turn.error === undefined, text: turn.text }];
    case "steer":
      return [{ type: "steer", text: turn.text }];
    case "prompt":
    case "note":
      return [];
  }
}
