/**
 * Makes the homes of test/fixtures: state directories as commit c22618c leaves them, with open and ended records of every kind of
 * task. It is kept to show where they come from; no test runs it. It must be run in a checkout of c22618c, to which this file and
 * old-home-script.ts are added, on a machine with bubblewrap, because self-improvement does nothing without it:
 *
 *     node test/support/make-old-home.ts <folder>
 *
 * Nothing in them is written by hand: three real processes and a scripted model work, and are killed with -9 where something is to
 * stay open. Their clock is behind in the beginning, and what they have made then is as old on the disk as they took it to be.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { Task } from "@mimikit/protocol/records/task";
import type { Improvement, QuestionView } from "@mimikit/protocol/wire/api";
import { createPairingCode } from "@mimikit/runtime/home/pairing";
import { seal } from "@mimikit/store/disk/seal";
import { wishId } from "@mimikit/store/mirror/mirror";
import { Instance, ROLE_NAMES, type RoleName } from "./instance.ts";
import { type ModelRequest, ModelServer } from "./model-server.ts";
import { askedIn, oldHomeScript } from "./old-home-script.ts";
import { git } from "./user-tree.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CLI = join(import.meta.dirname, "../../apps/cli/src/main.ts");

const CONFIG = "# Kept over every update.\nmaxConcurrency: 12\nretryDelaySec: 60\n";

interface Place {
  home: string;
  workDir: string;
}

/** Those that were begun: whatever goes wrong, nothing of them goes on. */
const lives: Life[] = [];

/** One life of a home: its processes, the model, and what that leaves unanswered. */
class Life {
  readonly mimikit: Instance;
  private model: ModelServer;
  /** `worker echo`: a Worker that is asked something with this word is never answered. */
  readonly held = new Set<string>();
  passes = true;
  /** That of the model. */
  private readonly port: number;

  private constructor(mimikit: Instance, model: ModelServer) {
    this.mimikit = mimikit;
    this.model = model;
    this.port = Number(new URL(model.url).port);
    model.script = oldHomeScript(
      (request) => this.isHeld(request),
      () => this.passes,
    );
  }

  /** Nothing runs yet. @param from the home and the workspace that it goes on with. */
  static async begin(from: Place | null, env: Record<string, string> = {}): Promise<Life> {
    const model = await ModelServer.start();
    const mimikit = await Instance.start({
      hasClock: true,
      roles: [],
      env: {
        MIMIKIT_PROVIDER: "openai",
        OPENAI_BASE_URL: model.baseUrl,
        OPENAI_API_KEY: "sk-of-the-fixture",
        MIMIKIT_MODEL: "scripted",
        MIMIKIT_CIRCUIT_COOLDOWN_SEC: "1",
        ...env,
      },
      prepare: async (home) => copy(from, { home, workDir: join(home, "../work") }),
    });
    const life = new Life(mimikit, model);
    lives.push(life);
    return life;
  }

  /** How far the clock of the processes is ahead of ours. */
  aheadMs = 0;

  /** Whoever asks reaches nobody from now on. */
  async close(): Promise<void> {
    await this.model.close();
  }

  /** The model is back, and was never asked anything. */
  async open(): Promise<void> {
    this.model = await ModelServer.start(this.model.script, this.port);
  }

  isAsked(word: string): boolean {
    return this.model.requests.some((request) => askedIn(request).includes(word));
  }

  /** Resolves when an attempt of this role has reached nobody. */
  async outage(role: string): Promise<void> {
    const read = (name: string) => readFileSync(join(this.mimikit.home, role, "running", name), "utf8");
    await this.until(`an outage of the ${role}`, () =>
      this.names(`${role}/running`, /\.failed\.json$/).some((name) => read(name).includes('"outage":true')),
    );
  }

  private isHeld(request: ModelRequest): boolean {
    const asked = askedIn(request);
    return [...this.held].some((each) => {
      const [role = "", word = ""] = each.split(/ (.*)/);
      return request.role === role && asked.includes(word);
    });
  }

