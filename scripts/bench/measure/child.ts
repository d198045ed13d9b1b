/** A process of the bench's own, and calls to it (programs/serve.ts is its part). */
import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { join } from "node:path";
import { endChild } from "./cleanup.ts";

const PROGRAMS = join(import.meta.dirname, "../programs");

export class Child {
  /** Emits what the program tells, by the name of the event. */
  readonly events = new EventEmitter();
  private readonly process: ChildProcess;
  private readonly pending = new Map<number, (value: unknown) => void>();
  private calls = 0;

  private constructor(child: ChildProcess) {
    this.process = child;
    child.on("message", (message: { id?: number; event?: string; value?: unknown }) => {
      if (message.event !== undefined) this.events.emit(message.event, message.value);
      if (message.id === undefined) return;
      this.pending.get(message.id)?.(message.value);
      this.pending.delete(message.id);
    });
  }

  /** Starts a file of programs/. Throws when it ends before it is ready. */
  static async start(program: string, args: readonly string[]): Promise<Child> {
    const stdio: ["ignore", "ignore", "inherit", "ipc"] = ["ignore", "ignore", "inherit", "ipc"];
    const child = spawn(process.execPath, [join(PROGRAMS, program), ...args], { stdio });
    const started = new Child(child);
    const left = once(child, "exit").then(() => Promise.reject(new Error(`${program} ended before it was ready`)));
    const ready = once(started.events, "ready");
    await Promise.race([ready, left]);
    left.catch(() => undefined);
    return started;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** The return value of a call of the program. */
  call<T = void>(name: string, argument?: unknown): Promise<T> {
    const id = ++this.calls;
    return new Promise((resolve, reject) => {
      this.pending.set(id, resolve as (value: unknown) => void);
      this.process.once("exit", () => reject(new Error(`the process ended during ${name}`)));
      this.process.send({ id, name, argument });
    });
  }

  end(): Promise<void> {
    return endChild(this.process);
  }
}
