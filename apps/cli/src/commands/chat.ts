/**
 * A conversation in the terminal: replies appear as they are written, work that goes on is reported when it ends, and
 * what is typed meanwhile is taken at once. In a pipe each message waits for the answer to the one before.
 */
import { createInterface } from "node:readline";
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { readLine } from "@mimikit/protocol/wire/slash-command";
import { attachFiles, namesOf } from "../arguments/attach-files.ts";
import { command } from "../arguments/command.ts";
import { type Pastes, TypedInput, withBreaks } from "../arguments/typed-input.ts";
import { t } from "../i18n/language.ts";
import { connectHint } from "../instance/answerers.ts";
import { awaitAnswer, type Listener } from "../instance/await-answer.ts";
import { connect, mayPass } from "../instance/client.ts";
import { freshKey, type HandOver, handOver, wantedBy, withFiles } from "../instance/hand-over.ts";
import { follow } from "../instance/live.ts";
import { ask } from "../instance/write-command.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { adoptedHome, currentPlace } from "../io/place.ts";
import { plainLine, printLine, styled } from "../io/print.ts";
import { CHAT_LINES_MAX, keepChatLine, readChatLines } from "../terminal/chat-lines.ts";
import { answerMeant } from "../terminal/question-text.ts";
import { Screen } from "../terminal/screen.ts";
import { completeSlash, mistakeText, slashHelp } from "../terminal/slash-help.ts";

export const chat = command({
  usage: "chat",
  summary: "talk with Mimikit in the terminal",
  examples: [
    ["mimikit chat", "Ctrl-C ends what runs now, Ctrl-D leaves and lets it go on; /help and Tab show the commands"],
    [
      "mimikit chat",
      "the arrow keys bring back what you typed; a paste is one message, a long one is collapsed; Alt-Enter begins a line",
    ],
    ["echo status | mimikit chat", "each line of the pipe is a message"],
  ],
  async run({ json }) {
    adoptedHome();
    if (json) throw new Failure("usage", t("chat is for people: programs use  mimikit ask --json"));
    await converse();
  },
});

async function converse(): Promise<void> {
  const client = connect();
  const [earlier, { version, providers }] = await Promise.all([client.messages(), client.status()]);
  const { home } = currentPlace();
  const isLive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const typed = isLive ? typedBefore(home) : { lines: [], problem: null };
  const input = isLive ? new TypedInput(process.stdin, process.stdout) : process.stdin;
  let connection: ReturnType<typeof follow> | undefined;
  try {
    const terminal = createInterface({
      input,
      output: process.stdout,
      terminal: isLive,
      prompt: "",
      history: typed.lines,
      historySize: CHAT_LINES_MAX,
      removeHistoryDuplicates: true,
      completer: completeSlash,
    });
    const screen = new Screen(isLive ? terminal : null);
    screen.listen(input);
    if (isLive) {
      printLine(
        `${styled("bold", "Mimikit")} ${t("{version}, answered by {teller}", { version, teller: providers.teller })}${connectHint(providers.teller)}`,
      );
      screen.note(t("/help shows the commands, Tab completes them; Ctrl-C ends what runs, Ctrl-D leaves"));
    }
    let keepsLines = typed.problem === null;
    if (typed.problem !== null) screen.note(typed.problem, "red");
    screen.begin(earlier);
    const pastes = input instanceof TypedInput ? input.pastes : null;
    const talk = new Talk(screen, isLive, pastes);
    connection = follow(
      (frame) => screen.show(frame),
      (isThere) => {
        // In a pipe a break is no news: each message waits until it is answered.
        if (!isLive) return;
        if (isThere) screen.note(t("the gateway answers again; nothing is lost"));
        else screen.note(t("the gateway does not answer right now; your input is kept, and sent when it is back"));
      },
    );
    const end = new Promise<void>((resolve) => terminal.once("close", resolve));
    // Notes printed while leaving must not bring back the prompt: there is no line to type in any more.
    terminal.once("close", () => screen.lineEnded());
    let leaving = false;
    input.on("keypress", (_typed, { ctrl, name }) => {
      if (!ctrl || name !== "c") leaving = false;
    });
    terminal.on("SIGINT", () => {
      if (terminal.line !== "") screen.dropLine();
      else if (leaving) terminal.close();
      else {
        leaving = true;
        screen.note(talk.interrupt() ? t("Ctrl-C once more leaves") : t("Ctrl-C once more, or Ctrl-D, leaves"));
      }
    });
    terminal.on("line", (line) => {
      leaving = false;
      talk.take(isLive ? withBreaks(line) : line, screen.lineEnded());
      // The arrow keys are a comfort: that they cannot be kept is said once, and ends nothing.
      if (isLive && keepsLines && !pastes?.isCollapsed(line)) {
        try {
          keepChatLine(home, line);
        } catch (error) {
          keepsLines = false;
          screen.note(t("your input cannot be kept for the arrow keys: {reason}", { reason: reasonOf(error) }), "red");
        }
      }
      screen.prompt();
    });
    screen.prompt();
    await end;
    // At a terminal, leaving does not wait; a pipe that has ended still wants its answers.
    if (isLive) talk.stopWaiting();
    await talk.ended();
  } finally {
    connection?.close();
    if (input instanceof TypedInput) input.leave();
  }
  if (isLive)
    process.stdout.write(`\n${styled("dim", t("Mimikit keeps running;  mimikit chat  continues the conversation"))}\n`);
}

