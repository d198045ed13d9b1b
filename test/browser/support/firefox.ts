/** Drives the Firefox that is installed, without a driver of its own: by WebDriver BiDi, as far as a test of the page needs it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";

const PLACES = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];
const LISTENING = /WebDriver BiDi listening on (ws:\S+)/;

/** The path of a Firefox, from `MIMIKIT_FIREFOX` or the usual places; undefined when there is none. */
export function findFirefox(): string | undefined {
  const named = process.env.MIMIKIT_FIREFOX;
  return [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path));
}

/** A message of the browser: the answer to a command, or an event. */
interface Said {
  id?: number;
  type: "success" | "error" | "event";
  message?: string;
  result?: unknown;
  params?: unknown;
}

type Evaluated =
  | { type: "success"; result: { value?: unknown } }
  | { type: "exception"; exceptionDetails: { text: string } };

export class Firefox {
  /** The lines of its console that tell of an error. */
  readonly errors: string[] = [];
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #profile: string;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #commands = 0;
  #context = "";

  private constructor(child: ChildProcess, socket: WebSocket, profile: string) {
    this.#process = child;
    this.#socket = socket;
    this.#profile = profile;
    socket.on("message", (data) => this.#hear(JSON.parse(String(data)) as Said));
  }

  /** Starts it without a window, with a profile of its own. @throws Error where it ends before it listens */
  static async start(path: string): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), "mimikit-firefox-"));
    const flags = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"];
    const env = { ...process.env, HOME: profile, MOZ_HEADLESS: "1" };
    const child = spawn(path, flags, { env, stdio: ["ignore", "ignore", "pipe"] });
    let address: string | undefined;
    for await (const line of createInterface({ input: child.stderr })) {
      address = LISTENING.exec(line)?.[1];
      if (address !== undefined) break;
    }
    // A full pipe that is not read on would stop it.
    child.stderr.resume();
    if (address === undefined) throw new Error(`${path} ended before it listened`);
    const socket = new WebSocket(`${address}/session`);
    await once(socket, "open");
    const firefox = new Firefox(child, socket, profile);
    await firefox.#ask("session.new", { capabilities: {} });
    await firefox.#ask("session.subscribe", { events: ["log.entryAdded"] });
    const { contexts } = await firefox.#ask<{ contexts: { context: string }[] }>("browsingContext.getTree", {});
    firefox.#context = contexts[0]?.context ?? "";
    return firefox;
  }

  /** Opens an address; resolves when it is loaded. */
  async goto(url: string): Promise<void> {
    await this.#ask("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }

  /** The value of an expression in the page, a promise's when it is one: a text, a number, true or false. */
  async evaluate<T>(expression: string): Promise<T> {
    const target = { context: this.#context };
    const answer = await this.#ask<Evaluated>("script.evaluate", { expression, target, awaitPromise: true });
    if (answer.type === "exception") throw new Error(answer.exceptionDetails.text);
    return answer.result.value as T;
  }

  /** Resolves once an expression in the page is true, at whichever change of the page that is. */
  async until(expression: string): Promise<void> {
    await this.evaluate(`new Promise((resolve) => {
      const look = () => (${expression}) && (observer.disconnect(), resolve(true));
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      look();
    })`);
  }

  /** Types into what has the focus, key by key. */
  async type(text: string): Promise<void> {
    const actions = [...text].flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    const keys = { type: "key", id: "keyboard", actions };
    await this.#ask("input.performActions", { context: this.#context, actions: [keys] });
  }

  async close(): Promise<void> {
    const ended = once(this.#process, "exit");
    await this.#ask("browser.close", {});
    await ended;
    this.#socket.terminate();
    await rm(this.#profile, { recursive: true, force: true });
  }

  #ask<T>(method: string, params: object): Promise<T> {
    const id = ++this.#commands;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise as Promise<T>;
  }

  #hear({ id, type, message, result, params }: Said): void {
    if (type === "event") {
      const { level, text } = params as { level?: string; text?: string };
      if (level === "error") this.errors.push(text ?? "");
      return;
    }
    const answer = this.#waiting.get(id ?? 0);
    this.#waiting.delete(id ?? 0);
    if (type === "error") answer?.reject(new Error(message));
    else answer?.resolve(result);
  }
}