  async start(...roles: RoleName[]): Promise<void> {
    for (const role of roles.length === 0 ? ROLE_NAMES : roles) this.mimikit.startRole(role);
    if (roles.length === 0) await this.mimikit.ready();
    else if (roles.includes("gateway"))
      await this.mimikit.until("the gateway", async () => this.mimikit.api<object>("/api/status"));
  }

  /** The names in a directory of the home that fit. */
  names(dir: string, fits: RegExp = /./): string[] {
    return readdirSync(join(this.mimikit.home, dir)).filter((name) => fits.test(name));
  }

  until(what: string, isSo: () => boolean): Promise<unknown> {
    return this.mimikit.until(what, () => isSo() || undefined);
  }

  /** Resolves when there is such a record. */
  async there(dir: string, fits: RegExp, count = 1): Promise<string> {
    await this.until(`${count} of ${dir}/${fits}`, () => this.names(dir, fits).length >= count);
    return this.names(dir, fits)[0]?.replace(/\.json$/, "") ?? "";
  }

  async post(path: string, body: object = {}, method = "POST"): Promise<string> {
    return (await this.mimikit.api<{ id: string }>(path, { method, body })).id;
  }

  /** Says something, and waits for the reply. @returns the plan that it has begun, where it has. */
  async say(text: string): Promise<string> {
    const reply = await this.mimikit.replyTo(await this.mimikit.send(text));
    return reply.taskIds?.[0] ?? "";
  }

  async asked(ending: RegExp): Promise<QuestionView> {
    return this.mimikit.until(`the question ${ending}`, async () => {
      const { questions } = await this.mimikit.api<{ questions: QuestionView[] }>("/api/questions");
      return questions.find(({ id, question }) => ending.test(`${id} ${question}`));
    });
  }

  async answer(ending: RegExp, answer: string): Promise<void> {
    const { id } = await this.asked(ending);
    await this.post(`/api/questions/${id}/answer`, { answer });
  }

  /** A trigger, once it stands. */
  async trigger(order: object): Promise<string> {
    const id = await this.post("/api/triggers", order);
    await this.there("triggers", new RegExp(`^${id}\\.v`));
    return id;
  }

  /** Runs the command line in this home. */
  cli(...words: string[]): string {
    return runCli(this.mimikit, words);
  }

  /** Drops a sealed wish, as the command line does. */
  wish(kind: "improve"): void {
    const wish = { kind, id: wishId(kind), at: this.now(), mac: "" };
    this.drop(`${wish.id}.json`, { ...wish, mac: seal(this.mimikit.token, wish) });
  }

  drop(name: string, record: object): void {
    const aside = join(this.mimikit.home, "tmp", name);
    writeFileSync(aside, JSON.stringify(record), { mode: 0o600 });
    renameSync(aside, join(this.mimikit.home, "inbox", name));
  }

  setClock(aheadMs: number): void {
    this.aheadMs = aheadMs;
    this.mimikit.setClock(aheadMs);
  }

  private now(): string {
    return new Date(Date.now() + this.aheadMs).toISOString();
  }

  /** Improvement `number`, once it is over. */
  async improved(number: number): Promise<void> {
    await this.mimikit.until(`the end of improvement ${number}`, async () => {
      const { improvements } = await this.mimikit.api<{ improvements: Improvement[] }>("/api/improvements");
      return improvements.find((each) => each.number === number && each.endedAt !== undefined);
    });
    await this.until("nothing left of it", () => this.names("worktrees").length === 0);
  }

  /** Ends the processes as a kill does, or as whoever runs them does. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.mimikit.stop(signal);
  }

  /** What it was is in `place` from now on. */
  async end(place: Place): Promise<void> {
    await this.kill();
    copy(this.mimikit, place);
    await this.dispose();
  }

  async dispose(): Promise<void> {
    if (!lives.includes(this)) return;
    lives.splice(lives.indexOf(this), 1);
    await this.mimikit.dispose();
    await this.model.close();
  }

