/**
 * Shows Mimikit at work without a key: an invented household in an instance of its own, until Ctrl-C. The page of it has a
 * button that kills a process. Yours is not touched, and nothing is left behind (docs/demo.md).
 */

import type { ChildProcess } from "node:child_process";
import { DemoOrder, type DemoReport, isUnderWay } from "@mimikit/protocol/wire/demo";
import { createPairing } from "@mimikit/runtime/home/pairing";
import type { CoreRole } from "@mimikit/runtime/process/role-record";
import { command } from "../arguments/command.ts";
import { furnish, orderWork } from "../demo/household.ts";
import { killAndLook } from "../demo/kill.ts";
import { makeFolder, removeLeftovers } from "../demo/leftovers.ts";
import { t } from "../i18n/language.ts";
import { startTrial, type TrialInstance } from "../instance/trial.ts";
import { printJson, printLine, printProgress, styled } from "../io/print.ts";

/** The page shows the last one; more are for whoever asks the API. */
const KILLS_KEPT_MAX = 10;

export const demo = command({
  usage: "demo",
  summary: "show Mimikit at work without a key, in an instance of its own, until Ctrl-C",
  examples: [["mimikit demo", "an invented household; its page has a button that kills a process"]],
  async run({ json }) {
    const left = await removeLeftovers();
    if (left > 0) printProgress(t("removed what a demo that was killed had left behind"));
    const door = new Door();
    const directory = makeFolder();
    const trial = await startTrial({
      directory,
      prepare: (place) => furnish(place, Date.now()),
      onStart: (role, child) => door.onStart(role, child),
      exitCode: 0,
    });
    door.open(trial);
    await orderWork(trial.home);
    const pairingUrl = `${trial.client.url}/#pair=${(await createPairing(trial.home)).code}`;
    if (json) printJson({ url: trial.client.url, pairingUrl, directory });
    else show(pairingUrl);
  },
});

/** The way from the page of the demo to this command: what the gateway asks for, and what it is told. */
class Door {
  private report: DemoReport = { kills: [] };
  private gateway: ChildProcess | undefined;
  private trial: TrialInstance | undefined;

  /** Tells each gateway that it is one of a demo, and listens to it. */
  onStart(role: CoreRole, child: ChildProcess): void {
    if (role !== "gateway") return;
    this.gateway = child;
    child.on("message", (message) => {
      const order = DemoOrder.safeParse(message).data;
      if (order !== undefined && this.trial !== undefined && !isUnderWay(this.report))
        void this.kill(this.trial, order.kill);
    });
    this.tell();
  }

  open(trial: TrialInstance): void {
    this.trial = trial;
  }

  private async kill(trial: TrialInstance, role: CoreRole): Promise<void> {
    const { kills } = this.report;
    const show = (kill: DemoReport["kills"][number]) => {
      this.report = { kills: [...kills, kill].slice(-KILLS_KEPT_MAX) };
      this.tell();
    };
    show(await killAndLook(trial, role, show));
  }

  /** One that is just ending is not told; the one after it is, when it starts. */
  private tell(): void {
    this.gateway?.send(this.report, () => {});
  }
}

function show(pairingUrl: string): void {
  printLine(
    t("{name} shows itself at work: everything in it is invented, and nothing of yours is touched", {
      name: styled("bold", "Mimikit"),
    }),
  );
  printLine();
  printLine(t("  open      {address}", { address: styled("cyan", pairingUrl) }));
  printLine(t("            (this address signs one browser in, once, within 10 minutes)"));
  printLine(t("  kill it   with the button on the page: nothing is lost, and nothing is done twice"));
  printLine(t("  end it    Ctrl-C: it leaves nothing behind"));
}
