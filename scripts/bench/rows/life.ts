/** Rows about processes under PM2: how soon one that was killed is back, and what they hold after many turns. */
import { setTimeout as wait } from "node:timers/promises";
import { PROCESS_ROLES } from "@mimikit/runtime/process/role-record";
import type { Figures } from "../measure/figures.ts";
import { Installed } from "../measure/installed.ts";
import { Live } from "../measure/live.ts";
import { memoryOf } from "../measure/processes.ts";
import type { Contestant, Row } from "./row.ts";

const WARM_UP = 5;
const RETRY_MS = 5;
const ANSWERED_MS_MAX = 60_000;
/** Messages that wait at the same time, each for a turn of its own. */
const TURNS_AT_ONCE = 8;
/** Everything begun is over by then, and PM2 has forgotten that a role was restarted. */
const QUIET_AFTER_MS = 3_000;

function installed(measure: (mimikit: Installed) => Promise<Figures>): Contestant {
  return {
    name: "Mimikit",
    missing: null,
    async round() {
      const mimikit = await Installed.start();
      try {
        return await measure(mimikit);
      } finally {
        await mimikit.remove();
      }
    },
  };
}

const kill: Row = {
  name: "kill",
  about:
    "kill -9 of a role, and of all three, until a message that is sent from that moment on is answered; PM2 starts what was killed",
  contestants: () => [
    installed(async (mimikit) => {
      for (let n = 0; n < WARM_UP; n++) await answered(mimikit);
      const figures: Figures = {};
      for (const role of PROCESS_ROLES) figures[`${role}, ms`] = await killed(mimikit, [mimikit.pidOf(role)]);
      figures["all three, ms"] = await killed(mimikit, mimikit.pids);
      return figures;
    }),
  ],
};

/** @returns milliseconds from the kill to the answer. */
async function killed(mimikit: Installed, pids: readonly number[]): Promise<number> {
  await wait(QUIET_AFTER_MS);
  const startMs = performance.now();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  await answered(mimikit);
  return performance.now() - startMs;
}

let keys = 0;

/** Sends "hello" until it is accepted, and asks until it is answered. */
async function answered(mimikit: Installed): Promise<void> {
  const key = `bench-${++keys}`;
  const id = await insist(() => mimikit.send("hello", {}, key));
  await insist(async () => (await mimikit.hasAnswered(id)) || undefined);
}

/** The first answer that there is; a gateway that is just down is asked again. */
async function insist<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + ANSWERED_MS_MAX;
  let last: unknown;
  while (performance.now() < end) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error;
    }
    await wait(RETRY_MS);
  }
  throw new Error(`there was no answer in time: ${String(last)}`);
}

const memory: Row = {
  name: "memory",
  about: `what the three roles hold before and after many turns, ${TURNS_AT_ONCE} at once, and what is resident with PM2's daemon`,
  rounds: 1,
  contestants: ({ turns }) => [
    installed(async (mimikit) => {
      const live = await Live.connect(mimikit);
      await wait(QUIET_AFTER_MS);
      const before = held(mimikit, "fresh");
      let left = turns;
      await Promise.all(
        Array.from({ length: TURNS_AT_ONCE }, async () => {
          while (left-- > 0) await live.replied(await mimikit.send("hello", { mode: "next" }));
        }),
      );
      live.close();
      await wait(QUIET_AFTER_MS);
      return { ...before, ...held(mimikit, `after ${turns} turns`) };
    }),
  ],
};

function held(mimikit: Installed, when: string): Figures {
  const { pss, rss } = memoryOf(mimikit.pids);
  return {
    [`PSS ${when}, MB`]: pss,
    [`RSS ${when}, with PM2, MB`]: rss + memoryOf([mimikit.daemonPid]).rss,
  };
}

export const LIFE_ROWS: readonly Row[] = [kill, memory];
