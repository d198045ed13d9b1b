/**
 * Conditions on files and on what only a model can tell, through the three real processes: what happens is seen when it
 * happens, also while nobody looked, and a model is asked no more than it must be (SPEC D1, D3).
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Conditional, TriggerRecord } from "@mimikit/protocol/records/trigger";
import type { Condition } from "@mimikit/protocol/triggers/condition";
import type { Status, TaskDetail, TriggerExplanation } from "@mimikit/protocol/wire/api";
import { afterEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance, type InstanceOptions, ROLE_NAMES } from "../support/instance.ts";
import { KEY, section } from "../support/main-job.ts";
import { type ModelRequest, ModelServer, type Script } from "../support/model-server.ts";

const FIVE_MINUTES_MS = 300_000;

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(options: InstanceOptions = {}): Promise<Instance> {
  const mimikit = await Instance.start(options);
  opened.unshift(mimikit);
  return mimikit;
}

async function startWith(script: Script): Promise<{ mimikit: Instance; model: ModelServer }> {
  const model = await ModelServer.start(script);
  opened.push({ dispose: () => model.close() });
  const env = {
    MIMIKIT_PROVIDER: "openai",
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: KEY,
    MIMIKIT_MODEL: "scripted",
  };
  return { mimikit: await start({ env, hasClock: true }), model };
}

/** A trigger that hands its prompt to a Worker. Resolves with its id, once it stands. */
async function put(mimikit: Instance, prompt: string, condition: Condition): Promise<string> {
  const body = { prompt, target: "worker", condition };
  const { id } = await mimikit.api<{ id: string }>("/api/triggers", { method: "POST", body });
  await mimikit.until(`the trigger ${id}`, () => newest(mimikit, id));
  return id;
}

/** The newest version of a trigger that stands, as it is on disk. */
function newest({ home }: Instance, id: string): Conditional | undefined {
  const versions = readdirSync(join(home, "triggers")).flatMap((name) => {
    const version = Number(/\.v(\d+)\.json$/.exec(name)?.[1] ?? 0);
    return name === `${id}.v${version}.json` ? [version] : [];
  });
  const path = join(home, "triggers", `${id}.v${Math.max(...versions)}.json`);
  // A version that another has replaced may be gone by now.
  if (versions.length === 0 || !existsSync(path)) return undefined;
  const trigger = TriggerRecord.parse(JSON.parse(readFileSync(path, "utf8")));
  return trigger.type === "conditional" ? trigger : undefined;
}

/** Resolves when the files of the condition have been looked at for the first time. */
function hasBaseline(mimikit: Instance, id: string): Promise<boolean> {
  return mimikit.until("the first sight", () => newest(mimikit, id)?.evidence.baselines[0] !== undefined || undefined);
}

/** Resolves when the work of the n-th firing is done. */
async function hasFired(mimikit: Instance, id: string, n: number): Promise<void> {
  await mimikit.until(`${id}--${n}`, async () => {
    const found = (await mimikit.tasks()).find((task) => task.id === `${id}--${n}`);
    return found?.state === "done" || undefined;
  });
}

const changed = (path: string): Condition => ({ type: "file_changed", params: { path } });
const exists = (path: string): Condition => ({ type: "file_exists", params: { path } });
const asked = (prompt: string): Condition => ({ type: "llm_eval", params: { prompt } });
const all = (...conditions: Condition[]): Condition => ({ type: "and", conditions });

