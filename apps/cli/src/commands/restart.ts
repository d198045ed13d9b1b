/** Starts the processes anew, with the settings of now. Nothing is lost: what ran is taken up again. */
import { assertSomethingRuns } from "../client.ts";
import { command } from "../command.ts";
import { currentPlace } from "../place.ts";
import { takeTurn } from "../pm2.ts";
import { printJson, printLine } from "../print.ts";
import { startAnew } from "../start-anew.ts";
import { waitUntilReady } from "./up.ts";

export const restart = command({
  usage: "restart",
  summary: "start the processes anew, with changed settings or code",
  examples: [["mimikit restart", "take a changed config.yaml or environment into use, or an update"]],
  async run({ json }) {
    const { home, workDir, config, problems } = currentPlace();
    await assertSomethingRuns(home);
    await takeTurn(home);
    await startAnew({ home, workDir }, config);
    const { url, status } = await waitUntilReady(home, config);
    if (json) printJson({ url, status });
    else {
      printLine(`Mimikit ${status.version} is running anew at ${url}, in ${status.workDir}`);
      for (const problem of problems) printLine(`! ${problem}`);
    }
  },
});
