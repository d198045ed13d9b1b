/** The checker of kills finds what it looks for: a state in which all is well is damaged in one place at a time. */
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Recurring } from "@mimikit/protocol/records/trigger";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lookAfterKills, type Order, occurrencesOf, RAN_FILE } from "../../apps/cli/src/chaos/after-kills.ts";
import { Instance } from "../support/instance.ts";
import { ModelServer } from "../support/model-server.ts";
import { modelSettings } from "../support/start-with-model.ts";
import { orderOf, scriptOf } from "./script.ts";

let mimikit: Instance;
let orders: Order[];
beforeAll(async () => {
  const model = await ModelServer.start(scriptOf(() => undefined));
  mimikit = await Instance.start({ env: modelSettings(model) });
  const { text, marks } = orderOf("one");
  orders = [{ id: await mimikit.send(text), marks }];
  await mimikit.replyWith("It is done.");
  await mimikit.drained();
  await mimikit.stop();
  await model.close();
});
afterAll(() => mimikit.dispose());

/** Looks at a copy of the state, after `damage`. */
async function violationsAfter(damage: (place: { home: string; workDir: string }) => void): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "mimikit-damaged-"));
  const place = { home: join(directory, "state"), workDir: join(directory, "work") };
  try {
    cpSync(mimikit.home, place.home, { recursive: true });
    cpSync(mimikit.workDir, place.workDir, { recursive: true });
    damage(place);
    return (await lookAfterKills(place, orders)).violations;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const removeRecord = (id: string) => (place: { home: string }) => rmSync(join(place.home, "archive", `${id}.json`));

test("a state in which everything was done once has nothing to complain about, and its figures are told", async () => {
  expect(await violationsAfter(() => undefined)).toEqual([]);
  expect(await lookAfterKills(mimikit, orders)).toMatchObject({ turns: 2, tasks: 4, ran: 3, ranAgain: 0, failed: {} });
});

test.each<[string, (place: { home: string; workDir: string }) => void, RegExp]>([
  ["an acknowledged message that is nowhere", ({ home }) => removeRecord(orders[0]?.id ?? "")({ home }), /was lost/],
  ["a message in no turn", removeRecord("t-000001"), /is in the archive and in no turn/],
  ["an order that became no plan", removeRecord("t-000001.0"), /became 0 plans/],
  ["a step that became no task", removeRecord("t-000001.0.1"), /ran-one-b of .* became 0 tasks/],
  [
    "an order that became two plans",
    ({ home }) => {
      const twin = JSON.parse(readFileSync(join(home, "archive/t-000001.0.json"), "utf8"));
      writeFileSync(
        join(home, "archive/t-000001.7.json"),
        JSON.stringify({ ...twin, id: "t-000001.7", task: { ...twin.task, id: "t-000001.7" } }),
      );
    },
    /became 2 plans/,
  ],
  [
    "a command that ran more often than its task was tried",
    ({ workDir }) => appendFileSync(join(workDir, RAN_FILE), "ran-one-a\n"),
    /the command of t-000001.0.0 ran 2 times in 1 attempts/,
  ],
  [
    "a task that is done, and whose command did not run",
    ({ workDir }) => writeFileSync(join(workDir, RAN_FILE), "ran-one-a\nran-one-b\n"),
    /t-000001.0.2 is done, and its command never ran/,
  ],
  [
    "a record that is still open",
    ({ home }) => cpSync(join(home, "archive/t-000001.0.2.json"), join(home, "worker/results/t-000001.0.2.json")),
    /worker\/results\/t-000001.0.2.json is still open/,
  ],
  [
    "a message that is shown twice",
    ({ home }) => {
      const view = JSON.parse(readFileSync(join(home, "history.json"), "utf8"));
      writeFileSync(
        join(home, "history.json"),
        JSON.stringify({ ...view, messages: [...view.messages, view.messages.at(-1)] }),
      );
    },
    /stands twice in history.json/,
  ],
  ["something in quarantine", ({ home }) => writeFileSync(join(home, "quarantine/x"), "x"), /x is in quarantine/],
])("%s is found", async (_, damage, words) => {
  expect(await violationsAfter(damage)).toContainEqual(expect.stringMatching(words));
});

describe("the moments of an interval", () => {
  const moment = (sec: number) => new Date(sec * 1_000).toISOString();
  const fired = (sec: number, id = `trg-1--${sec}`) => ({ outcome: "fired" as const, at: moment(sec), id });
  const problemsIn = (recent: Recurring["recent"]) =>
    occurrencesOf({
      id: "trg-1",
      type: "recurring",
      schedule: { interval: 10 },
      createdAt: moment(0),
      recent,
    } as Recurring).problems;

  test("each have one outcome, and a run that was asked for in between is none of them", () => {
    expect(problemsIn([fired(10), fired(13, "trg-1--run-1"), fired(20)])).toEqual([]);
    expect(problemsIn([fired(10), fired(13), fired(20)])).toHaveLength(2);
    expect(problemsIn([fired(10), fired(30)])).toEqual([expect.stringContaining("has no outcome")]);
  });
});
