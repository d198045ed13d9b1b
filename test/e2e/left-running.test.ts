/** Where nothing holds what a command starts, and something of it hides, the task says that it goes on. */
import { afterEach, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

let mimikit: Instance | undefined;
afterEach(() => mimikit?.dispose());

test("a task whose command has left something that cannot be found says so in its course, and others do not", async () => {
  mimikit = await Instance.start({ env: { MIMIKIT_PLATFORM: "portable", MIMIKIT_SANDBOX: "off" } });
  await mimikit.ready();
  await mimikit.send("run `env -i setsid sleep 62.9 >/dev/null 2>&1 & echo p''id $!; sleep 0.3`");
  const { text } = await mimikit.replyWith("pid ");
  const pid = Number(/pid (\d+)/.exec(text)?.[1]);
  try {
    const worker = (await mimikit.tasks()).find(({ role }) => role === "worker");
    const { timeline } = await mimikit.task(worker?.id ?? "");
    expect(timeline.map(({ event }) => event)).toEqual([
      "created",
      "attempt 1 started",
      "done",
      "attempt 1 left something running that could not be found to be ended",
    ]);
    process.kill(pid, 0);
  } finally {
    process.kill(pid, "SIGKILL");
  }
  await mimikit.send("run `setsid sleep 62.8 >/dev/null 2>&1 & echo an''other`");
  await mimikit.replyWith("another");
  const tasks = await mimikit.tasks();
  const timelines = await Promise.all(tasks.map(({ id }) => mimikit?.task(id)));
  const said = timelines
    .flatMap((task) => task?.timeline ?? [])
    .filter(({ event }) => event.includes("left something"));
  expect(said).toHaveLength(1);
});
