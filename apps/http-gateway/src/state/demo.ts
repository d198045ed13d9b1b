/**
 * The gateway's end of a demo. Only the command that started this process can make it one, over the channel between the two
 * (docs/demo.md): no setting, no variable and no request does.
 */
import { type DemoOrder, DemoReport } from "@mimikit/protocol/wire/demo";

export interface Demo {
  /** The last report of the command; null where this is no demo. */
  report(): DemoReport | null;
  /** Asks the command to end a role. It does nothing where the command is gone: this process is leaving then. */
  order(order: DemoOrder): void;
}

/** Listens to the process that started this one. PM2 says other things, and they change nothing. */
export function listenForDemo(): Demo {
  let report: DemoReport | null = null;
  process.on("message", (message) => {
    report = DemoReport.safeParse(message).data ?? report;
  });
  return {
    report: () => report,
    order: (order) => void process.send?.(order, undefined, undefined, () => {}),
  };
}

/** An instance of the user's own. */
export const NO_DEMO: Demo = { report: () => null, order: () => {} };
