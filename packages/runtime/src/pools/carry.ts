/** Seals pieces of files on their way, and opens them: each is bound to its job, direction, file and number. */
import { PIECE_BYTES, type Piece } from "@mimikit/protocol/pools/messages";
import type { HomeSide, PoolSide } from "./engine.ts";
import { BadSeal, type Place, SEAL_BYTES, sealBytes, unsealBytes } from "./seal.ts";

type Side = Pick<PoolSide | HomeSide, "putPiece" | "takePiece">;
type Direction = Extract<Place["direction"], "file-to-pool" | "file-from-pool">;

export class FileCarrier {
  private readonly side: Side;
  private readonly pool: { key: string; name: string };
  private readonly directions: { sent: Direction; taken: Direction };

  constructor(side: Side, pool: { key: string; name: string }, directions: { sent: Direction; taken: Direction }) {
    this.side = side;
    this.pool = pool;
    this.directions = directions;
  }

  async put(job: string, piece: Piece, data: Buffer): Promise<void> {
    const { sent } = this.directions;
    await this.side.putPiece(job, nameOf(sent, piece), sealBytes(this.pool.key, this.place(job, sent, piece), data));
  }

  /** null where it does not lie there, and for what is not of the other side. */
  async take(job: string, piece: Piece): Promise<Buffer | null> {
    const { taken } = this.directions;
    const sealed = await this.side.takePiece(job, nameOf(taken, piece), PIECE_BYTES + SEAL_BYTES);
    try {
      return sealed === null ? null : unsealBytes(this.pool.key, this.place(job, taken, piece), sealed);
    } catch (error) {
      if (error instanceof BadSeal) return null;
      throw error;
    }
  }

  private place(job: string, direction: Direction, { file, piece }: Piece): Place {
    return { job, pool: this.pool.name, direction, seq: `${file}.${piece}` };
  }
}

const nameOf = (direction: Direction, { file, piece }: Piece) => `${direction}:${file}.${piece}`;
