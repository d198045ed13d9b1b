/** Which instance a command is about, and with which settings. */
import { join } from "node:path";
import { type Config, loadConfig } from "@mimikit/runtime/config/config";
import { assertNoLinksUnlessAdopted } from "@mimikit/runtime/home/adoption";
import { type Place, resolveHome } from "@mimikit/runtime/home/home";
import { ROOT } from "@mimikit/runtime/home/programs";
import { assertStateIsKnown } from "@mimikit/runtime/home/state-version";
import type { WorkDir } from "@mimikit/runtime/home/work-dir";

/** The `mimikit` command itself. */
export const PROGRAM = join(ROOT, "apps/cli/bin/mimikit.mjs");

export const pm2Home = (home: string) => join(home, "pm2");

/**
 * The settings as this command sees them; the running processes may have been started with others.
 * @param state "any" for a command that helps where the state is newer than this program: it says nothing of what is in it.
 * @throws HomeError where the state directory is not adopted and holds links, or is of a newer version.
 */
export function currentPlace(
  state: "known" | "any" = "known",
): Place & WorkDir & { config: Config; problems: string[] } {
  const place = resolveHome(process.env);
  assertNoLinksUnlessAdopted(place.home, process.env);
  if (state === "known") assertStateIsKnown(place.home);
  const { config, problems } = loadConfig(place.home, process.env);
  return { ...place, config, problems };
}
