/** A disk that lasts until the power goes, and one on which somebody else works meanwhile. */
import type { FileSystem } from "@mimikit/store/disk/file-system";

class PowerCut extends Error {}

/** The disk until the power goes, before operation `k`. */
export function cutAt(fs: FileSystem, k: number): FileSystem {
  let operations = 0;
  return new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      const operation = target[name];
      if (name === "temporary") return operation;
      return async (...args: never[]) => {
        if (operations++ >= k) throw new PowerCut();
        return (operation as (...all: never[]) => unknown)(...args);
      };
    },
  });
}

/** Whether the power went while this was done. Other errors go to the caller. */
export function wasCut(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => false,
    (error: unknown) => {
      if (!(error instanceof PowerCut)) throw error;
      return true;
    },
  );
}

/**
 * The disk, before whose operation `k` something else is done. Renames do not count: what may happen just before a document
 * is replaced is what docs/memory.md does not promise.
 */
export function pausedAt(fs: FileSystem, k: number, meanwhile: () => Promise<void>): FileSystem {
  let operations = 0;
  return new Proxy(fs, {
    get(target, name: keyof FileSystem) {
      const operation = target[name];
      if (name === "temporary" || name === "rename") return operation;
      return async (...args: never[]) => {
        if (operations++ === k) await meanwhile();
        return (operation as (...all: never[]) => unknown)(...args);
      };
    },
  });
}
