/** All that happened in a trial, line by line in a file: the judge reads it, and a run that was broken off goes on from it. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Reply } from "./assistants/assistant.ts";

export type Entry = { atMs: number } & (
  | { is: "sent"; nonce: string; conversation: string }
  /** The assistant has said that it has the message. */
  | { is: "taken"; nonce: string }
  /** It has not: it was down, it said no, or the connection ended before it said anything. */
  | { is: "unconfirmed"; nonce: string; why: string }
  | { is: "killed" }
  /** A client is connected, and can send. */
  | { is: "ready" }
  /** Requests that the model had since the last entry of this kind. */
  | { is: "model"; calls: number }
  /** The load is over, everything is calm, and these stand in its conversations. */
  | { is: "calm"; replies: Reply[] }
  /** Messages without an answer were sent once more, under their own ids. */
  | { is: "sent again"; replies: Reply[] }
);

type Happening = Entry extends infer One ? (One extends { atMs: number } ? Omit<One, "atMs"> : never) : never;

export class Journal {
  readonly entries: Entry[];
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
    this.entries = existsSync(path) ? parse(readFileSync(path, "utf8")) : [];
  }

  add(happening: Happening): void {
    const entry = { atMs: Date.now(), ...happening } as Entry;
    this.entries.push(entry);
    appendFileSync(this.path, `${JSON.stringify(entry)}\n`);
  }

  count(is: Entry["is"]): number {
    return this.entries.filter((entry) => entry.is === is).length;
  }
}

/** A last line that was cut off was not written. */
const parse = (text: string): Entry[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Entry);
