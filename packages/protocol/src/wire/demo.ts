/**
 * The messages of a demo (docs/demo.md): the frames between its gateway and the command that started it, and what the
 * page is told. Outside a demo there is none of it.
 */
import { z } from "zod";
import { CoreActor } from "../records/audit.ts";

/** One of the three processes was ended with SIGKILL: what was there before, and what is there since. */
export const DemoKill = z.object({
  role: CoreActor,
  at: z.iso.datetime(),
  /** Tasks that ran at that moment. */
  running: z.number().int().nonnegative(),
  /** Nothing while it is not looked at yet. */
  after: z
    .object({
      /** Milliseconds until the role was there again. */
      backMs: z.number().nonnegative(),
      /** Of those that ran: how many run again, or have ended well meanwhile. */
      goOn: z.number().int().nonnegative(),
      /** Of those that ran: how many were given up, because their process died too often. */
      givenUp: z.number().int().nonnegative(),
      tasks: z.object({ before: z.number().int(), there: z.number().int() }),
      messages: z.object({ before: z.number().int(), there: z.number().int() }),
      /** Promises of the protocol that are not kept, one sentence each (docs/file-protocol.md#invariants). */
      broken: z.array(z.string()),
    })
    .optional(),
});
export type DemoKill = z.infer<typeof DemoKill>;

/** `GET /api/demo`: the last kills, newest last. Also what the command tells its gateway. */
export const DemoReport = z.object({
  kills: z.array(DemoKill),
  /** The page is a recording of that moment: there is nothing to kill any more. */
  recordedAt: z.iso.datetime().optional(),
});
export type DemoReport = z.infer<typeof DemoReport>;

/** `POST /api/demo/kill`. Also what the gateway asks the command for. */
export const DemoOrder = z.strictObject({ kill: CoreActor });
export type DemoOrder = z.infer<typeof DemoOrder>;

/** Is the last kill still being looked at? */
export function isUnderWay({ kills }: DemoReport): boolean {
  const last = kills.at(-1);
  return last !== undefined && last.after === undefined;
}