/** Lines that the arrow keys bring back. If the file cannot be read, they are missing, and it is not written over. */
function typedBefore(home: string): { lines: string[]; problem: string | null } {
  try {
    return { lines: readChatLines(home), problem: null };
  } catch (error) {
    return { lines: [], problem: t("your earlier input cannot be read: {reason}", { reason: reasonOf(error) }) };
  }
}

/** Everything that was asked and is not answered yet. Things are handed over in the order in which they were typed. */
class Talk {
  private readonly screen: Screen;
  /** At a terminal nobody waits for their turn to speak. */
  private readonly isLive: boolean;
  private readonly open = new Set<Promise<void>>();
  private waiting = new AbortController();
  /** Resolves when the message before is answered. */
  private answered: Promise<void> = Promise.resolve();
  /** Resolves when what came before is handed over. */
  private handed: Promise<void> = Promise.resolve();
  /** Files for the next message; a message that comes while a file is being stored waits for it. */
  private attached: Promise<AttachedFile[]> = Promise.resolve([]);
  private readonly latestSteps = new Map<string, string>();

  private readonly pastes: Pastes | null;

  constructor(screen: Screen, isLive: boolean, pastes: Pastes | null) {
    this.screen = screen;
    this.pastes = pastes;
    this.isLive = isLive;
  }

  /** Does what a line says. @param asked the question that it answers, unless it is a command. */
  take(text: string, asked: QuestionView | null): void {
    const line = readLine(text);
    if (asked !== null && line.kind === "message") this.answer(asked, this.expanded(line.text));
    else if (line.kind === "mistake") this.screen.note(mistakeText(line), "red");
    else if (line.kind === "help") this.screen.note(slashHelp());
    else if (line.kind === "attach") this.track(this.attach(line.text));
    else if (line.kind === "message" || line.kind === "next") {
      if (line.text === "") return;
      const { text: said, files: pasted } = this.pastes?.message(line.text) ?? { text: line.text, files: [] };
      const wanted = wantedBy({ ...line, text: said });
      const { attached } = this;
      const files = async () => [...(await attached), ...(await attachFiles([], pasted))];
      this.attached = Promise.resolve([]);
      this.answered = this.isLive ? this.say(wanted, files) : this.answered.then(() => this.say(wanted, files));
      this.track(this.answered);
    } else if (line.kind === "steer") this.track(this.carryOut({ ...line, text: this.expanded(line.text) }));
    else this.track(this.carryOut(wantedBy(line)));
  }

  private expanded(text: string): string {
    return this.pastes?.expanded(text) ?? text;
  }

  /** Takes a file along with the next message; one that cannot be taken changes nothing. */
  private async attach(path: string): Promise<void> {
    const before = this.attached;
    const work = before.then(async (files) => {
      try {
        const [file] = await attachFiles([path]);
        if (file === undefined) return files;
        this.screen.note(
          t("{names} ({type}) goes along with your next message", {
            names: plainLine(namesOf([file])),
            type: file.type,
          }),
        );
        return [...files, file];
      } catch (error) {
        this.screen.note(reasonOf(error), "red");
        return files;
      }
    });
    this.attached = work;
    await work;
  }

  private answer(asked: QuestionView, text: string): void {
    this.screen.questions.putAside(asked.id);
    if (text === "")
      this.screen.note(t("put aside; later:  mimikit questions answer {id} <answer>", { id: plainLine(asked.id) }));
    else this.track(this.sendAnswer(asked, text));
  }

