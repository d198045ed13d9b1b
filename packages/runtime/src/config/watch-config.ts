/**
 * The settings as they are now: config.yaml and secrets.json are read again when somebody saves them, however their editor does that. What
 * is wrong in it is reported, and the last good settings stay in force.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { SECRETS_PATH } from "@mimikit/store/disk/state";
import type { Environment } from "../home/home.ts";
import { type LoadedConfig, loadConfig } from "./config.ts";
import { CONFIG_FILE } from "./config-file.ts";

/** The settings, and the keys. */
const WATCHED: readonly string[] = [CONFIG_FILE, SECRETS_PATH];
/** An editor may save in several steps: the file is read when nothing has happened to it for so long. */
const REST_MS = 50;
/** A save that the kernel does not tell of is found this soon: it may be behind a link. */
const LOOK_EVERY_MS = 5_000;

export interface Settings {
  /** Read it each time it is used. */
  readonly current: LoadedConfig;
  close(): void;
}

/** @param onChange is called at once, and whenever the file was changed. */
export function watchConfig(home: string, env: Environment, onChange: (loaded: LoadedConfig) => void): Settings {
  const stampNow = () => WATCHED.map((name) => stampOf(join(home, name))).join();
  let stamp = stampNow();
  let current = loadConfig(home, env);
  onChange(current);
  const look = () => {
    const now = stampNow();
    if (now === stamp) return;
    stamp = now;
    current = loadConfig(home, env);
    onChange(current);
  };
  let rest: NodeJS.Timeout | undefined;
  const watcher = watchDirectory(home, (name) => {
    // Beside it are the logs and the views, which are written all the time.
    if (name !== null && !WATCHED.includes(name)) return;
    clearTimeout(rest);
    rest = setTimeout(look, REST_MS);
  });
  const looks = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    get current() {
      return current;
    },
    close() {
      watcher?.close();
      clearTimeout(rest);
      clearInterval(looks);
    },
  };
}

/** Without notifications (inotify's limits are reached, or the watch breaks) the looks find a change, later. */
function watchDirectory(dir: string, onEvent: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(dir, { persistent: false }, (_event, name) => onEvent(name));
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch (error) {
    if (hasCode(error, "ENOSPC", "EMFILE")) return undefined;
    throw error;
  }
}

/** Another text whenever the file is another. What cannot be looked at is told apart by why: reading it reports that. */
function stampOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    return String(error);
  }
}
