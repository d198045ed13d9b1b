/**
 * What the model is shown in a run: the prompt, then what was called and answered. It always fits into the window, and
 * no call in it is without its answer.
 */
import { renderPrompt } from "../prompt.ts";
import type { Run } from "../provider.ts";
import { shorten } from "../tokens.ts";
import { fitInto, measure } from "./fit-into.ts";
import type { ChatMessage, ModelRequest, ToolDefinition } from "./model.ts";

/** The part of the window that the prompt may take, and one tool's result; the rest is for what comes of them. */
const PROMPT_SHARE = 0.7;
const RESULT_SHARE = 0.25;

export class Conversation {
  private readonly run: Run;
  private readonly tools: readonly ToolDefinition[];
  private prompt: ChatMessage[] = [];
  private readonly messages: ChatMessage[] = [];
  private tokensMax: number;

  private constructor(run: Run, tools: readonly ToolDefinition[], tokensMax: number) {
    this.run = run;
    this.tools = tools;
    this.tokensMax = tokensMax;
  }

  /** @param tokensMax what a request may have, tools included. Throws what `renderPrompt` throws. */
  static async open(run: Run, tools: readonly ToolDefinition[], tokensMax: number): Promise<Conversation> {
    const conversation = new Conversation(run, tools, tokensMax);
    await conversation.render(run);
    return conversation;
  }

  add(message: ChatMessage): void {
    const max = this.room * RESULT_SHARE;
    this.messages.push(message.role === "tool" ? { ...message, content: shorten(message.content, max) } : message);
  }

  /** From now on the prompt is the rules and the current question alone (SPEC I6). */
  async dropContext(): Promise<void> {
    const context = { ...this.run.context, history: [], tasks: [], memory: [], backlog: [] };
    await this.render({ ...this.run, context });
  }

  /** The endpoint found it too long, whatever we had estimated: half of it, from now on. */
  async halve(): Promise<void> {
    this.tokensMax = Math.floor(Math.min(this.tokensMax, this.measure()) / 2);
    await this.dropContext();
  }

  /** @param mayCall whether the model is offered its tools. */
  request(mayCall: boolean): ModelRequest {
    return { messages: fitInto([...this.prompt, ...this.messages], this.room), tools: mayCall ? this.tools : [] };
  }

  private measure(): number {
    const { messages } = this.request(true);
    return measure(messages, this.tools);
  }

  /** What the tools' descriptions leave for messages. */
  private get room(): number {
    return this.tokensMax - measure([], this.tools);
  }

  private async render(run: Run): Promise<void> {
    const { system, user } = await renderPrompt(run, this.room * PROMPT_SHARE);
    this.prompt = [
      { role: "system", content: system },
      { role: "user", content: user },
    ];
  }
}
