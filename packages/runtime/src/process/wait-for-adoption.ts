/** A process of a state directory that is not adopted lives, and does nothing. */

import { untilAdopted } from "../home/adoption.ts";
import type { Environment } from "../home/home.ts";
import { type ProcessRole, writeRole } from "./role-record.ts";
/** Lives as `role` and does nothing until the state directory is adopted: whatever is in it stays as it is. */
export async function waitForAdoption(home: string, env: Environment, role: ProcessRole): Promise<void> {
  writeRole(home, role);
  process.send?.("ready");
  // Signals end it at once; so does the death of PM2's daemon, as later on (`onShutdown`).
  const leave = () => process.exit(0);
  process.on("disconnect", leave);
  await untilAdopted(home, env);
  process.off("disconnect", leave);
}
