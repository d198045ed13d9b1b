/**
 * An MCP server as a process that speaks over its standard input and output: the transport of the client library, with what all
 * of our processes promise. It and all that it starts end together, found by their group and by their mark;
 * nothing waits for a process that only holds its output open.
 */

import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { beginningOf, endOf } from "@mimikit/protocol/texts/whole-characters";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/client";
import { execa } from "execa";
import { endChild } from "../shell/run-child.ts";
import type { CommandLine } from "../shell/sandbox.ts";
import { withoutValues } from "./files/expand.ts";

/** One message of a server. */
const MESSAGE_BYTES_MAX = 10 * 1_048_576;
const STDERR_CHARS_MAX = 4_000;
const STDERR_LINES_MAX = 5;
const STDERR_LINE_CHARS_MAX = 300;
/** Between closing its input and asking it to end, and between that and making it end. */
const END_MS = 1_000;
/** How long the output of an ended server is read. */
const DRAIN_MS = 200;

export interface ServerCommand {
  commandLine: CommandLine;
  cwd: string;
  /** All that it sees beside the mark. */
  environment: Readonly<Record<string, string>>;
  mark: string;
  /** Values that no message may repeat. */
  secrets: readonly string[];
}

export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly command: ServerCommand;
  private readonly buffer = new ReadBuffer({ maxBufferSize: MESSAGE_BYTES_MAX });
  private child: ReturnType<typeof spawn> | undefined;
  private ended: Promise<void> | undefined;
  private stderr = "";
  /** How it ended, for people; null while it runs. */
  end: string | null = null;

  constructor(command: ServerCommand) {
    this.command = command;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** The last lines of its standard error, without secrets. */
  get lastLines(): string[] {
    const text = stripVTControlCharacters(withoutValues(this.stderr, this.command.secrets));
    const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
    return lines.slice(-STDERR_LINES_MAX).map((line) => beginningOf(line, STDERR_LINE_CHARS_MAX));
  }

  /** Throws where it cannot be started. */
  async start(): Promise<void> {
    const child = spawn(this.command);
    this.child = child;
    if (child.pid === undefined) {
      const { cause, shortMessage } = await child;
      const why = cause instanceof Error ? cause.message : shortMessage;
      this.end = hasCode(cause, "ENOENT")
        ? `there is no program ${this.command.commandLine[0]}`
        : (why ?? "not started");
      throw new Error(this.end);
    }
    child.stdout.on("data", (chunk: Buffer) => this.read(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      const all = this.stderr + chunk.toString("utf8");
      // The rest of a line that is cut may be a part of a key.
      const kept = endOf(all, STDERR_CHARS_MAX);
      this.stderr = kept.length === all.length ? all : kept.slice(kept.indexOf("\n") + 1);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream.on("error", (error: Error) => this.onerror?.(error));
    this.ended = this.untilEnded(child);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const { child } = this;
    if (child === undefined || this.end !== null) return Promise.reject(new Error("the server does not run"));
    return new Promise((resolve, reject) => {
      child.stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Closes its input, asks it to end and makes it end. Resolves when it and what it started are gone. */
  async close(): Promise<void> {
    const { child, ended } = this;
    if (child?.pid === undefined || ended === undefined) return;
    child.stdin.end();
    if (!(await within(END_MS, ended))) {
      signalGroup(child.pid, "SIGTERM");
      if (!(await within(END_MS, ended))) await endChild(child.pid, this.command.mark);
    }
    await ended;
  }

  private async untilEnded(child: ReturnType<typeof spawn>): Promise<void> {
    const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.nodeChildProcess.once("exit", (code, signal) => resolve({ code, signal }));
    });
    await within(DRAIN_MS, once(child.stdout, "end"));
    child.stdout.destroy();
    child.stderr.destroy();
    await endChild(child.pid, this.command.mark);
    this.end = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
    this.onclose?.();
  }

  private read(chunk: Buffer): void {
    try {
      this.buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;)
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error);
      }
  }
}

function spawn({ commandLine: [file, ...args], cwd, environment, mark }: ServerCommand) {
  return execa(file, args, {
    cwd,
    env: { ...environment, [MARK_VARIABLE]: mark },
    extendEnv: false,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    buffer: false,
    reject: false,
    encoding: "buffer",
    killDescendants: true,
    forceKillAfterDelay: END_MS,
  });
}

/** Does it happen in time? */
function within(ms: number, event: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const happened = event.then(
    () => true,
    () => true,
  );
  const expired = wait(ms, false, { signal: late.signal }).catch(() => false);
  return Promise.race([happened, expired]).finally(() => late.abort());
}

function signalGroup(pid: number, name: "SIGTERM"): void {
  try {
    process.kill(-pid, name);
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}
