/** A process that logs what the lines of its stdin say (`audit …`, `info …`, `hide …`) for the home in argv[2], and leaves at their end. */
import { createInterface } from "node:readline";
import { createLog, hideInLogs } from "@mimikit/runtime/audit/log";

const log = createLog(process.argv[2] ?? "", "workers", "info");
for await (const line of createInterface({ input: process.stdin })) {
  const [kind, ...words] = line.split(" ");
  if (kind === "hide") hideInLogs(words);
  else if (kind === "audit") log.audit({ event: words.join(" ") });
  else log.info(words.join(" "), { message: "a message in the details", level: "error" });
}
await log.flush();
process.exit(0);
