/** A restart: every process of this home is asked to end, and PM2 starts it again. */
import { isAlive } from "@mimikit/runtime/process/identity";
import { ACTORS, readRole } from "@mimikit/runtime/process/role-record";

/** Signals exactly the processes that noted themselves as roles of `home`, this one last. */
export async function restartRoles(home: string): Promise<void> {
  for (const role of ACTORS) {
    const record = readRole(home, role);
    if (record !== null && record.pid !== process.pid && isAlive(record)) process.kill(record.pid, "SIGTERM");
  }
  process.kill(process.pid, "SIGTERM");
}
