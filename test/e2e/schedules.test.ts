/**
 * Scheduled work through the three real processes on a clock of their own: it comes at its moment, once, whatever was
 * down or killed meanwhile (SPEC D).
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SkippedOccurrences } from "@mimikit/protocol/records/archive";
import { type Trigger, TriggerRecord } from "@mimikit/protocol/records/trigger";
import type { Status } from "@mimikit/protocol/wire/api";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { fewOrAll } from "../support/few-or-all.ts";
import { Instance, type InstanceOptions, ROLE_NAMES } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(options: InstanceOptions = {}): Promise<Instance> {
  const mimikit = await Instance.start({ hasClock: true, ...options });
  opened.unshift(mimikit);
  return mimikit;
}

/** The newest versions of the triggers that stand, as they are on disk. */
function triggersIn({ home }: Instance): Trigger[] {
  const dir = join(home, "triggers");
  const newest = new Map<string, Trigger>();
  for (const name of readdirSync(dir).filter((each) => each.endsWith(".json"))) {
    const path = join(dir, name);
    if (!existsSync(path)) continue;
    const trigger = TriggerRecord.parse(JSON.parse(readFileSync(path, "utf8")));
    if (trigger.type !== "link" && trigger.version > (newest.get(trigger.id)?.version ?? 0))
      newest.set(trigger.id, trigger);
  }
  return [...newest.values()];
}

function archived({ home }: Instance, prefix: string): string[] {
  const stems = readdirSync(join(home, "archive")).map((name) => name.replace(/\.json$/, ""));
  return stems.filter((stem) => stem.startsWith(prefix)).sort();
}

/** How often a text was said to the user. */
async function timesSaid(mimikit: Instance, text: string): Promise<number> {
  return (await mimikit.replies()).reduce((sum, reply) => sum + reply.text.split(text).length - 1, 0);
}

test("a schedule that a clock which was ahead has used up is reported, and begins anew on demand: the same moment starts it again, once", async () => {
  const mimikit = await start();
  await schedule(mimikit, "every hour run `echo hourly`");
  mimikit.setClock(365 * DAY_MS);
  await mimikit.until("an occurrence in a year", () =>
    triggersIn(mimikit).find((each) => each.type === "recurring" && Date.parse(each.last) > Date.now() + 300 * DAY_MS),
  );
  mimikit.setClock(0);
  const { problems } = await mimikit.until("the report", async () => {
    const status = await mimikit.api<Status>("/api/status");
    return status.problems.length > 0 ? status : undefined;
  });
  expect(problems).toContainEqual(expect.stringMatching(/does not fire before \d{4}-.*because the clock was ahead/));
  const [waiting] = triggersIn(mimikit);
  const said = await runCli(mimikit, ["triggers", "anew"]);
  expect(said.out).toContain(`${waiting?.id}: counts from now`);
  // A kill in between, and the same command once more, change nothing.
  const { supervisor: killed } = (await mimikit.ready()).processes;
  await mimikit.kill("supervisor");
  await mimikit.until("another supervisor", async () => {
    const { supervisor } = (await mimikit.api<Status>("/api/status")).processes;
    return (supervisor.alive === true && supervisor.pid !== killed.pid) || undefined;
  });
  const again = await runCli(mimikit, ["triggers", "anew", waiting?.id ?? ""]);
  expect(again.error).toContain("it is not ahead of the clock");
  const [begun] = triggersIn(mimikit);
  expect(begun).toMatchObject({ epoch: 1 });
  expect(begun?.type === "recurring" && Date.parse(begun.last)).toBeLessThanOrEqual(Date.now() + MINUTE_MS);
  expect((await mimikit.api<Status>("/api/status")).problems).toEqual([]);
  const fired = (await mimikit.tasks()).length;
  mimikit.setClock(HOUR_MS + MINUTE_MS);
  await mimikit.until("its first occurrence", async () => (await mimikit.tasks()).length > fired || undefined);
  await mimikit.drained();
  expect(await timesSaid(mimikit, "hourly")).toBeGreaterThan(0);
  expect(triggersIn(mimikit)[0]?.recent.at(-1)?.id).toMatch(/--e1-\d{8}t\d{6}z$/);
});

