/**
 * Loaded into real processes (`node --import`): counts every call of `node:fs` by the name of the function, whoever makes it, and
 * notes every file of ours that is imported. On SIGUSR2 it writes both as they are then to `<pid>.json` in the folder that
 * CALL_COUNTS names. The main thread is counted; the search thread of memory is not.
 */
import fs from "node:fs";
import { registerHooks, syncBuiltinESMExports } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(import.meta.dirname, "../..");
const imported: string[] = [];
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith("file:")) imported.push(relative(ROOT, fileURLToPath(url)));
    return nextLoad(url, context);
  },
});

const { renameSync, writeFileSync } = fs;
const counts: Record<string, number> = {};

/** Replaces each function of `api` by one that counts its calls and is the same in all else. */
function countCallsOf(api: object): void {
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(api))) {
    const isFunction = typeof property.value === "function" && property.writable === true;
    if (!isFunction || name === "constructor" || !/^[a-z]/.test(name)) continue;
    const value = new Proxy(property.value, {
      apply(target, self, args) {
        counts[name] = (counts[name] ?? 0) + 1;
        return Reflect.apply(target, self, args);
      },
    });
    Object.defineProperty(api, name, { ...property, value });
  }
}

const file = await fs.promises.open(import.meta.filename);
await file.close();
for (const api of [fs, fs.promises, Object.getPrototypeOf(file)]) countCallsOf(api);
syncBuiltinESMExports();

process.on("SIGUSR2", () => {
  const path = join(process.env.CALL_COUNTS ?? "", `${process.pid}.json`);
  const { user, system } = process.cpuUsage();
  writeFileSync(`${path}.new`, JSON.stringify({ counts, cpuMs: (user + system) / 1_000, imported }));
  renameSync(`${path}.new`, path);
});
