/** The first thing that a role does: it finds and opens its state directory. */
import { openHome } from "../home/adoption.ts";
import { type Environment, HomeError, type HomePlace, resolveHome } from "../home/home.ts";
import { whenThereIsRoom } from "../home/room.ts";

/**
 * Waits where the disk is full. Ends the process with 1, and one line on stderr, where the state directory cannot be used as it is.
 */
export async function openHere(env: Environment): Promise<HomePlace & { adopted: boolean }> {
  const { home, workDir } = resolveHome(env);
  const open = () => openHome(home, env);
  try {
    const adopted = await whenThereIsRoom(home, open, () => {
      process.stderr.write(`mimikit: the disk of ${home} is full; waiting until there is room\n`);
    });
    return { home, workDir, adopted };
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    process.stderr.write(`mimikit: ${error.message}\n`);
    process.exit(1);
  }
}
