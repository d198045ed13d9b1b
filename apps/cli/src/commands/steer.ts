/** Says something to what runs now, or to one task. If no task takes it, it becomes a message, so it is never lost (SPEC I5). */
import { command } from "../arguments/command.ts";
import { readText, textArgument } from "../arguments/text-argument.ts";
import { handOver, printHanded } from "../instance/hand-over.ts";

export const steer = command({
  usage: "steer [text..]",
  summary: "add to the running task or reply; it reads the message after its next step",
  examples: [
    ["mimikit steer only the German ones", "to the reply that is being written, or else to the work that began last"],
    ["mimikit steer --task t-000042.1 stop after ten", "to this task"],
  ],
  takesText: true,
  options: (yargs) =>
    textArgument(yargs).option("task", { type: "string", describe: "the task; the one that runs now if not given" }),
  async run({ json, text: words, task }) {
    const text = await readText(words, "steer");
    printHanded(await handOver({ kind: "steer", text, ...(task !== undefined && { taskId: task }) }), json);
  },
});