/** The id that a reply names for what it has scheduled. */
async function schedule(mimikit: Instance, text: string): Promise<string> {
  const reply = await mimikit.replyTo(await mimikit.send(text));
  const id = /`(t-[\d.]+)`/.exec(reply.text)?.[1] ?? "";
  await mimikit.until(`the trigger of: ${reply.text}`, () => triggersIn(mimikit).find((each) => each.id === id));
  return id;
}

test("without a model, the last day of a month and a file that is there are understood, and half a day is asked about", async () => {
  const mimikit = await start();
  const said = async (text: string) => (await mimikit.replyTo(await mimikit.send(text))).text;
  const month = await schedule(mimikit, "每月最后一天18点运行 `echo 月底 >> log.txt`");
  const file = await schedule(mimikit, "when go.txt exists run `cat go.txt >> log.txt`");
  const find = (id: string) => triggersIn(mimikit).find((each) => each.id === id);
  expect(find(month)).toMatchObject({ type: "recurring", schedule: { cron: "0 0 18 L * *" } });
  expect(find(file)).toMatchObject({ condition: { type: "file_exists", params: { path: "go.txt" } } });

  writeFileSync(join(mimikit.workDir, "go.txt"), "it is there\n");
  const log = () =>
    existsSync(join(mimikit.workDir, "log.txt")) ? readFileSync(join(mimikit.workDir, "log.txt"), "utf8") : "";
  await mimikit.until("what follows the file", () => log() === "it is there\n" || undefined);
  const { next } = await mimikit.api<{ next: string }>(`/api/triggers/${month}`);
  const tomorrow = new Date(Date.parse(next) + DAY_MS);
  expect(tomorrow.toLocaleDateString("en", { day: "numeric" })).toBe("1");
  mimikit.setClock(Date.parse(next) - Date.now() + SECOND_MS);
  await mimikit.until("the last day", () => log().endsWith("月底\n") || undefined);

  const asked = await said("remind me to call mum at 5");
  expect(asked).toContain("remind me to call mum at 5 am\nremind me to call mum at 5 pm");
  expect(triggersIn(mimikit)).toHaveLength(2);
  await schedule(mimikit, "remind me to call mum at 5 pm");
  expect(await said("every other friday remind me to report")).toContain("every 2 weeks remind me to report");
  expect(await said("remind me, every day at 9, to stretch")).toMatch(/^I have scheduled this: every day at 9 \(/);
});

describe("without a model, one after the other on a clock that only goes forward,", () => {
  const KILLS_BEGIN_MS = 7 * DAY_MS;
  let mimikit: Instance;
  beforeAll(async () => {
    mimikit = await Instance.start({ hasClock: true });
  });
  afterAll(() => mimikit.dispose());

  test("reminders in English and in Chinese come at their time, once, and are over", async () => {
    await schedule(mimikit, "remind me in 10 minutes to run `touch never`");
    const second = await schedule(mimikit, "20分钟后提醒我喝茶");
    mimikit.setClock(10 * MINUTE_MS + SECOND_MS);
    const first = await mimikit.replyWith("Reminder: ");
    expect(first.text).toBe("Reminder: run `touch never`");
    expect(triggersIn(mimikit).map(({ id }) => id)).toEqual([second]);
    expect(await timesSaid(mimikit, "提醒：")).toBe(0);
    mimikit.setClock(20 * MINUTE_MS + 2 * SECOND_MS);
    expect((await mimikit.replyWith("提醒：")).text).toBe("提醒：喝茶");
    await mimikit.drained();
    expect(await timesSaid(mimikit, "Reminder: ")).toBe(1);
    // A reminder is text, whatever it reads like.
    expect(existsSync(join(mimikit.workDir, "never"))).toBe(false);
    expect((await mimikit.tasks()).filter((task) => task.role !== "teller")).toEqual([]);

    // A repeated command is run, again and again, until it is ended.
    const hourly = await schedule(mimikit, "every hour run `echo tick >> ticks; wc -l < ticks`");
    for (const n of [1, 2]) {
      mimikit.setClock(n * HOUR_MS + HOUR_MS);
      await mimikit.until("the report", async () =>
        (await mimikit.replies()).find((reply) => reply.text.includes(`\`\`\`\n${n}\n\`\`\``)),
      );
    }
    expect((await mimikit.replyTo(await mimikit.send("reminders"))).text).toContain(hourly);
    expect((await mimikit.replyTo(await mimikit.send(`cancel ${hourly}`))).text).toContain("will not fire any more");
    await mimikit.drained();
    mimikit.setClock(9 * HOUR_MS);
    await mimikit.replyTo(await mimikit.send("status"));
    expect(readFileSync(join(mimikit.workDir, "ticks"), "utf8")).toBe("tick\n".repeat(2));
  });

  test("of days that passed while everything was down the last is made up for, and the others are said to be skipped", async () => {
    mimikit.setClock(DAY_MS);
    const hour = String((new Date().getHours() + 6) % 24).padStart(2, "0");
    const daily = await schedule(mimikit, `every day at ${hour}:30 remind me to stretch`);
    await mimikit.stop("SIGKILL");
    mimikit.setClock(5 * DAY_MS);
    for (const role of ROLE_NAMES) mimikit.startRole(role);
    const said = await mimikit.replyWith("Reminder: stretch");
    expect(said.text).toContain("This was due at");
    const [skip] = archived(mimikit, `${daily}--`).filter((id) => id.endsWith("-skipped"));
    const record = readFileSync(join(mimikit.home, "archive", `${skip}.json`), "utf8");
    expect(SkippedOccurrences.parse(JSON.parse(record))).toMatchObject({ triggerId: daily, count: 3 });
    const [trigger] = triggersIn(mimikit);
    expect(trigger?.recent.map(({ outcome }) => outcome)).toEqual(["skipped", "fired"]);

    mimikit.setClock(6 * DAY_MS);
    await mimikit.until("the next one", async () =>
      (await timesSaid(mimikit, "Reminder: stretch")) === 2 ? true : undefined,
    );
    expect(archived(mimikit, `${daily}--`)).toHaveLength(3);
    await mimikit.replyTo(await mimikit.send(`cancel ${daily}`));
    await mimikit.drained();
  });

  const KILLS = fewOrAll(10, 30);
  test(`${KILLS} kill -9s of supervisor and workers: of an interval every occurrence comes once, without a gap`, async () => {
    mimikit.setClock(KILLS_BEGIN_MS);
    const id = await schedule(mimikit, "every 10 seconds remind me to breathe");
    const decided = () => triggersIn(mimikit)[0]?.recent.length ?? 0;
    const isDecided = (n: number) => triggersIn(mimikit).some((each) => each.version > n);
    expect(decided()).toBe(0);
    for (let n = 1; n <= KILLS; n++) {
      mimikit.setClock(KILLS_BEGIN_MS + n * 10 * SECOND_MS);
      // A file that comes and goes makes the supervisor look, so that nobody waits for its next second.
      const nudge = join(mimikit.home, "inbox", `nudge-${n}`);
      writeFileSync(nudge, "");
      rmSync(nudge);
      await mimikit.until(`decision ${n}`, () => isDecided(n) || undefined);
      if (n % 2 === 1) await mimikit.kill("supervisor");
      else {
        // A turn that runs alone when its pool dies for the third time is poison, by design.
        await mimikit.until("an earlier reminder", async () =>
          (await timesSaid(mimikit, "Reminder: breathe")) >= n - 2 ? true : undefined,
        );
        await mimikit.kill("workers");
      }
    }
    const isTold = async () => ((await timesSaid(mimikit, "Reminder: breathe")) >= KILLS ? true : undefined);
    await mimikit.until("all of them", isTold);
    await mimikit.replyTo(await mimikit.send(`cancel ${id}`));
    await mimikit.drained();
    const moments = archived(mimikit, `${id}--`).map((each) => momentOf(each.slice(`${id}--`.length)));
    expect(moments.length).toBeGreaterThanOrEqual(KILLS);
    const gaps = moments.slice(1).map((moment, i) => moment - (moments[i] ?? 0));
    expect(gaps.every((gap) => gap === 10 * SECOND_MS)).toBe(true);
    expect(await timesSaid(mimikit, "Reminder: breathe")).toBe(moments.length);
  });
});

/** `20261122t020010z` in milliseconds; not a number for anything else. */
function momentOf(id: string): number {
  return Date.parse(id.replace(/^(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)z$/, "$1-$2-$3T$4:$5:$6Z"));
}

test("a model that says a time in a tag gets its words back when the time has come", async () => {
  const model = await ModelServer.start({
    teller: (request) => {
      const events = section("events", request);
      if (events !== "") return { say: `Good morning! (${events})` };
      const tag = '<M:create_task prompt="Greet the user" title="greeting" cron="0 30 7 * * *" />';
      return request.turn === 0 ? { say: `Every morning at half past seven.\n\n${tag}` } : { say: "Every morning." };
    },
  });
  opened.push({ dispose: () => model.close() });
  const mimikit = await start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
      MIMIKIT_OPENAI_TOOL_CALLS: "false",
    },
  });
  await mimikit.replyTo(await mimikit.send("greet me every morning at half past seven"));
  const trigger = await mimikit.until("the trigger", () => triggersIn(mimikit)[0]);
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  expect(trigger).toMatchObject({
    type: "recurring",
    target: "teller",
    prompt: "Greet the user",
    schedule: { cron: "0 30 7 * * *", timezone: timeZone },
  });
  mimikit.setClock(DAY_MS);
  const greeting = await mimikit.replyWith("Good morning!");
  const json = /<M:system_event name="cron_trigger" version="1">(.*)<\/M:system_event>/.exec(greeting.text)?.[1] ?? "";
  expect(JSON.parse(json)).toMatchObject({ triggerId: trigger.id, title: "greeting", prompt: "Greet the user" });
  expect(await timesSaid(mimikit, "Good morning!")).toBe(1);
});

