/** A refresh of the view costs as much as has changed since the last one, and not as much as there is; counted, not timed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@mimikit/protocol/records/inbox";
import type { TriggerRecord } from "@mimikit/protocol/records/trigger";
import { readToken } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { inboxPath, queuePath, triggerPath } from "@mimikit/store/disk/state";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { expect, test } from "vitest";
import { type StateView, View } from "../../../apps/http-gateway/src/state/view.ts";
import { temporaryHome } from "../gateway.ts";
import { claim, NOON, recurringOf, stand, taskOf } from "../records.ts";

const FEW = 20;
const MANY = 1_000;

/** Counts the records that are asked for by their ids, and all those that are gone through. */
class CountedCache {
  records = 0;
  readonly cache: StateCache;

  constructor(cache: StateCache) {
    this.cache = new Proxy(cache, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (value instanceof Map) return this.counted(value);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  private counted(map: Map<string, unknown>): Map<string, unknown> {
    return new Proxy(map, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          this.records += name === "get" || name === "has" ? 1 : target.size;
          return Reflect.apply(value, target, args);
        };
      },
    });
  }
}

interface Seen {
  /** Records that each step's look asked for. */
  records: number[];
  looks: StateView[];
}

/** Looks at a state directory with so many open tasks and triggers, then after each of some steps. */
async function costsWith(count: number): Promise<Seen> {
  const home = temporaryHome();
  const fs = openDisk(home, "test");
  const put = (path: string, record: unknown) =>
    writeFileSync(join(home, path), `${JSON.stringify(record)}\n`, { mode: 0o600 });
  for (let k = 0; k < count; k++) {
    const task = taskOf(`t-000001.${k}`);
    put(queuePath("worker", task.id), task);
    put(
      triggerPath(`trg-${k}`, 1),
      recurringOf(`trg-${k}`, { schedule: { interval: 3_600 + k } }) satisfies TriggerRecord,
    );
  }
  const counting = new CountedCache(
    new StateCache(fs, { token: readToken(home), durable: false, onBadArchive: (path) => expect.fail(path) }),
  );
  const view = new View(fs, counting.cache);
  const seen: Seen = { records: [], looks: [await view.refresh()] };
  const steps = [
    () => createRecord(fs, Message, inboxPath("m-1"), { kind: "message", id: "m-1", at: NOON, text: "hello" }),
    () => claim(fs, taskOf("t-000001.3")),
    () => stand(fs, recurringOf("trg-3", { version: 2 })),
  ];
  for (const step of steps) {
    await step();
    counting.records = 0;
    seen.looks.push(await view.refresh());
    seen.records.push(counting.records);
  }
  return seen;
}

test("with many open tasks and triggers a look asks for no more records than with few, and makes no other line anew", async () => {
  const [few, many] = [await costsWith(FEW), await costsWith(MANY)];
  expect(many.records).toEqual(few.records);
  const [first, ...later] = many.looks;
  expect(later.map(({ messages }) => messages.length)).toEqual([1, 1, 1]);
  const last = later.at(-1);
  expect(last?.tasks).toHaveLength(MANY);
  expect(last?.tasks.filter((task) => !first?.tasks.includes(task))).toMatchObject([
    { id: "t-000001.3", state: "running" },
  ]);
  expect(last?.triggers).toHaveLength(MANY);
  expect(last?.triggers.filter((trigger) => !first?.triggers.includes(trigger))).toMatchObject([{ id: "trg-3" }]);
  expect(later[0]?.tasks).toBe(first?.tasks);
  expect(later[1]?.triggers).toBe(first?.triggers);
});