  /** Puts the home and the history of its workspace into files. @param commits of which no branch knows yet. */
  async store(folder: string, name: string, ...commits: string[]): Promise<void> {
    await this.kill();
    const file = join(folder, `home-c22618c-${name}.tar.gz`);
    rmSync(file, { force: true });
    console.log(runCli(this.mimikit, ["backup", "--with-secrets", file]).trim());
    if (existsSync(join(this.mimikit.workDir, ".git")))
      git(
        this.mimikit.workDir,
        "bundle",
        "create",
        "--quiet",
        join(folder, `home-c22618c-${name}.bundle`),
        "--branches",
        ...commits,
      );
    await this.dispose();
  }
}

function runCli({ home, workDir }: Place, words: string[]): string {
  const env = { ...process.env, MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir };
  return execFileSync(process.execPath, [CLI, ...words], { env, encoding: "utf8" });
}

function copy(from: Place | null, to: Place): void {
  for (const part of ["home", "workDir"] as const) {
    if (from === null) mkdirSync(to[part], { recursive: true, mode: 0o700 });
    else cpSync(from[part], to[part], { recursive: true, preserveTimestamps: true });
  }
}

/** Everything in the home was last changed at that time. */
function age(home: string, ms: number): void {
  for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
    const path = join(home, name);
    if (existsSync(path)) utimesSync(path, ms / 1_000, ms / 1_000);
  }
}

/** A condition that only a model can tell. */
const asks = (prompt: string) => ({ type: "llm_eval", params: { prompt } });

/** One of each kind of task, from its beginning to its end. */
async function live(life: Life, n: number): Promise<void> {
  const { mimikit } = life;
  await life.say(`Hello, harbour ${n}.`);
  await life.say("run `echo one` then `echo two`");
  await mimikit.drained();
  await life.say("run `exit 3` then `echo never`");
  await life.answer(/go-on/, "stop");
  await mimikit.drained();
  await life.say("ask me");
  await life.answer(/Which port/, "8080");
  await mimikit.drained();
  life.held.add("worker echo endless");
  const plan = await life.say("run `echo endless`");
  await life.there("worker/running", new RegExp(`^${plan}\\.0\\.a1`));
  await life.post(`/api/tasks/${plan}.0/cancel`);
  life.held.clear();
  await mimikit.drained();
  for (const target of ["worker", "planner"]) {
    const id = await life.trigger({ prompt: `run \`echo often-${target}\``, target, interval: 86_400 });
    await life.post(`/api/triggers/${id}/run`);
    await life.there("archive", new RegExp(`^${id}--run-.*\\.json`));
    await mimikit.drained();
    await life.post(`/api/triggers/${id}`, {}, "DELETE");
    await life.there("archive", new RegExp(`^${id}\\.json`));
  }
  const asked = await life.trigger({
    prompt: "run `echo tea`",
    target: "worker",
    condition: asks("Is it time for tea?"),
  });
  await life.there("archive", new RegExp(`^${asked}--1\\.json`));
  await life.post(`/api/triggers/${asked}`, {}, "DELETE");
  await mimikit.drained();
  await life.say("every year");
  await life.there("triggers", /^t-.*\.v1/);
  await mimikit.drained();

  const noted = await life.post("/api/memory", { content: `The mast is of oak ${n}.`, longTerm: true });
  await life.there("archive", new RegExp(noted));
  for (const [op, item] of [
    ["add", `paint the hull ${n}`],
    ["add", `buy rope ${n}`],
    ["done", `buy rope ${n}`],
  ])
    await life.there("archive", new RegExp(await life.post("/api/backlog", { op, item })));
  await life.say("keep all of it");
  await life.post("/api/clear");
  await mimikit.drained();

  life.cli("improve", "now");
  await life.improved(n === 1 ? 1 : 3);
  await mimikit.drained();
}

