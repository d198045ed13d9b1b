/** The first thing that a role does: it finds and opens its state directory. */
import { sentence } from "@mimikit/protocol/texts/coded";
import { settleTimeZone } from "../clock/system-zone.ts";
import { keepLastGood } from "../config/config-file.ts";
import { whyNoStart } from "../config/find-mistakes.ts";
import { openHome } from "../home/adoption.ts";
import { type Environment, HomeError, type HomePlace, resolveHome } from "../home/home.ts";
import { whenThereIsRoom } from "../home/room.ts";

/**
 * Waits where the disk is full. Ends the process with 1, and one line on stderr, where the state directory or its settings cannot be used as they are.
 */
export async function openHere(env: Environment): Promise<HomePlace & { adopted: boolean }> {
  settleTimeZone(process.env);
  const { home, workDir } = resolveHome(env);
  const open = () => openHome(home, env);
  try {
    const adopted = await whenThereIsRoom(home, open, () => {
      process.stderr.write(`mimikit: the disk of ${home} is full; waiting until there is room\n`);
    });
    const [unread] = whyNoStart(home, env);
    if (unread !== undefined) throw new HomeError(sentence("no_start", { detail: unread }));
    keepLastGood(home);
    return { home, workDir, adopted };
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    process.stderr.write(`mimikit: ${error.message}\n`);
    process.exit(1);
  }
}