describe("a condition on files", () => {
  test("fires on a change of one file, and not on its first sight or on another", async () => {
    const mimikit = await start();
    writeFileSync(join(mimikit.workDir, "notes.txt"), "one");
    const id = await put(mimikit, "run `echo noticed >> log.txt`", changed("notes.txt"));
    const other = await put(mimikit, "run `echo other >> log.txt`", changed("other.txt"));
    await hasBaseline(mimikit, id);
    await hasBaseline(mimikit, other);
    appendFileSync(join(mimikit.workDir, "notes.txt"), " two");
    await hasFired(mimikit, id, 1);
    expect(readFileSync(join(mimikit.workDir, "log.txt"), "utf8")).toBe("noticed\n");
    expect(newest(mimikit, other)?.fired).toBe(0);
  });

  test("fires on a file that a glob begins to match, wherever it is made", async () => {
    const mimikit = await start();
    mkdirSync(join(mimikit.workDir, "invoices"));
    const id = await put(mimikit, "run `ls -R invoices`", changed("invoices/**/*.pdf"));
    await hasBaseline(mimikit, id);
    mkdirSync(join(mimikit.workDir, "invoices/2026/11"), { recursive: true });
    writeFileSync(join(mimikit.workDir, "invoices/2026/11/a.pdf"), "");
    await hasFired(mimikit, id, 1);
    expect(JSON.stringify((await mimikit.task(`${id}--1`)).result)).toContain("a.pdf");
  });

  test("remembers over kill -9 what it saw: a change while nothing runs fires when it runs again, once", async () => {
    const mimikit = await start();
    writeFileSync(join(mimikit.workDir, "notes.txt"), "one");
    const id = await put(mimikit, "run `echo noticed >> log.txt`", changed("notes.txt"));
    await hasBaseline(mimikit, id);
    await mimikit.stop("SIGKILL");
    appendFileSync(join(mimikit.workDir, "notes.txt"), " two");
    for (const role of ROLE_NAMES) mimikit.startRole(role);
    await mimikit.ready();
    await hasFired(mimikit, id, 1);
    await mimikit.kill("supervisor");
    await mimikit.ready();
    expect(newest(mimikit, id)?.fired).toBe(1);
    expect(readFileSync(join(mimikit.workDir, "log.txt"), "utf8")).toBe("noticed\n");
  });
});

describe("a change that takes a while", () => {
  test("is one: a hundred files fire when the last of them is there, and not once more afterwards", async () => {
    const mimikit = await start({ hasClock: true });
    mkdirSync(join(mimikit.workDir, "tree"));
    // Longer than the test may pause between two files, however busy the machine is.
    const condition: Condition = { type: "file_changed", params: { path: "tree/**", settleSec: 8 } };
    const id = await put(mimikit, "run `ls tree | wc -l >> seen.txt`", condition);
    const other = await put(mimikit, "run `echo other >> seen.txt`", {
      type: "file_changed",
      params: { path: "other.txt", settleSec: 0 },
    });
    await hasBaseline(mimikit, id);
    await hasBaseline(mimikit, other);
    for (let i = 0; i < 100; i++) {
      writeFileSync(join(mimikit.workDir, `tree/${i}.txt`), String(i));
      await setTimeout(30);
    }
    // It was looked at all the while: what needs no rest fires in the middle of it.
    writeFileSync(join(mimikit.workDir, "other.txt"), "");
    await hasFired(mimikit, other, 1);
    expect(newest(mimikit, id)?.fired).toBe(0);
    await hasFired(mimikit, id, 1);
    mimikit.setClock(60_000);
    writeFileSync(join(mimikit.workDir, "other.txt"), "again");
    await hasFired(mimikit, other, 2);
    expect(newest(mimikit, id)?.fired).toBe(1);
    expect(readFileSync(join(mimikit.workDir, "seen.txt"), "utf8")).toBe("other\n100\nother\n");
    const { upstream } = await mimikit.api<TaskDetail>(`/api/tasks/${id}--1`);
    expect(upstream).toMatchObject([
      { result: { text: expect.stringMatching(/^(?:tree\/\d+\.txt\n){20}and 80 more$/) } },
    ]);
  });

  test("that is waited for when the supervisor is killed fires all the same, once, and names the file", async () => {
    const mimikit = await start();
    writeFileSync(join(mimikit.workDir, "notes.txt"), "one");
    const id = await put(mimikit, "run `cat notes.txt >> log.txt`", changed("notes.txt"));
    await hasBaseline(mimikit, id);
    appendFileSync(join(mimikit.workDir, "notes.txt"), " two\n");
    await mimikit.kill("supervisor");
    await hasFired(mimikit, id, 1);
    expect(readFileSync(join(mimikit.workDir, "log.txt"), "utf8")).toBe("one two\n");
    const { upstream } = await mimikit.api<TaskDetail>(`/api/tasks/${id}--1`);
    expect(upstream).toMatchObject([{ title: "the files that changed", result: { text: "notes.txt" } }]);
  });
});