test("a Planner schedules work for a Worker, which is reported each time", async () => {
  const model = await ModelServer.start({
    teller: (request) => {
      const results = section("results", request);
      if (results !== "") return { say: `It came to this: ${results}` };
      if (section("events", request) !== "") return { say: "It is set up." };
      return request.turn === 0 ? call("delegate", { prompt: "watch notes.txt" }) : { say: "I am on it." };
    },
    planner: ({ turn }) =>
      turn === 0
        ? call("schedule", {
            prompt: "count the notes",
            title: "count",
            condition: { type: "file_changed", params: { path: "notes.txt" } },
          })
        : { say: "" },
    worker: ({ turn, results }) =>
      turn === 0 ? { calls: [{ shell: "wc -l < notes.txt" }] } : { say: `notes: ${results.join("")}` },
  });
  opened.push({ dispose: () => model.close() });
  const mimikit = await start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    },
  });
  const notes = join(mimikit.workDir, "notes.txt");
  writeFileSync(notes, "");
  await mimikit.send("count my notes whenever they change");
  const isWatched = () =>
    triggersIn(mimikit).some((each) => each.type === "conditional" && "0" in each.evidence.baselines);
  await mimikit.until("the first sight of the file", () => isWatched() || undefined);
  writeFileSync(notes, "one\ntwo\n");
  const first = await mimikit.replyWith("It came to this");
  expect(first.text).toMatch(/notes: .*\b2\b/s);
  mimikit.setClock(HOUR_MS);
  writeFileSync(notes, "one\ntwo\nthree\n");
  await mimikit.until("the second report", async () =>
    (await timesSaid(mimikit, "It came to this")) === 2 ? true : undefined,
  );
  expect(model.of("worker").filter(({ turn }) => turn === 0)).toHaveLength(2);
});
