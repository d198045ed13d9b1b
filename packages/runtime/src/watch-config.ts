/**
 * The settings as they are now: config.yaml is read again when somebody saves it, however their editor does that. What
 * is wrong in it is reported, and the last good settings stay in force.
 */
import { join } from "node:path";
import { watch } from "chokidar";
import { CONFIG_FILE, type LoadedConfig, loadConfig } from "./config.ts";
import type { Environment } from "./home.ts";

export interface Settings {
  /** Read it each time it is used. */
  readonly current: LoadedConfig;
  close(): Promise<void>;
}

/** @param onChange is called at once, and whenever the file was changed. */
export function watchConfig(home: string, env: Environment, onChange: (loaded: LoadedConfig) => void): Settings {
  let current = loadConfig(home, env);
  onChange(current);
  const watcher = watch(join(home, CONFIG_FILE), { ignoreInitial: true });
  watcher.on("all", () => {
    current = loadConfig(home, env);
    onChange(current);
  });
  return {
    get current() {
      return current;
    },
    close: () => watcher.close(),
  };
}
