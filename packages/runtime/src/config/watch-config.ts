/**
 * The settings as they are now: config.yaml and secrets.json are read again when they are saved, in whatever way an
 * editor does that. Mistakes in it are reported, and the last valid settings stay in force.
 */
import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@mimikit/store/disk/error-code";
import { SECRETS_PATH } from "@mimikit/store/disk/state";
import { hideInLogs } from "../audit/log.ts";
import type { Environment } from "../home/home.ts";
import { proxyRules, proxySecrets } from "../network/proxy-rules.ts";
import { type LoadedConfig, loadConfig } from "./config.ts";
import { CONFIG_FILE } from "./config-file.ts";

/** An editor may save in several steps: the file is read when nothing has happened to it for so long. */
const REST_MS = 50;
/** A save that the kernel does not tell of is found this soon: it may be behind a link. */
const LOOK_EVERY_MS = 5_000;

export interface Settings {
  /** Read it each time it is used. */
  readonly current: LoadedConfig;
  close(): void;
}

/**
 * @param onChange is called at once, and whenever one of the files was changed.
 * @param others files of `home` that call for the same when they are changed.
 */
export function watchConfig(
  home: string,
  env: Environment,
  onChange: (loaded: LoadedConfig) => void,
  others: readonly string[] = [],
): Settings {
  const watched = [CONFIG_FILE, SECRETS_PATH, ...others];
  const stampNow = () => watched.map((name) => stampOf(join(home, name))).join();
  let stamp = stampNow();
  const load = () => {
    const loaded = loadConfig(home, env);
    hideInLogs([...Object.values(loaded.keys), ...proxySecrets(proxyRules(loaded.config.proxy, env))]);
    return loaded;
  };
  let current = load();
  // Variables stay as they were at the start: only the file can have become unreadable, and its last valid copy with it.
  const follow = () => {
    const loaded = load();
    current = loaded.unread?.includes(CONFIG_FILE) ? { ...loaded, config: current.config } : loaded;
  };
  onChange(current);
  const look = () => {
    const now = stampNow();
    if (now === stamp) return;
    stamp = now;
    follow();
    onChange(current);
  };
  let rest: NodeJS.Timeout | undefined;
  const watcher = watchDirectory(home, (name) => {
    // Beside it are the logs and the views, which are written all the time.
    if (name !== null && !watched.includes(name)) return;
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

/** Another text whenever the file is another. An unreadable file has a stamp for each reason: reading it reports that. */
function stampOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino} ${mtimeNs} ${size}`;
  } catch (error) {
    return String(error);
  }
}
