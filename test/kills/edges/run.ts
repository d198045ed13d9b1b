/**
 * Kills an instance under a PM2 of its own while every edge is used at once: the page and its files, Telegram, clients of /v1,
 * hooks in and out, MCP, and calls that ask first. Then it looks whether each promise of the edges was kept.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { setHookSecret } from "@mimikit/runtime/config/secrets";
import { lookAfterKills } from "../../../apps/cli/src/chaos/after-kills.ts";
import { type Struck, strike } from "../../../apps/cli/src/chaos/faults.ts";
import { randomOf } from "../../../apps/cli/src/chaos/random.ts";
import { startUnderPm2, type UnderPm2 } from "../../../apps/cli/src/chaos/under-pm2.ts";
import { isAtRest } from "../../../apps/cli/src/instance/trial.ts";
import { waitUntil } from "../../../apps/cli/src/processes/wait-until.ts";
import { odd, writeMcpFile } from "../../support/mcp-servers.ts";
import { modelSettings } from "../../support/start-with-model.ts";
import { ASKING, CALLING, COMMANDING, type Observed, openIn, problemsOf } from "./check.ts";
import { HOOK_FILE } from "./jobs.ts";
import { Load, OTHERS, OTHERS_SECRET, passing } from "./load.ts";
import { CALLS_FILE, observe } from "./observe.ts";
import { Outside, OWNER } from "./outside.ts";

/** Milliseconds. */
const PAUSE_MS_MAX = 1_000;
/** The share of faults that come before the system has recovered from the last one. */
const AT_ONCE = 0.3;
const SET_UP_MS_MAX = 60_000;
const REST_MS_MAX = 300_000;
const POLL_MS = 500;

export interface EdgesRan {
  seed: number;
  seconds: number;
  /** How often each fault came, and how often each process was killed. */
  faults: Record<string, number>;
  kills: Record<string, number>;
  /** How often PM2 had to be started again. */
  starts: number;
  figures: Record<string, number>;
  /** How long the rest took after the last fault, and the longest time that a request of each kind was open. */
  waitsSec: Record<string, number>;
  problems: string[];
  /** Where the state of a failed run is kept. */
  kept?: string;
}

/** One run of an instance of its own. @param kills faults that are placed, at moments that the seed draws. */
export async function runEdgeKills(
  seed: number,
  kills: number,
  onProgress: (text: string) => void = () => undefined,
): Promise<EdgesRan> {
  const startMs = performance.now();
  let load: Load | undefined;
  const outside = await Outside.start(seed, (reply) => load?.see(reply));
  try {
    const instance = await startUnderPm2({
      isOnSmallDisk: false,
      env: { ...modelSettings(outside.model), MIMIKIT_RETRY_DELAY_SEC: "0" },
      prepare: ({ home, workDir }) => {
        writeMcpFile(home, { odd: odd({ CALLS: join(workDir, CALLS_FILE) }) });
      },
    });
    const struck: Struck[] = [];
    let problems: string[];
    let seen: Observed | undefined;
    let waits: Record<string, number> = {};
    try {
      const triggerId = await setUp(instance, outside);
      load = new Load(instance, outside, seed);
      load.begin();
      const lost = await killAll(instance, { seed, kills, struck, onProgress });
      const given = load;
      const restMs = performance.now();
      const rested = await comeToRest(instance, given, outside, triggerId);
      seen = rested.seen;
      waits = { rest: performance.now() - restMs, ...Object.fromEntries(load.slowest) };
      problems = [...lost, ...rested.late, ...problemsOf(seen)];
      const ids = given.given.flatMap(({ edge, ids }) => (edge === "page" ? ids : []));
      const { violations } = await lookAfterKills(
        instance.place,
        ids.map((id) => ({ id, marks: [] })),
      );
      problems.push(...violations, ...outside.telegram.mistakes, ...outside.model.unknown);
    } catch (error) {
      problems = [error instanceof Error ? (error.stack ?? error.message) : String(error)];
    }
    const kept = problems.length > 0 ? await instance.keep() : undefined;
    if (kept !== undefined)
      writeFileSync(
        join(kept, "seen.json"),
        JSON.stringify({ seed, struck, seen, given: load?.given, problems }, asJson, 1),
      );
    else await instance.remove();
    return {
      seed,
      seconds: Math.round((performance.now() - startMs) / 1_000),
      faults: countBy(struck.map(({ fault }) => fault)),
      kills: countBy(struck.flatMap(({ fault, victims }) => (fault === "stop" ? [] : victims))),
      starts: instance.starts(),
      figures: seen === undefined ? {} : figuresOf(seen),
      waitsSec: Object.fromEntries(Object.entries(waits).map(([what, ms]) => [what, Math.round(ms / 1_000)])),
      problems,
      ...(kept !== undefined && { kept }),
    };
  } finally {
    await outside.close();
  }
}

