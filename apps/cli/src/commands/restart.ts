/** Starts the processes anew, with the settings of now. Nothing is lost: what ran is taken up again. */

import { command } from "../arguments/command.ts";
import { t, told } from "../i18n/language.ts";
import { answersText } from "../instance/answerers.ts";
import { begin } from "../instance/begin.ts";
import { assertSomethingRuns } from "../instance/client.ts";
import { startAnew } from "../instance/start-anew.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine } from "../io/print.ts";
import { takeTurn } from "../processes/pm2.ts";

export const restart = command({
  usage: "restart",
  summary: "restart the processes, with changed settings or code",
  examples: [["mimikit restart", "apply a changed config.yaml or environment, or an update"]],
  async run({ json }) {
    const { home, workDir, config, problems } = currentPlace();
    await assertSomethingRuns(home);
    await takeTurn(home);
    const { url, status, kept, changed } = await begin(home, config, () => startAnew({ home, workDir }, config));
    if (json) printJson({ url, status, kept, changed });
    else {
      printLine(
        t("Mimikit {version} has restarted at {url}, in {workDir}", {
          version: status.version,
          url,
          workDir: status.workDir,
        }),
      );
      printLine(`  ${t("model     {answers}", { answers: answersText(status) })}`);
      for (const problem of problems) printLine(`! ${told(problem)}`);
    }
  },
});
