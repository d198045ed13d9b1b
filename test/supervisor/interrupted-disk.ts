/** A disk at whose calls something else can happen: as others go on while a process stands still just before one of its calls. */
import type { FileSystem } from "@mimikit/store/disk/file-system";

export interface InterruptedDisk {
  fs: FileSystem;
  /** Lets `happen` come before the next call of which `isThen` says so: its name and the path that it is about, like `link tmp/…`. */
  once(isThen: (call: string) => boolean, happen: () => unknown): void;
}

export function interruptedDisk(disk: FileSystem): InterruptedDisk {
  let hear = async (_call: string): Promise<void> => undefined;
  const fs = new Proxy(disk, {
    get(target, name) {
      const method = Reflect.get(target, name);
      // This one resolves nothing, and is never waited for.
      if (typeof method !== "function" || name === "temporary") return method;
      return async (...words: unknown[]) => {
        await hear([name, ...words.filter((word) => typeof word === "string")].join(" "));
        return Reflect.apply(method, target, words);
      };
    },
  });
  return {
    fs,
    once(isThen, happen) {
      hear = async (call) => {
        if (!isThen(call)) return;
        hear = async () => undefined;
        await happen();
      };
    },
  };
}
