/** A disk that lasts until the power goes. */
import type { FileSystem } from "@mimikit/store/file-system";

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
