/** A role reduced to its way out: it leaves in order when asked to, and says what it does. argv[2] is its home, argv[3] may be `throw`. */

import { createLog } from "@mimikit/runtime/audit/log";
import { prepareHome } from "@mimikit/runtime/home/home";
import { onShutdown } from "@mimikit/runtime/shutdown";

const home = process.argv[2] ?? "";
prepareHome(home);
const log = createLog(home, "supervisor", "info");
onShutdown(async (reason) => {
  await new Promise((resolve) => setImmediate(resolve));
  log.audit({ event: "left", detail: { reason } });
}, log);
setInterval(() => undefined, 60_000);
process.send?.("ready");
if (process.argv[3] === "throw") throw new Error("nobody caught this");
if (process.argv[3] === "reject") void Promise.reject(new Error("nobody awaited this"));
process.stdout.write('{"ready":true}\n');