/** Sets the edges up. @returns the trigger that the hook for others runs. */
async function setUp(instance: UnderPm2, { telegram, hooks }: Outside): Promise<string> {
  const { home } = instance.place;
  await instance.run(["channels", "add", "telegram", "--set", `server=${telegram.url}`], telegram.token);
  if (!(await instance.comesBack())) throw new Error("the channels did not start");
  const { code } = JSON.parse(await instance.run(["channels", "pair", "telegram"])) as { code: string };
  telegram.say(OWNER, code);
  await until("the pairing", () => telegram.sent.some(({ text }) => text.includes("Paired.")));
  const when = ["--every", "1d", "--target", "worker", "--title", "of others"];
  const { triggerId } = JSON.parse(await instance.run(["triggers", "add", ...when, "do what came"])) as {
    triggerId: string;
  };
  await setHookSecret(home, OTHERS, OTHERS_SECRET);
  await setHookSecret(home, CALLING, OTHERS_SECRET);
  mkdirSync(join(home, "hooks"), { recursive: true });
  const files = {
    [OTHERS]: `receive: ${triggerId}\n`,
    [CALLING]: `on: [task_done, task_failed]\nrole: worker\nurl: ${hooks.url}\n`,
    [ASKING]: `on: question_asked\nurl: ${hooks.url}\nsecret: ${CALLING}\n`,
    [COMMANDING]: `on: [task_done, task_failed]\nrole: worker\nrun: [/bin/sh, -c, ${JSON.stringify(COMMAND)}]\n`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, "hooks", `${name}.yaml`), text);
  for (const name of [CALLING, ASKING, COMMANDING])
    await until(`the hook ${name}`, () => existsSync(join(home, `deliveries/hook-${name}.json`)));
  return triggerId;
}

/** Leaves the id of the event's task, in one write. */
const COMMAND = `sed -n 's/.*"data":{"id":"\\([^"]*\\)".*/\\1/p' >> ${HOOK_FILE}`;

async function until(what: string, look: () => boolean): Promise<void> {
  if ((await waitUntil(SET_UP_MS_MAX, POLL_MS, async () => look() || null)) === null)
    throw new Error(`waited in vain for ${what}`);
}

interface Killing {
  seed: number;
  kills: number;
  struck: Struck[];
  onProgress: (text: string) => void;
}

/** @returns what is wrong. */
async function killAll(instance: UnderPm2, { seed, kills, struck, onProgress }: Killing): Promise<string[]> {
  const random = randomOf(seed);
  while (struck.length < kills) {
    await wait(random() * PAUSE_MS_MAX);
    struck.push(await strike(instance, random));
    if (random() >= AT_ONCE && !(await instance.comesBack())) return [`it is not back after ${struck.at(-1)?.fault}`];
    if (struck.length % 20 === 0) onProgress(`${struck.length} of ${kills} faults`);
  }
  return (await instance.comesBack()) ? [] : ["it is not back after the last fault"];
}

/** Waits until all is done, and ends the instance. @returns what was seen in the end, and what was not done in time. */
async function comeToRest(
  instance: UnderPm2,
  load: Load,
  outside: Outside,
  triggerId: string,
): Promise<{ seen: Observed; late: string[] }> {
  const { place, client, directory } = instance;
  await load.end();
  const look = async (): Promise<Observed> => ({
    ...(await observe(place)),
    given: load.given,
    answers: load.answers,
    triggerId,
    received: outside.received,
    telegram: outside.taken,
    unconfirmed: outside.telegram.unconfirmed,
    left: [],
  });
  let late: string[] = [];
  await waitUntil(REST_MS_MAX, POLL_MS, async () => {
    await instance.comesBack();
    late = openIn(await look());
    return late.length === 0 || null;
  });
  await load.stop();
  await instance.run(["triggers", "delete", triggerId]);
  await waitUntil(REST_MS_MAX, POLL_MS, async () => isAtRest(place.home) || null);
  await client.status().catch(passing);
  const left = await instance.down();
  const temporary = [...filesBelow(join(directory, "tmp")), ...filesBelow(place.home).filter(isTemporary)];
  const seen = { ...(await look()), left: [...left, ...temporary.map((path) => `the temporary file ${path}`)] };
  return { seen, late };
}

function filesBelow(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(relative(dir, entry.parentPath), entry.name)] : []));
}

/** A file of a run that is over. Maintenance removes others after a day: those in `tmp/`, and beside a replaced file (docs/files.md). */
const isTemporary = (path: string) => /^runs\/[^/]+\/tmp\//.test(path);

function figuresOf({ given, turns, works, asked, called, allowed, deliveries, received, telegram, sends }: Observed) {
  const at = (edge: string) => given.filter((each) => each.edge === edge).length;
  return {
    "page messages": at("page"),
    "messages by Telegram": at("telegram"),
    "requests to /v1": at("v1"),
    "deliveries of others": at("hook"),
    files: given.filter(({ file }) => file !== undefined).length,
    turns: turns.length,
    tasks: works.length,
    questions: asked.length,
    "calls of MCP": called.length,
    "commands that asked": allowed.length,
    deliveries: deliveries.length,
    interrupted: deliveries.filter(({ ended }) => ended?.outcome === "interrupted").length,
    "calls of hooks": received.length,
    sends: sends.length,
    "texts at Telegram": telegram.length,
  };
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

const asJson = (_: string, value: unknown) => (value instanceof Map ? [...value] : value);
