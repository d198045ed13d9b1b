/**
 * A conversation in the terminal: replies appear as they are written, work that goes on is reported when it ends, and
 * what is typed meanwhile is taken at once. In a pipe each message waits for the answer to the one before.
 */
import { createInterface, type Interface } from "node:readline";
import type { ChatMessage, QuestionView } from "@mimikit/protocol/api";
import type { AttachedFile } from "@mimikit/protocol/attachment";
import { readLine } from "@mimikit/protocol/slash-command";
import { attachFiles, namesOf } from "../attach-files.ts";
import { awaitAnswer, type Listener } from "../await-answer.ts";
import { type Client, connect } from "../client.ts";
import { command } from "../command.ts";
import { Failure, reasonOf } from "../failure.ts";
import { freshKey, handOver, handTo, type Wanted, wantedBy, withFiles } from "../hand-over.ts";
import { follow } from "../live.ts";
import { currentPlace } from "../place.ts";
import { plainLine } from "../print.ts";
import { answerMeant } from "../question-text.ts";
import { Screen } from "../screen.ts";
import { completeSlash, mistakeText, slashHelp } from "../slash-help.ts";
import { ask } from "../write-wish.ts";

/** How many earlier messages the arrow keys bring back. */
const HISTORY_MAX = 100;

export const chat = command({
  usage: "chat",
  summary: "talk with Mimikit in the terminal",
  examples: [
    ["mimikit chat", "Ctrl-C ends what runs now, Ctrl-D leaves and lets it go on; /help and Tab show the commands"],
    ["echo status | mimikit chat", "each line of the pipe is a message"],
  ],
  async run({ json }) {
    if (json) throw new Failure("usage", "chat is for people: programs use  mimikit ask --json");
    await converse();
  },
});

async function converse(): Promise<void> {
  const earlier = await connect().messages();
  const isLive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const terminal = openTerminal(earlier, isLive);
  const screen = new Screen(isLive ? terminal : null);
  for (const message of earlier) screen.know(message);
  const talk = new Talk(screen, isLive);
  const connection = follow((frame) => screen.show(frame));
  const end = new Promise<void>((resolve) => terminal.once("close", resolve));
  let leaving = false;
  terminal.on("SIGINT", () => {
    if (talk.interrupt()) leaving = false;
    else if (leaving) terminal.close();
    else {
      leaving = true;
      screen.note("Ctrl-C once more, or Ctrl-D, leaves");
    }
  });
  terminal.on("line", (line) => {
    leaving = false;
    talk.take(line, screen.lineEnded());
    screen.prompt();
  });
  screen.prompt();
  try {
    await end;
    // Who leaves does not wait; a pipe that has ended still wants its answers.
    if (isLive) talk.stopWaiting();
    await talk.ended();
  } finally {
    connection.close();
  }
  if (isLive) process.stdout.write("\n");
}

function openTerminal(earlier: readonly ChatMessage[], isLive: boolean): Interface {
  const said = earlier.flatMap((message) => (message.role === "user" ? [plainLine(message.text)] : []));
  return createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: isLive,
    prompt: "",
    history: said.slice(-HISTORY_MAX).reverse(),
    historySize: HISTORY_MAX,
    completer: completeSlash,
  });
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
  /** What goes along with the next message; a message that comes while a file is being stored waits for it. */
  private attached: Promise<AttachedFile[]> = Promise.resolve([]);
  private readonly latestSteps = new Map<string, string>();
  private readonly states = new Map<string, string>();

  constructor(screen: Screen, isLive: boolean) {
    this.screen = screen;
    this.isLive = isLive;
  }

  /** Does what a line says. @param asked the question that it answers, unless it is a command. */
  take(text: string, asked: QuestionView | null): void {
    const line = readLine(text);
    if (asked !== null && line.kind === "message") this.answer(asked, line.text);
    else if (line.kind === "mistake") this.screen.note(mistakeText(line), "red");
    else if (line.kind === "help") this.screen.note(slashHelp());
    else if (line.kind === "attach") this.track(this.attach(line.text));
    else if (line.kind === "message" || line.kind === "next") {
      if (line.text === "") return;
      const wanted = wantedBy(line);
      const files = this.attached;
      this.attached = Promise.resolve([]);
      this.answered = this.isLive ? this.say(wanted, files) : this.answered.then(() => this.say(wanted, files));
      this.track(this.answered);
    } else this.track(this.carryOut(wantedBy(line)));
  }

  /** Takes a file along with the next message; one that cannot be taken changes nothing. */
  private async attach(path: string): Promise<void> {
    const before = this.attached;
    const work = before.then(async (files) => {
      try {
        const [file] = await attachFiles([path]);
        if (file === undefined) return files;
        this.screen.note(`${plainLine(namesOf([file]))} (${file.type}) goes along with your next message`);
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
    if (text === "") this.screen.note(`put aside; later:  mimikit questions answer ${plainLine(asked.id)} <answer>`);
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
    this.screen.waiting++;
    this.open.add(work);
    void work.finally(() => {
      this.open.delete(work);
      this.screen.waiting--;
      this.screen.prompt();
    });
  }

  /** Sends a message and waits until everything that it started is answered. */
  private async say(wanted: Wanted, files: Promise<AttachedFile[]>): Promise<void> {
    const key = freshKey();
    const turn = this.takePlace();
    const hand = async (client: Client) => {
      await turn.come;
      const id = await handTo(client, withFiles(wanted, await files), key);
      turn.pass();
      return id;
    };
    try {
      await this.awaitAnswer(hand, this.listener());
    } finally {
      turn.pass();
    }
  }

  /** Steers, stops or begins anew: also while the gateway is being restarted. */
  private async carryOut(wanted: Wanted): Promise<void> {
    const turn = this.takePlace();
    try {
      await turn.come;
      const { id } = await handOver(wanted);
      turn.pass();
      if (wanted.kind === "stop") this.screen.note("asked to end what runs now");
      if (wanted.kind !== "steer") return;
      this.screen.note("sent, to what runs now");
      // At a terminal, whatever comes of it appears by itself.
      if (!this.isLive)
        await this.awaitAnswer(() => Promise.resolve(id), { ...SILENT, onReply: this.listener().onReply });
    } catch (error) {
      this.screen.note(reasonOf(error), "red");
    } finally {
      turn.pass();
    }
  }

  private async awaitAnswer(hand: (client: Client) => Promise<string>, listener: Listener): Promise<void> {
    try {
      const { state } = await awaitAnswer(hand, listener, this.waiting.signal);
      if (state !== "complete") this.screen.note("it goes on; the answer appears here when it is ready");
    } catch (error) {
      // One message that failed does not end the conversation.
      this.screen.note(reasonOf(error), "red");
    }
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
      onTask: ({ id, title, state }) => {
        if (this.states.get(id) !== state) this.screen.note(`${state}: ${plainLine(title)}`);
        this.states.set(id, state);
      },
      onProgress: (taskId, step) => {
        if (this.latestSteps.get(taskId) !== step) this.screen.note(plainLine(step));
        this.latestSteps.set(taskId, step);
      },
      // What is being written comes over the screen's own connection.
      onDelta: () => undefined,
    };
  }
}

const SILENT: Listener = {
  onReply: () => undefined,
  onNotice: () => undefined,
  onQuestion: () => undefined,
  onTask: () => undefined,
  onProgress: () => undefined,
  onDelta: () => undefined,
};
