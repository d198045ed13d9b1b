import { spawn } from "node:child_process";
import { once } from "node:events";
import { homeHash } from "@mimikit/runtime/home/home";
import { findMarked, killMarked, MARK_VARIABLE, markOf } from "@mimikit/runtime/process/marked-processes";
import { expect, onTestFinished, test } from "vitest";
import { endEarlier } from "../../apps/worker-pool/src/end-earlier.ts";
import { task } from "../core/facts.ts";
import { temporaryState } from "../store/home.ts";

/** As many as an outage of a week may make. */
const ATTEMPTS = 10_000;

test("all that earlier attempts left behind is gone, however many there were, and nothing else is", async () => {
  const { home } = temporaryState();
  onTestFinished(async () => void (await killMarked(homeHash(home))));
  const start = async (id: string, attempt: number) => {
    const mark = markOf(home, id, attempt);
    const env = { ...process.env, [MARK_VARIABLE]: mark };
    const child = spawn("sh", ["-c", "echo up; exec sleep 60"], { env, stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    return mark;
  };
  const mine = "t-000001.0.0";
  for (const attempt of [1, ATTEMPTS / 2, ATTEMPTS - 1]) await start(mine, attempt);
  const others = [await start(mine, ATTEMPTS), await start("t-000001.0", 1), await start(`${mine}.1`, 1)];
  await endEarlier({ task: task(mine), attempt: ATTEMPTS }, home, () => {});
  expect((await findMarked(homeHash(home))).map(({ mark }) => mark).sort()).toEqual(others.sort());
});
