/** A process that waits to be the only supervisor of the home in argv[2], says so, and holds it until it is killed. */
import { ownIdentity } from "@mimikit/runtime/process/identity";
import { waitForSingleton } from "@mimikit/runtime/process/singleton";

await waitForSingleton(process.argv[2] ?? "", "supervisor", () => process.stdout.write('{"waits":true}\n'));
process.stdout.write(`${JSON.stringify(ownIdentity())}\n`);
setInterval(() => undefined, 60_000);
