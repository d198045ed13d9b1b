/** Which instance a command is about, and with which settings. */
import { join } from "node:path";
import { sentence } from "@mimikit/protocol/texts/coded";
import { type Config, loadConfig } from "@mimikit/runtime/config/config";
import { whyNoStart } from "@mimikit/runtime/config/find-mistakes";
import { assertNoLinksUnlessAdopted, isAdopted, NOT_ADOPTED, openHome } from "@mimikit/runtime/home/adoption";
import { type HomePlace, resolveHome } from "@mimikit/runtime/home/home";
import { ROOT } from "@mimikit/runtime/home/programs";
import { assertStateIsKnown } from "@mimikit/runtime/home/state-version";
import type { WorkDir } from "@mimikit/runtime/home/work-dir";
import { Failure } from "./failure.ts";

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
): HomePlace & WorkDir & { config: Config; problems: string[] } {
  const place = resolveHome(process.env);
  assertNoLinksUnlessAdopted(place.home, process.env);
  if (state === "known") assertStateIsKnown(place.home);
  const { config, problems } = loadConfig(place.home, process.env);
  return { ...place, config, problems };
}

/** The state directory. @throws Failure if it is not adopted, so that nothing in it counts. */
export function adoptedHome(): string {
  const { home } = currentPlace();
  if (!isAdopted(home, process.env)) throw new Failure("failed", NOT_ADOPTED);
  return home;
}

/** The state directory, to be written to. @throws Failure if it is not adopted; HomeError if it is not this user's own. */
export function openedHome(): string {
  const home = adoptedHome();
  openHome(home, process.env);
  return home;
}

/** @throws Failure where settings cannot be read that may forbid something: no process starts with them. */
export function assertReadable(home: string): void {
  const [unread] = whyNoStart(home, process.env);
  if (unread !== undefined) throw new Failure("failed", sentence("no_start", { detail: unread }));
}
