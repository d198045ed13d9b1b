/** The first thing that a role does: it finds and opens its state directory. */
import { openHome } from "../home/adoption.ts";
import { type Environment, HomeError, type Place, resolveHome } from "../home/home.ts";

/** Ends the process with 1, and one line on stderr, where the state directory cannot be used as it is. */
export function openHere(env: Environment): Place & { adopted: boolean } {
  const { home, workDir } = resolveHome(env);
  try {
    return { home, workDir, adopted: openHome(home, env) };
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    process.stderr.write(`mimikit: ${error.message}\n`);
    process.exit(1);
  }
}