describe("a condition that must hold for a while", () => {
  test("fires when it has held for so long, over kill -9, and counts anew when it was broken off", async () => {
    const mimikit = await start({ hasClock: true });
    const flag = join(mimikit.workDir, "flag");
    const body = { prompt: "run `echo held >> log.txt`", target: "worker", condition: exists("flag"), stableFor: 300 };
    const { id } = await mimikit.api<{ id: string }>("/api/triggers", { method: "POST", body });
    const heldSince = () => newest(mimikit, id)?.heldSince;
    await mimikit.until("the trigger", () => newest(mimikit, id));
    expect(await mimikit.api(`/api/triggers/${id}`)).toMatchObject({ stableSec: 300 });

    writeFileSync(flag, "");
    const first = await mimikit.until("the first sight", heldSince);
    mimikit.setClock(FIVE_MINUTES_MS - 60_000);
    rmSync(flag);
    await mimikit.until("the break", () => (heldSince() === undefined ? true : undefined));
    writeFileSync(flag, "");
    const second = await mimikit.until("the second sight", heldSince);
    expect(Date.parse(second)).toBeGreaterThan(Date.parse(first));
    // Where it is counted from the first sight, it fires now.
    mimikit.setClock(FIVE_MINUTES_MS + 10_000);
    expect(await mimikit.api(`/api/triggers/${id}/explain`)).toMatchObject({
      state: "holding",
      until: new Date(Date.parse(second) + FIVE_MINUTES_MS).toISOString(),
    });
    const { out } = await runCli(mimikit, ["triggers", "explain", id]);
    expect(out).toMatch(
      /when flag is there, for 5 min\nits condition is true: fires at .* if it stays true until then/,
    );
    await mimikit.kill("supervisor");
    await mimikit.ready();
    expect(heldSince()).toBe(second);
    expect(newest(mimikit, id)?.fired).toBe(0);
    mimikit.setClock(2 * FIVE_MINUTES_MS);
    await hasFired(mimikit, id, 1);
    expect(heldSince()).toBeUndefined();
    expect(readFileSync(join(mimikit.workDir, "log.txt"), "utf8")).toBe("held\n");
  });
});