/** What happens more seldom. */
async function liveMore(life: Life): Promise<void> {
  const { mimikit } = life;
  const go = join(mimikit.workDir, "go");
  await life.say("which of two");
  await mimikit.drained();
  life.held.add("teller a long thought");
  const stopped = await mimikit.send("Begin a long thought.");
  await life.there("teller/running", /a1/);
  await life.post("/api/stop");
  await mimikit.replyTo(stopped);
  life.held.clear();
  const steered = await life.say("run `until [ -e go ]; do sleep 0.05; done; echo steered`");
  await life.there("worker/running", new RegExp(`^${steered}\\.0\\.a1`));
  const steer = await life.post(`/api/tasks/${steered}.0/steer`, { text: "be brief" });
  await life.there("signals", new RegExp(steer));
  writeFileSync(go, "");
  await mimikit.drained();
  const due = new Date(Date.now() + life.aheadMs + 2_000).toISOString();
  const spent = await life.trigger({ prompt: "stretch your legs", runAt: due });
  await life.there("archive", new RegExp(`^${spent}\\.json`));
  const ship = join(mimikit.workDir, "log.txt");
  writeFileSync(ship, "the log of a ship\n");
  life.cli("send", "--attach", ship, "Keep this log.");
  await mimikit.until("its reply", async () => {
    const messages = await mimikit.messages();
    const id = messages.find(({ text }) => text.includes("Keep this log."))?.id;
    return (await mimikit.replies()).find(({ answers }) => id !== undefined && answers?.includes(id));
  });
  const taken = await life.post("/api/memory", { content: "A mistake.", longTerm: true });
  await life.there("archive", new RegExp(taken));
  await life.post("/api/undo", { id: taken });
  await life.there("archive", new RegExp(`${taken}.undone`));
  await life.say("compress it");
  life.cli("undo", "imp-000001");
  await life.there("archive", /^imp-000001-undo-1\.json/);
  life.passes = false;
  life.cli("improve", "now");
  await life.improved(2);
  life.passes = true;
  await mimikit.drained();
}

/** A repository of the user's, whose packages have a test. */
function makeRepository(dir: string): void {
  git(dir, "init", "--quiet", "--initial-branch=main");
  writeFileSync(join(dir, ".gitignore"), "*.txt\ngo\nfour\n");
  writeFileSync(join(dir, "package.json"), '{"name": "project", "scripts": {"test": "true"}}\n');
  git(dir, "add", "-A");
  git(dir, "commit", "--quiet", "-m", "first");
}

/** A home in which everything has ended, some of it in a month that is folded. */
async function makePast(place: Place): Promise<void> {
  const life = await Life.begin(null, { MIMIKIT_SELF_IMPROVE_MERGE: "true" });
  const { mimikit } = life;
  makeRepository(mimikit.workDir);
  mkdirSync(mimikit.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(mimikit.home, "config.yaml"), CONFIG, { mode: 0o600 });
  writeFileSync(join(mimikit.home, "rules.md"), "Be kind.\n", { mode: 0o600 });
  life.setClock(-70 * DAY_MS);
  await life.start();
  await live(life, 1);
  await liveMore(life);
  const [yearly = ""] = life.names("triggers", /^t-/);
  await life.post(`/api/triggers/${yearly.replace(/\.v\d+\.json$/, "")}`, {}, "DELETE");
  await mimikit.drained();
  life.setClock(-70 * DAY_MS + 7 * HOUR_MS);
  await life.there("archive", /^note-000001\.kept/);
  life.setClock(-60 * DAY_MS);
  // The directories of memory are listed once a minute, and at the start.
  await mimikit.kill("supervisor");
  await life.there("archive", /^sum-\d{8}-1\.json/);
  await mimikit.drained();
  await life.kill("SIGTERM");
  age(mimikit.home, Date.now() - 60 * DAY_MS);

  life.setClock(-9 * DAY_MS);
  await life.start();
  await life.there("archive/folded", /\.jsonl$/);
  await live(life, 2);
  await life.say("remind me");
  life.setClock(-9 * DAY_MS + 7 * HOUR_MS);
  await life.there("archive", /^note-000002\.kept/);
  await mimikit.drained();
  await life.kill("SIGTERM");
  age(mimikit.home, Date.now() - 9 * DAY_MS);
  await life.end(place);
}

/**
 * Open tasks of every kind, in their queues: some begun by pools that are dead, some to be tried again, some not begun; links,
 * questions, a signal, and whatever users want that nobody has seen yet.
 */