  private async sendAnswer(asked: QuestionView, text: string): Promise<void> {
    try {
      const answer = answerMeant(asked, text);
      await ask(currentPlace().home, { kind: "answer", questionId: asked.id, answer });
    } catch (error) {
      this.screen.questions.takeUp(asked.id);
      this.screen.note(reasonOf(error), "red");
    }
  }

  /** Ends what runs now, if anything is awaited, and waits no longer. @returns whether there was anything. */
  interrupt(): boolean {
    if (!this.stopWaiting()) return false;
    this.track(this.carryOut({ kind: "stop" }));
    return true;
  }

  /** Lets go of the answers that are awaited; they come when they come. @returns whether there were any. */
  stopWaiting(): boolean {
    if (this.open.size === 0) return false;
    this.waiting.abort();
    this.waiting = new AbortController();
    return true;
  }

  async ended(): Promise<void> {
    while (this.open.size > 0) await Promise.all(this.open);
  }

  private track(work: Promise<void>): void {
    this.screen.await();
    this.open.add(work);
    void work.finally(() => {
      this.open.delete(work);
      this.screen.awaited();
    });
  }

  /** Sends a message and waits until everything that it started is answered. */
  private async say(wanted: HandOver, files: () => Promise<AttachedFile[]>): Promise<void> {
    const key = freshKey();
    const turn = this.takePlace();
    const hand = async () => {
      await turn.come;
      const { id } = await handOver(withFiles(wanted, await files()), key);
      turn.pass();
      return id;
    };
    try {
      await this.awaitAnswer(hand, this.listener());
    } catch (error) {
      // Nothing of the instance runs any more: what was typed is kept all the same.
      if (mayPass(error)) await this.keep(wanted, await files(), key);
      // One message that failed does not end the conversation.
      else this.screen.note(reasonOf(error), "red");
    } finally {
      turn.pass();
    }
  }

  /** Makes it durable where nothing runs. */
  private async keep(wanted: HandOver, files: AttachedFile[], key: string): Promise<void> {
    try {
      const { taken } = await handOver(withFiles(wanted, files), key);
      if (!taken)
        this.screen.note(t("Mimikit is not running; this is kept, and answered at the next start: mimikit up"));
    } catch (error) {
      this.screen.note(reasonOf(error), "red");
    }
  }

  /** Steers, stops or begins anew: also while the gateway is being restarted. */
  private async carryOut(wanted: HandOver): Promise<void> {
    const turn = this.takePlace();
    try {
      await turn.come;
      const { id } = await handOver(wanted);
      turn.pass();
      if (wanted.kind === "stop") this.screen.note(t("stopping …"));
      if (wanted.kind === "retry") this.screen.note(t("answering your last message again"));
      if (wanted.kind !== "steer") return;
      this.screen.note(t("sent to the running task"));
      // At a terminal, whatever comes of it appears by itself.
      if (!this.isLive)
        await this.awaitAnswer(() => Promise.resolve(id), { ...SILENT, onReply: this.listener().onReply });
    } catch (error) {
      this.screen.note(reasonOf(error), "red");
    } finally {
      turn.pass();
    }
  }

  private async awaitAnswer(hand: () => Promise<string>, listener: Listener): Promise<void> {
    await awaitAnswer(hand, listener, { signal: this.waiting.signal, isAttended: this.isLive });
  }

  /** A place in the row of what is handed over. */
  private takePlace(): { come: Promise<void>; pass: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const come = this.handed;
    this.handed = promise;
    return { come, pass: resolve };
  }

  /** Several answers that are awaited at once hear the same; it is shown once. */
  private listener(): Listener {
    return {
      onReply: (reply) => this.screen.reply(reply),
      onNotice: (notice) => this.screen.reply(notice),
      // Questions come over the screen's own connection.
      onQuestion: () => undefined,
      onTask: (task) => this.screen.task(task),
      onProgress: (taskId, step) => {
        if (this.latestSteps.get(taskId) === step) return;
        this.latestSteps.set(taskId, step);
        this.screen.do(plainLine(step));
      },
    };
  }
}

const SILENT: Listener = {
  onReply: () => undefined,
  onNotice: () => undefined,
  onQuestion: () => undefined,
  onTask: () => undefined,
  onProgress: () => undefined,
};
