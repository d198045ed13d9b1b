/** Begins a new conversation: nothing from before is told to a model again. The old one is kept, and memory stays (SPEC F3). */
import { createInterface } from "node:readline/promises";
import { command } from "../command.ts";
import { Failure } from "../failure.ts";
import { handOver, printHanded } from "../hand-over.ts";

export const clear = command({
  usage: "clear",
  summary: "begin a new conversation; the old one is kept, and memory stays",
  examples: [
    ["mimikit clear", "asks first"],
    ["mimikit clear --yes", "for scripts"],
  ],
  options: (yargs) =>
    yargs.option("yes", { alias: "y", type: "boolean", default: false, describe: "begin without asking" }),
  async run({ json, yes }) {
    if (!yes && !(await confirm())) throw new Failure("failed", "nothing was changed");
    printHanded(await handOver({ kind: "clear" }), json);
  },
});

/** Throws `Failure` (usage) where there is nobody to ask. */
async function confirm(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Failure("usage", "say  mimikit clear --yes  where nobody can be asked");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question("Begin a new conversation? [y/N] ")).trim());
  } finally {
    terminal.close();
  }
}
