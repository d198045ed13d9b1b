/**
 * A disk of its own for a state directory, which can be full: a tmpfs, which only root may mount. It is full when its limit is
 * what it holds, so that nothing has to be written to fill it.
 */
import { mkdirSync, statfsSync } from "node:fs";
import { execa } from "execa";

/** More than a long run writes; a tmpfs takes only what is in it. */
const LIMIT_BYTES = 1024 * 1_048_576;

export class SmallDisk {
  private readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** @param path a directory that is not there yet. @returns null where nothing can be mounted; then it is an ordinary one. */
  static async mount(path: string): Promise<SmallDisk | null> {
    mkdirSync(path, { mode: 0o700 });
    const options = `size=${LIMIT_BYTES},mode=700`;
    const { failed } = await execa("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path], { reject: false });
    return failed ? null : new SmallDisk(path);
  }

  /** From now on nothing more can be written. A removal makes room, so call this again after one. */
  async fill(): Promise<void> {
    const { blocks, bfree, bsize } = statfsSync(this.path);
    await this.limit((blocks - bfree) * bsize);
  }

  async empty(): Promise<void> {
    await this.limit(LIMIT_BYTES);
  }

  /** A process that still has a file open keeps the disk until it ends. */
  async unmount(): Promise<void> {
    await execa("umount", ["-l", this.path], { reject: false });
  }

  /** A limit below what is in it by now is refused: then there is a little less room than before, or none. */
  private async limit(bytes: number): Promise<void> {
    await execa("mount", ["-o", `remount,size=${bytes}`, this.path], { reject: false });
  }
}
