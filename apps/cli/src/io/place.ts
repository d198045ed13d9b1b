/** Which instance a command is about, and with which settings. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Config, loadConfig } from "@mimikit/runtime/config/config";
import { assertNoLinksUnlessAdopted } from "@mimikit/runtime/home/adoption";
import { type Place, resolveHome } from "@mimikit/runtime/home/home";

/** The folder of package.json and ecosystem.config.cjs. */
export const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

export const pm2Home = (home: string) => join(home, "pm2");

/** The settings as this command sees them; the running processes may have been started with others. */
export function currentPlace(): Place & { config: Config; problems: string[] } {
  const place = resolveHome(process.env);
  assertNoLinksUnlessAdopted(place.home, process.env);
  const { config, problems } = loadConfig(place.home, process.env);
  return { ...place, config, problems };
}
