/** Ends what runs now: the reply that is being written, or else the work that began last (SPEC I5). */
import { command } from "../arguments/command.ts";
import { handOver, printHanded } from "../instance/hand-over.ts";

export const stop = command({
  usage: "stop",
  summary: "stop the running reply or task; mimikit down stops Mimikit itself",
  examples: [
    ["mimikit stop", "a reply ends where it is, work is cancelled"],
    ["mimikit tasks cancel t-000042.1", "end one task and everything below it"],
  ],
  async run({ json }) {
    printHanded(await handOver({ kind: "stop" }), json);
  },
});
