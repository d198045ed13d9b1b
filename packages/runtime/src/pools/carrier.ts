/** Encrypts what is sent about attempts, and opens what comes: once each, in the order of its sender. */
import { randomBytes } from "node:crypto";
import { BadJson } from "@mimikit/protocol/base/json";
import type { z } from "zod";
import { type CipherPlace, decrypt, encrypt, NotDecryptable } from "./encrypt.ts";
import type { Carried } from "./engine.ts";

const SESSION_BYTES = 8;
/** Senders that are remembered: a process that starts anew is another. */
const SESSIONS_MAX = 1_000;
const SEQ = /^([0-9a-f]{16})\.(\d{1,15})$/;

export class Carrier<Sent, Heard> {
  private readonly session = randomBytes(SESSION_BYTES).toString("hex");
  private sent = 0;
  private readonly last = new Map<string, number>();
  private readonly key: string;
  private readonly pool: string;
  private readonly directions: { sent: CipherPlace["direction"]; heard: CipherPlace["direction"] };
  private readonly schema: z.ZodType<Heard>;

  /** @param key of the pool. @param schema of what is heard. */
  constructor(
    { key, pool }: { key: string; pool: string },
    directions: { sent: CipherPlace["direction"]; heard: CipherPlace["direction"] },
    schema: z.ZodType<Heard>,
  ) {
    this.key = key;
    this.pool = pool;
    this.directions = directions;
    this.schema = schema;
  }

  wrap(job: string, record: Sent): Carried {
    const seq = `${this.session}.${++this.sent}`;
    return {
      job,
      seq,
      sealed: encrypt(this.key, { job, pool: this.pool, direction: this.directions.sent, seq }, record),
    };
  }

  /** null for what is not of the other side, was heard before, or is older than what was heard of the same sender. */
  open({ job, seq, sealed }: Carried): Heard | null {
    const [, session = "", digits] = SEQ.exec(seq) ?? [];
    const number = Number(digits);
    if (digits === undefined || number <= (this.last.get(session) ?? 0)) return null;
    try {
      const heard = decrypt(
        this.key,
        { job, pool: this.pool, direction: this.directions.heard, seq },
        this.schema,
        sealed,
      );
      this.last.delete(session);
      this.last.set(session, number);
      for (const oldest of this.last.keys()) {
        if (this.last.size <= SESSIONS_MAX) break;
        this.last.delete(oldest);
      }
      return heard;
    } catch (error) {
      if (error instanceof NotDecryptable || error instanceof BadJson) return null;
      throw error;
    }
  }
}
