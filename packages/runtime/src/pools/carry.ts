/** Encrypts pieces of files on their way, and opens them: each is bound to its job, direction, file and number. */
import { type FilePiece, PIECE_BYTES } from "@mimikit/protocol/pools/messages";
import { type CipherPlace, decryptBytes, ENCRYPTION_BYTES, encryptBytes, NotDecryptable } from "./encrypt.ts";
import type { HomeSide, PoolSide } from "./engine.ts";

type Side = Pick<PoolSide | HomeSide, "putPiece" | "takePiece">;
type Direction = Extract<CipherPlace["direction"], "file-to-pool" | "file-from-pool">;

export class FileCarrier {
  private readonly side: Side;
  private readonly pool: { key: string; name: string };
  private readonly directions: { sent: Direction; taken: Direction };

  constructor(side: Side, pool: { key: string; name: string }, directions: { sent: Direction; taken: Direction }) {
    this.side = side;
    this.pool = pool;
    this.directions = directions;
  }

  async put(job: string, piece: FilePiece, data: Buffer): Promise<void> {
    const { sent } = this.directions;
    await this.side.putPiece(job, nameOf(sent, piece), encryptBytes(this.pool.key, this.place(job, sent, piece), data));
  }

  /** null where it does not lie there, and for what is not of the other side. */
  async take(job: string, piece: FilePiece): Promise<Buffer | null> {
    const { taken } = this.directions;
    const sealed = await this.side.takePiece(job, nameOf(taken, piece), PIECE_BYTES + ENCRYPTION_BYTES);
    try {
      return sealed === null ? null : decryptBytes(this.pool.key, this.place(job, taken, piece), sealed);
    } catch (error) {
      if (error instanceof NotDecryptable) return null;
      throw error;
    }
  }

  private place(job: string, direction: Direction, { file, piece }: FilePiece): CipherPlace {
    return { job, pool: this.pool.name, direction, seq: `${file}.${piece}` };
  }
}

const nameOf = (direction: Direction, { file, piece }: FilePiece) => `${direction}:${file}.${piece}`;
