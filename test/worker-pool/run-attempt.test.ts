import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Circuits } from "@mimikit/agent/circuit";
import { Steering } from "@mimikit/agent/steering";
import type { Candidate } from "@mimikit/core/dispatch";
import { Mirror } from "@mimikit/store/mirror";
import { runPath, streamPath } from "@mimikit/store/state";
import { expect, test } from "vitest";
import { runAttempt, type Workshop } from "../../apps/worker-pool/src/run-attempt.ts";
import { message, NOON_MS, turn } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

const asked = turn("t-000001", { messages: [message("m-a")] });
const candidate: Candidate = { task: asked, attempt: 1, earlier: [], outages: [], interrupted: false };

/** A pool whose settings name nobody who can answer. */
function workshopWithNobody() {
  const { home, fs } = temporaryState();
  const errors: unknown[] = [];
  const workshop: Workshop = {
    home,
    workDir: home,
    fs,
    mirror: new Mirror(fs, { token: "token", durable: true, isAlive: () => true, onBadArchive: () => {} }),
    providers: { teller: "model", planner: "model", worker: "model" },
    nowMs: () => NOON_MS,
    answerersOf: () => ({ providers: [], problems: ["nobody is there"] }),
    circuits: new Circuits(() => ({ first: 5_000, max: 60_000 })),
    monotonicMs: () => 0,
    prices: {},
    onToolCall: () => {},
    sandbox: "auto",
    timeLimits: { teller: 180, planner: 600, worker: 600 },
    onError: (error) => errors.push(error),
  };
  return { workshop, errors };
}

const run = (workshop: Workshop) => runAttempt(candidate, new Steering(), new AbortController().signal, workshop);

test("an attempt that reached nobody leaves nothing behind", async () => {
  const { workshop, errors } = workshopWithNobody();
  expect(await run(workshop)).toMatchObject({ isOutage: true, error: "nobody is there" });
  expect(existsSync(join(workshop.home, runPath(asked.id, 1)))).toBe(false);
  expect(existsSync(join(workshop.home, streamPath(asked.id)))).toBe(false);
  expect(errors).toEqual([]);
});

test("an outage stays an outage where the disk does not let go of what it left", async () => {
  const { workshop, errors } = workshopWithNobody();
  mkdirSync(join(workshop.home, streamPath(asked.id)));
  expect(await run(workshop)).toMatchObject({ isOutage: true, effects: [] });
  expect(errors).not.toEqual([]);
});