async function makeQueued(folder: string): Promise<void> {
  const life = await Life.begin(past);
  const { mimikit, held } = life;
  for (const words of [
    "worker echo held",
    "worker echo asked",
    "worker echo retried",
    "worker echo skilled",
    "worker echo sibling-held",
    "worker echo to-stop",
    "worker echo to-cancel",
    "worker echo leap",
    "worker Does it rain?",
    "worker Hello again",
    "worker Hello, harbour 2",
    "worker Write it down.",
    "planner echo planned",
    "teller echo first-thought",
    "teller echo turned",
  ])
    held.add(words);
  life.setClock(0);
  await life.start();
  await life.there("worker/running", /^sum-\d{8}-1\.a1/);

  // What stands: nothing of it is due for years, or it is paused.
  const order = (name: string, more: object) =>
    life.trigger({ title: name, prompt: `run \`echo ${name} >> ran.txt\``, ...more });
  const leap = await order("leap", { target: "worker", cron: "0 0 0 29 2 *", timezone: "UTC" });
  const yearly = await order("yearly", { target: "teller", interval: 31_622_400 });
  const often = await order("often", { target: "planner", interval: 3_600 });
  await life.post(`/api/triggers/${often}`, { paused: true }, "PATCH");
  await order("century", { target: "worker", runAt: "2099-01-01T00:00:00Z" });
  const never = await order("never", { target: "teller", runAt: new Date(Date.now() + HOUR_MS).toISOString() });
  await life.post(`/api/triggers/${never}`, { paused: true }, "PATCH");
  await order("seen", { target: "worker", condition: { type: "file_changed", params: { path: "reports/*.md" } } });
  await order("rain", { target: "worker", condition: asks("Does it rain?") });
  const flag = { type: "file_exists", params: { path: "flag" } };
  const both = await order("both", { condition: { type: "and", conditions: [flag, asks("Is it quiet?")] } });
  await life.there("worker/running", /^eval-000003\.a1/);

  // Work, in every state in which it can wait.
  const chain = await life.say("run `echo held >> ran.txt` then `echo after >> ran.txt`");
  await life.say("run `echo asked >> ran.txt`");
  const retried = await life.say("run `echo retried >> ran.txt`");
  await life.say("run `echo skilled >> ran.txt`");
  await life.say("run `echo sibling-done >> ran.txt` and `echo sibling-held >> ran.txt`");
  await life.say("run `exit 3` then `echo behind >> ran.txt`");
  const stopped = await life.say("run `echo to-stop >> ran.txt`");
  const cancelled = await life.say("run `echo to-cancel >> ran.txt` then `echo never >> ran.txt`");
  await life.say("ask me");
  await life.say("which region");
  await life.say("restart yourself");
  await life.asked(/Restart/);
  await life.asked(/go-on/);
  await life.say("run `until [ -e four ]; do sleep 0.05; done; exit 4`");
  for (const plan of [chain, stopped, cancelled]) await life.there("worker/running", new RegExp(`^${plan}\\.0\\.a1`));
  await life.there("worker/results", /./);
  await life.there("worker/running", new RegExp(`^${retried}\\.0\\.a1\\.failed`));
  life.cli("improve", "now");
  await life.there("worker/running", /^imp-000004\.work\.a1/);
  await life.post(`/api/tasks/${chain}.0/steer`, { text: "and tell me when it is done" });
  await life.there("signals", /./);
  await life.say("run `echo planned >> ran.txt`");
  await life.there("planner/running", /a1/);
  await life.say("run `echo planned-later >> ran.txt`");

  // A turn that has some of everything: it is made when the one before it is stopped.
  await mimikit.send("run `echo first-thought`");
  const thought = (await life.there("teller/running", /a1/)).replace(/\.a1$/, "");
  writeFileSync(join(mimikit.workDir, "four"), "");
  await life.there("worker/results", /./, 2);
  await life.post(`/api/triggers/${yearly}/run`);
  await life.there("inbox", /^trg-/);
  await mimikit.send("run `echo turned >> ran.txt`");
  await life.post("/api/stop");
  await life.there("archive", new RegExp(`^${thought}\\.json`));
  await life.there("teller/running", new RegExp(`^(?!${thought}).*\\.a1`));
  // The pool that is told to stop hands back what it has begun.
  await life.kill("SIGTERM");

  // A pool that reaches nobody, and one that dies over what it has begun.
  await life.close();
  await life.start("supervisor", "workers");
  for (const role of ["teller", "planner", "worker"]) await life.outage(role);
  await life.kill("SIGTERM");
  await life.open();
  await life.start();
  await life.post(`/api/triggers/${leap}/run`);
  await life.there("worker/running", new RegExp(`^${leap}--run-.*\\.a1`));
  await life.until(
    "the model to be asked",
    () => life.isAsked("Write it down.") && life.isAsked("turned") && life.isAsked("planned"),
  );
  await life.kill();

  // No pool: what is made now is not begun.
  await life.start("supervisor", "gateway");
  await life.asked(/run-again/);
  for (const id of [leap, often, both]) await life.post(`/api/triggers/${id}/run`);
  await life.there("worker/queue", new RegExp(`^${leap}--run`), 2);
  await life.there("planner/queue", new RegExp(`^${often}--run`));
  await life.there("inbox", new RegExp(`^${both}--run`));
  await life.post("/api/undo", { id: "imp-000003" });
  await life.there("worker/queue", /^imp-000003-undo-1/);
  await life.kill();

  // Only the gateway: nobody has seen what is wished for now.
  const code = await createPairingCode(mimikit.home);
  await life.start("gateway");
  const paired = await fetch(`http://127.0.0.1:${mimikit.port}/api/pair`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  if (!paired.ok) throw new Error(`nobody is signed in: ${paired.status}`);
  await mimikit.send("Is anybody there?");
  await life.post("/api/input", { text: "In a turn of its own, please.", mode: "next" });
  await life.post(`/api/tasks/${cancelled}.0/cancel`);
  await life.answer(/Which region/, "us");
  await life.post("/api/triggers", {
    prompt: "run `echo put >> ran.txt`",
    title: "put",
    runAt: "2099-02-01T00:00:00Z",
  });
  await life.post(`/api/triggers/${both}`, { title: "both of them" }, "PATCH");
  await life.post(`/api/triggers/${never}`, {}, "DELETE");
  await life.post(`/api/triggers/${yearly}/run`);
  await life.post("/api/memory", { content: "The anchor is new.", longTerm: true });
  await life.post("/api/backlog", { op: "add", item: "weigh the anchor" });
  const [oak = ""] = life
    .names("undo", /^memory-/)
    .filter((name) => readFileSync(join(mimikit.home, "undo", name), "utf8").includes("oak 2"));
  await life.post("/api/undo", { id: oak.replace(/\.json$/, "") });
  await life.post("/api/clear");
  await mimikit.send("After a new beginning.");
  life.drop("a-note.json", { kind: "message", text: "Dropped as a file." });
  life.drop("a-stop.json", { kind: "stop", taskId: `${stopped}.0` });
  life.drop("a-steer.json", { kind: "steer", taskId: `${chain}.0`, text: "and hurry" });
  life.wish("improve");
  await life.store(folder, "queued");
}

/** Outcomes of every kind, which a pool has handed in and nobody has settled. */
async function makeResults(folder: string): Promise<void> {
  const life = await Life.begin(past);
  const { mimikit, held } = life;
  for (const words of ["worker Hello, harbour 2", "worker echo", "worker exit", "worker Does it snow?", "reviewer "])
    held.add(words);
  life.setClock(0);
  await life.start();
  const counted = await life.say("run `wc -c package.json`");
  await mimikit.replyWith("Done: wc -c");
  await life.trigger({
    title: "snow",
    prompt: "run `echo snow >> ran.txt`",
    target: "worker",
    condition: asks("Does it snow?"),
  });
  const often = await life.trigger({
    title: "often",
    prompt: "run `echo often >> ran.txt`",
    target: "worker",
    interval: 31_622_400,
  });
  const gone = await life.trigger({ title: "gone", prompt: "gone", runAt: "2099-03-01T00:00:00Z" });
  const work = await life.say("run `echo work >> ran.txt` then `echo next >> ran.txt`");
  await life.there("worker/running", new RegExp(`^${work}\\.0\\.a1`));
  const failing = await life.say("run `exit 5` then `echo behind >> ran.txt`");
  await life.there("worker/running", new RegExp(`^${failing}\\.0\\.a1`));
  life.cli("improve", "now");
  await life.there("reviewer/running", /^imp-000004\.review\.a1/);
  await life.post(`/api/triggers/${often}/run`);
  await life.there("worker/running", new RegExp(`^${often}--run.*a1`));
  held.add("planner ");
  await life.say("run `echo plan >> ran.txt` then `echo plan-next >> ran.txt`");
  await life.say("which of two");
  await life.say("every year");
  await life.there("planner/queue", /./, 3);
  await life.kill();

  // No pool: the turn is not begun.
  await life.start("supervisor", "gateway");
  const words = ["ask me", "restart yourself", "keep all of it", "compress it", "remind me"].join(", ");
  await mimikit.send(`run \`echo told >> ran.txt\`\n${words}, forget ${gone}, sum up ${counted}.0`);
  await life.there("teller/queue", /./);
  await life.post("/api/undo", { id: "imp-000003" });
  await life.there("worker/queue", /^imp-000003-undo-1/);
  await life.kill();

  // Only a pool: everything has its outcome, and nobody takes it.
  held.clear();
  await life.start("workers");
  for (const role of ["teller", "planner", "worker", "reviewer"])
    await life.until(
      `the outcomes of the ${role}`,
      () => life.names(`${role}/queue`).length === life.names(`${role}/results`).length,
    );
  const review = readFileSync(join(mimikit.home, "reviewer/queue/imp-000004.review.json"), "utf8");
  await life.store(folder, "results", Task.parse(JSON.parse(review)).improve?.change?.commit ?? "");
}

/** A turn that nobody runs, and that its supervisor died over: the mark of a new beginning. */
async function makeCleared(folder: string): Promise<void> {
  const life = await Life.begin(null, stopAt(/teller\/queue\/t-000002\.json$/));
  life.setClock(0);
  await life.start("gateway", "supervisor", "workers");
  await life.say("Hello, past.");
  await life.post("/api/clear");
  await life.there("teller/queue", /t-000002/);
  await life.mimikit.send("Hello, future.");
  await life.store(folder, "cleared");
}

/** A turn that nobody runs either: a budget is used up, and its supervisor died as it began to say so. */
async function makeSpent(folder: string): Promise<void> {
  const life = await Life.begin(null, stopAt(/teller\/queue\/t-000002\.json$/));
  const { mimikit } = life;
  mkdirSync(mimikit.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(mimikit.home, "config.yaml"), "budget:\n  day:\n    tokens: 100\n", { mode: 0o600 });
  life.setClock(0);
  await life.start("gateway", "supervisor", "workers");
  await life.say("run `echo spent >> ran.txt`");
  await life.there("teller/queue", /t-000002/);
  await life.store(folder, "spent");
}

/** A process holds still right after it has made a record of such a name: what follows never happens. */
function stopAt(path: RegExp): Record<string, string> {
  const hook = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { linkSync } = fs;
    fs.linkSync = (from, to) => {
      linkSync(from, to);
      if (${path}.test(to)) process.kill(process.pid, "SIGSTOP");
    };
    syncBuiltinESMExports();`;
  const clock = join(import.meta.dirname, "shift-clock.ts");
  return { NODE_OPTIONS: `--import=${clock} --import=data:text/javascript,${encodeURIComponent(hook)}` };
}

const MAKERS = { queued: makeQueued, results: makeResults, cleared: makeCleared, spent: makeSpent };
const [, , target = ".", ...names] = process.argv;
const folder = resolve(target);
const past: Place = { home: join(folder, "past/state"), workDir: join(folder, "past/work") };
try {
  if (!existsSync(past.home)) await makePast(past);
  for (const [name, make] of Object.entries(MAKERS)) if (names.length === 0 || names.includes(name)) await make(folder);
} finally {
  for (const life of [...lives]) await life.dispose();
}
