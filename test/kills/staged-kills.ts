/**
 * Kills placed at stages of the main job: when a record appears or a model is asked, processes are killed with -9, or
 * stopped for a while, under orders, small talk and cancels that go on meanwhile. Then everything that was promised is looked for.
 */
import { renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { homeHash } from "@mimikit/runtime/home/home";
import { killMarked } from "@mimikit/runtime/process/marked-processes";
import { type AfterKills, lookAfterKills, type Order } from "../../apps/cli/src/chaos/after-kills.ts";
import { below, type Random, randomOf } from "../sim/random.ts";
import { Instance, ROLE_NAMES, type RoleName } from "../support/instance.ts";
import { ModelServer } from "../support/model-server.ts";
import { modelSettings } from "../support/start-with-model.ts";
import { orderOf, scriptOf } from "./script.ts";
import { type Seen, STAGES, watchStages } from "./stages.ts";

/**
 * Two give orders at the same time, so that their stages come in between each other's. So long each waits at most for what it has
 * ordered: what the second one says while processes are down piles up.
 */
const PATIENCE_MS = [20_000, 4_000];
/** More orders than these are not under way: they would only wait for each other. */
const OPEN_MAX = 4;
/** Times that `Instance.drained` waits in vain before work counts as stuck: a loaded machine is slow. */
const REST_TRIES = 5;
/** Every so many messages is small talk, every so many plans is cancelled. */
const TALK_EVERY = 4;
const CANCEL_EVERY = 6;
/** A stage that does not come for so long is left out, and said to be. */
const STAGE_MS_MAX = 60_000;
const PAUSES_MS = [30, 300, 1_500];
const RETRY_MS = 50;

export interface Fault {
  stage: string;
  signal: "SIGKILL" | "SIGSTOP";
  roles: readonly RoleName[];
}

const [SUPERVISOR, WORKERS, GATEWAY] = ROLE_NAMES.map((role) => [role]) as [RoleName[], RoleName[], RoleName[]];
const PAIRS = [
  [...SUPERVISOR, ...WORKERS],
  [...SUPERVISOR, ...GATEWAY],
  [...WORKERS, ...GATEWAY],
];

/** Each stage with each of the processes, each pair and all of them killed, and with each and all of them stopped. */
export const FAULTS: readonly Fault[] = STAGES.flatMap((stage) => [
  ...[SUPERVISOR, WORKERS, GATEWAY, ...PAIRS, ROLE_NAMES].map((roles) => ({
    stage,
    signal: "SIGKILL" as const,
    roles,
  })),
  ...[SUPERVISOR, WORKERS, GATEWAY, ROLE_NAMES].map((roles) => ({ stage, signal: "SIGSTOP" as const, roles })),
]);

export const nameOf = ({ stage, signal, roles }: Fault) => `${stage}: ${signal} ${roles.join("+")}`;

export interface Ran {
  seed: number;
  /** Those that were placed, and those whose stage did not come in time. */
  placed: string[];
  missed: string[];
  orders: number;
  after: Omit<AfterKills, "violations">;
  problems: string[];
  /** Where the state of a failed run is kept. */
  kept?: string;
}

/** One run of an instance of its own. @param faults placed one after the other. */
export async function runStagedKills(seed: number, faults: readonly Fault[]): Promise<Ran> {
  const random = randomOf(seed);
  const log: unknown[] = [];
  const note = (line: object) => void log.push({ at: new Date().toISOString(), ...line });
  let see: (seen: Seen) => void = () => undefined;
  const script = scriptOf((part, nth, { prompt }) => {
    note({ asked: part, nth, about: /<M:(inputs|task)>\n(.{0,400})/s.exec(prompt)?.[2] });
    see({ stage: `${part} asked ${nth}` });
  });
  const model = await ModelServer.start(script);
  const env = { ...modelSettings(model), MIMIKIT_RETRY_DELAY_SEC: "0" };
  const mimikit = await Instance.start({ env });
  const kept = join(dirname(mimikit.home), "..", `kept-seed-${seed}-${Date.now()}`);
  const load = new Load(mimikit, random, seed);
  const striker = new Striker(mimikit, random, note);
  see = (seen) => {
    note({ seen });
    striker.see(seen);
    load.see(seen);
  };
  const unwatch = watchStages(mimikit.home, mimikit.workDir, (seen) => see(seen));
  let after: AfterKills | undefined;
  let problems: string[];
  try {
    load.begin();
    for (const fault of faults) await striker.place(fault);
    await load.end();
    await restOf(mimikit);
    after = await lookAfterKills(mimikit, load.orders);
    problems = [...after.violations, ...model.unknown.map((what) => `the model did not understand ${what}`)];
  } catch (error) {
    problems = [error instanceof Error ? error.message : String(error)];
  }
  unwatch();
  load.stop();
  const { violations: _, ...figures } = after ?? { ...NOTHING, violations: [] };
  const ran = {
    seed,
    placed: striker.placed,
    missed: striker.missed,
    orders: load.orders.length,
    after: figures,
    problems,
  };
  await mimikit.stop("SIGKILL");
  await killMarked(homeHash(mimikit.home));
  if (problems.length > 0) {
    const lines = [...log, { orders: load.orders }].map((line) => JSON.stringify(line)).join("\n");
    writeFileSync(join(dirname(mimikit.home), "run.jsonl"), `${lines}\n`);
    writeFileSync(join(dirname(mimikit.home), "output.txt"), mimikit.output);
    renameSync(dirname(mimikit.home), kept);
  }
  await mimikit.dispose();
  await model.close();
  return problems.length > 0 ? { ...ran, kept } : ran;
}

const NOTHING = { turns: 0, tasks: 0, ran: 0, ranAgain: 0, failed: {}, fired: 0, skipped: 0 };

/** Waits for a stage and strikes in the same turn of the event loop in which it is seen. */
class Striker {
  readonly placed: string[] = [];
  readonly missed: string[] = [];
  private readonly mimikit: Instance;
  private readonly random: Random;
  private readonly note: (line: object) => void;
  private next: { fault: Fault; onStruck: () => void } | null = null;

  constructor(mimikit: Instance, random: Random, note: (line: object) => void) {
    this.mimikit = mimikit;
    this.random = random;
    this.note = note;
  }

  see({ stage }: Seen): void {
    if (this.next?.fault.stage !== stage) return;
    const { fault, onStruck } = this.next;
    this.next = null;
    const pids = fault.roles.map((role) => this.mimikit.pidOf(role));
    for (const pid of pids) send(pid, fault.signal);
    this.note({ struck: nameOf(fault), pids });
    this.placed.push(nameOf(fault));
    if (fault.signal === "SIGKILL") {
      onStruck();
      return;
    }
    const pauseMs = PAUSES_MS[below(this.random, PAUSES_MS.length)] ?? 0;
    setTimeout(() => {
      for (const pid of pids) send(pid, "SIGCONT");
      onStruck();
    }, pauseMs);
  }

  /** Resolves when it is placed, or its stage has not come. */
  async place(fault: Fault): Promise<void> {
    const struck = new Promise<true>((resolve) => {
      this.next = { fault, onStruck: () => resolve(true) };
    });
    const late = new AbortController();
    await Promise.race([struck, wait(STAGE_MS_MAX, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
    // A stop that has begun is waited for.
    if (this.next?.fault === fault) {
      this.next = null;
      this.missed.push(nameOf(fault));
    } else await struck;
  }
}

/** The process may have ended by itself a moment before. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Orders, small talk and cancels, so long as it is wanted. */
class Load {
  /** Those that were acknowledged. */
  readonly orders: Order[] = [];
  private readonly mimikit: Instance;
  private readonly random: Random;
  private readonly seed: number;
  private readonly ended = new Set<string>();
  private sent = 0;
  private plans = 0;
  private cancels = 0;
  private isWanted = true;
  private going: Promise<void>[] = [];

  constructor(mimikit: Instance, random: Random, seed: number) {
    this.mimikit = mimikit;
    this.random = random;
    this.seed = seed;
  }

  begin(): void {
    for (const patienceMs of PATIENCE_MS) this.going.push(this.order(patienceMs));
  }

  /** Resolves when the last one is acknowledged. */
  async end(): Promise<void> {
    this.isWanted = false;
    await Promise.all(this.going);
  }

  stop(): void {
    this.isWanted = false;
  }

  see({ stage, id }: Seen): void {
    if (stage === "plan settled" && ++this.plans % CANCEL_EVERY === 0 && id !== undefined) this.cancel(id);
    // The tasks of a plan are reported at once, when all of them have ended.
    if (/^[abc] settled$/.test(stage) && id !== undefined) this.ended.add(id.slice(0, id.lastIndexOf(".")));
  }

  private async order(patienceMs: number): Promise<void> {
    while (this.isWanted) {
      if (this.orders.filter(({ marks }) => marks.length > 0).length - this.ended.size >= OPEN_MAX) {
        await wait(RETRY_MS);
        continue;
      }
      const n = ++this.sent;
      const isTalk = n % TALK_EVERY === 0;
      const { text, marks } = isTalk ? { text: "hello", marks: [] } : orderOf(`s${this.seed}n${n}`);
      const id = await this.send(text, `${this.seed}-${n}`);
      this.orders.push({ id, marks });
      const before = this.ended.size;
      const deadline = performance.now() + below(this.random, patienceMs);
      while (this.isWanted && !isTalk && this.ended.size === before && performance.now() < deadline)
        await wait(RETRY_MS);
    }
  }

  /** The gateway may be down at any time; the same key says it once. */
  private async send(text: string, key: string): Promise<string> {
    for (let tries = 0; ; tries++) {
      try {
        return await this.mimikit.send(text, key);
      } catch (error) {
        // Refused is not unreachable.
        const mayPass = error instanceof TypeError || (error instanceof Error && /^503 /.test(error.message));
        if (!mayPass || tries > 2_000) throw error;
        await wait(RETRY_MS);
      }
    }
  }

  /** As a file, which needs no gateway. */
  private cancel(taskId: string): void {
    const { home, workDir } = this.mimikit;
    const name = `cancel-${++this.cancels}.json`;
    writeFileSync(join(workDir, name), JSON.stringify({ kind: "cancel", taskId }));
    renameSync(join(workDir, name), join(home, "inbox", name));
  }
}

/** Everything ends by itself, but for a chain behind a failure, which asks whether it goes on. Throws where it does not. */
export async function restOf(mimikit: Instance): Promise<void> {
  let isOver = false;
  const answered = (async () => {
    while (!isOver) {
      await answerQuestions(mimikit).catch(() => undefined);
      await wait(10 * RETRY_MS);
    }
  })();
  try {
    for (let tries = 1; ; tries++) {
      const problem = await mimikit.drained().then(
        () => null,
        (error: Error) => error.message.split("\n", 1).join(),
      );
      if (problem === null) return;
      if (tries === REST_TRIES) throw new Error(problem);
    }
  } finally {
    isOver = true;
    await answered;
  }
}

async function answerQuestions(mimikit: Instance): Promise<void> {
  const { questions } = await mimikit.api<{ questions: QuestionView[] }>("/api/questions");
  for (const { id, options } of questions)
    await mimikit.api(`/api/questions/${id}/answer`, { method: "POST", body: { answer: options[0] ?? "yes" } });
}