describe("a condition that only a model can tell", () => {
  const conditionsIn = (request: ModelRequest) => section("conditions", request);

  /** Judges every condition that holds one of these words to be true, and does whatever work there is. */
  const judging =
    (...words: string[]) =>
    (request: ModelRequest) => {
      if (conditionsIn(request) === "") return { say: `Done: ${section("task", request)}` };
      const found = [...conditionsIn(request).matchAll(/^- id: (c\d+)\n {4}(.*)$/gm)];
      const verdicts = found.map(([, id, prompt]) => ({ id, result: words.some((word) => prompt?.includes(word)) }));
      return { say: JSON.stringify(verdicts) };
    };

  const batches = (model: ModelServer) => model.of("worker").filter((request) => conditionsIn(request) !== "");

  test("is asked only when nothing else decides, once for all, and only a firing comes of the answer", async () => {
    const { mimikit, model } = await startWith({ teller: () => ({ say: "Noted." }), worker: judging() });
    const rain = await put(mimikit, "Close the windows.", all(exists("home.txt"), asked("Does it rain?")));
    const wind = await put(mimikit, "Take in the flags.", all(exists("home.txt"), asked("Is there wind?")));
    // A turn goes by, and with it many looks at the conditions.
    await mimikit.replyTo(await mimikit.send("hello"));
    expect(model.of("worker")).toEqual([]);

    writeFileSync(join(mimikit.workDir, "home.txt"), "");
    const isAnswered = (number: number) => (id: string) =>
      newest(mimikit, id)?.evidence.evaluations[1]?.number === number;
    await mimikit.until("the first answers", () => [rain, wind].every(isAnswered(1)) || undefined);
    expect(batches(model)).toHaveLength(1);
    expect(conditionsIn(batches(model)[0] as ModelRequest)).toMatch(/Does it rain\?[\s\S]*Is there wind\?/);
    expect(newest(mimikit, rain)?.evidence.evaluations[1]?.result).toBe(false);

    model.script = { ...model.script, worker: judging("rain") };
    mimikit.setClock(FIVE_MINUTES_MS);
    await hasFired(mimikit, rain, 1);
    expect(batches(model)).toHaveLength(2);
    expect(newest(mimikit, wind)).toMatchObject({
      fired: 0,
      evidence: { evaluations: { 1: { number: 2, result: false } } },
    });
    // The Teller hears of what the firing came to, and of nothing else.
    await mimikit.until("the report", () => (model.of("teller").length > 1 ? true : undefined));
    expect(section("results", model.of("teller")[1] as ModelRequest)).toContain("Close the windows.");
    expect(model.of("teller").map((request) => section("events", request))).toEqual(["", ""]);
    expect(model.of("teller")).toHaveLength(2);
    expect(model.unknown).toEqual([]);
  });

  test("is told once what is wrong with an answer, and the corrected one counts", async () => {
    const { mimikit, model } = await startWith({
      worker: (request) => {
        if (conditionsIn(request) === "") return { say: "Done." };
        return request.turn === 0 ? { say: "Yes, it rains." } : judging("rain")(request);
      },
      teller: () => ({ say: "Noted." }),
    });
    const id = await put(mimikit, "Close the windows.", asked("Does it rain?"));
    await hasFired(mimikit, id, 1);
    expect(batches(model).map(({ turn }) => turn)).toEqual([0, 1]);
    expect(batches(model)[1]?.messages.at(-1)?.content).toContain("JSON array");
  });

  test("and does not is said: by explain at once, by the status when it happens again, and not after an answer", async () => {
    const { mimikit, model } = await startWith({
      worker: () => ({ say: "It may rain." }),
      teller: () => ({ say: "." }),
    });
    const id = await put(mimikit, "Close the windows.", asked("Does it rain?"));
    const explained = () => mimikit.api<TriggerExplanation>(`/api/triggers/${id}/explain`);
    const problems = async () => (await mimikit.api<Status>("/api/status")).problems;
    const isAsked = (count: number) =>
      mimikit.until(`${count} batches in vain`, () =>
        newest(mimikit, id)?.evidence.unanswered?.[0]?.count === count ? true : undefined,
      );
    await isAsked(1);
    expect((await explained()).condition).toMatchObject({
      holds: null,
      text: '"Does it rain?": a model was asked, and gave no usable answer',
      unanswered: { count: 1 },
    });
    expect(await problems()).toEqual([]);

    mimikit.setClock(2 * FIVE_MINUTES_MS + 1_000);
    await isAsked(2);
    const { condition } = await explained();
    expect(condition?.text).toBe('"Does it rain?": models gave no usable answer, 2 times in a row');
    const [since, at] = [condition?.unanswered?.since, condition?.at].map((each) => Date.parse(each ?? ""));
    expect((at ?? 0) - (since ?? 0)).toBeGreaterThanOrEqual(2 * FIVE_MINUTES_MS);
    expect(await problems()).toEqual([
      expect.stringMatching(
        /^the condition of “Close the windows\.” cannot be evaluated: .*2 times in a row.*mimikit triggers explain/,
      ),
    ]);
    const { out } = await runCli(mimikit, ["triggers", "explain", id]);
    expect(out).toMatch(/\? llm_eval {2}"Does it rain\?": models gave no usable answer, 2 times in a row \(.+ – .+\)/);
    expect(await mimikit.tasks()).toEqual([]);

    model.script = { ...model.script, worker: judging() };
    mimikit.setClock(10 * FIVE_MINUTES_MS);
    await mimikit.until(
      "the answer",
      () => newest(mimikit, id)?.evidence.evaluations[0]?.result === false || undefined,
    );
    expect((await explained()).condition?.text).toBe('"Does it rain?": a model said no');
    expect(await problems()).toEqual([]);
  });

  test("is not guessed where there is no model: that is said, and nobody is bothered with it", async () => {
    const mimikit = await start();
    await put(mimikit, "run `echo it rains`", asked("Does it rain?"));
    const failed = await mimikit.until("the failure", async () => {
      const batch = await mimikit.task("eval-000001");
      return batch.state === "failed" ? batch : undefined;
    });
    expect(failed.error).toContain("a model");
    await mimikit.until("its end", () => existsSync(join(mimikit.home, "archive/eval-000001.json")) || undefined);
    await mimikit.replyTo(await mimikit.send("hello"));
    expect(await mimikit.replies()).toHaveLength(1);
    await expect(mimikit.task("eval-000002")).rejects.toThrow("404");
    expect(await mimikit.tasks()).toEqual([]);
  });
});
