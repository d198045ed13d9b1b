/** Invites a machine to work for this home, joins another home, and removes a machine. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { PoolName } from "@mimikit/protocol/base/fields";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { JoinedPool } from "@mimikit/protocol/pools/messages";
import { SLOTS_MAX } from "@mimikit/protocol/pools/pool";
import { problemWith } from "@mimikit/protocol/texts/issues";
import { loadConfig } from "@mimikit/runtime/config/config";
import { openHome } from "@mimikit/runtime/home/adoption";
import { HomeError } from "@mimikit/runtime/home/home";
import { programOf } from "@mimikit/runtime/home/programs";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { createPool, homeIdentity, readPools, removePool } from "@mimikit/runtime/pools/registry";
import type { Membership } from "@mimikit/runtime/pools/removed";
import { hasCode } from "@mimikit/store/disk/error-code";
import { JOINED_POOL_PATH } from "@mimikit/store/disk/state";
import type { Argv } from "yargs";
import { type CommonOptions, command, commandGroup } from "../arguments/command.ts";
import { t, told } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { currentPlace, openedHome } from "../io/place.ts";
import { plainLine, printJson, printLine, printNotice, printProgress } from "../io/print.ts";
import { engineUrl } from "../pools/named-pools.ts";

/** The state of a pool, in its workspace. It is no state directory of a home: what is there goes when its home has it. */
const POOL_FOLDER = ".mimikit-pool";
const SLOTS_DEFAULT = 2;
/** How long a machine that has joined waits for a code that it may be given, in milliseconds. */
const GIVEN_MS_MAX = 2_000;

const inviteCommand = command({
  usage: "invite <name>",
  summary: "print a code with which another machine joins",
  examples: [["mimikit pool invite gpu-box --label gpu", "the code is valid once, for ten minutes"]],
  options: (yargs) =>
    nameArgument(yargs)
      .option("label", { type: "string", array: true, default: [] as string[], describe: "tasks may name it, too" })
      .option("slots", { type: "number", default: SLOTS_DEFAULT, describe: "how many tasks it runs at once" }),
  async run({ json, name, label, slots }) {
    const home = openedHome();
    for (const each of [name, ...label]) assertName(each);
    if (!(Number.isInteger(slots) && slots >= 1 && slots <= SLOTS_MAX))
      throw new Failure("usage", t("--slots is a whole number from 1 to {max}", { max: SLOTS_MAX }));
    await invitePool(json, home, { name, labels: label, slots });
  },
});

const joinCommand = command({
  usage: "join",
  summary: "on the other machine: join with the code, and work until stopped",
  examples: [
    ["mimikit pool join --work-dir ~/work", "asks for the code"],
    ["mimikit pool join --work-dir ~/work < code.txt", "for scripts; needs no code after the first time"],
  ],
  options: (yargs) =>
    workDirOption(yargs)
      .option("url", { type: "string", describe: "the address of the engine as this machine reaches it" })
      .option("start", { type: "boolean", default: true, describe: "work at once; --no-start only joins" }),
  run: ({ json, workDir, url, start }) => joinHome(json, resolve(workDir), url, start),
});

const serviceCommand = command({
  usage: "service",
  summary: "on the other machine: work from boot on, as a systemd unit",
  examples: [
    ["mimikit pool service --work-dir ~/work", "after mimikit pool join --work-dir ~/work --no-start"],
    ["mimikit pool service --work-dir ~/work --remove", "stop it, and remove the unit"],
  ],
  options: (yargs) =>
    workDirOption(yargs).option("remove", {
      type: "boolean",
      default: false,
      describe: "stop it, and remove the unit",
    }),
  run: ({ json, workDir, remove: isRemoved }) => serve(json, resolve(workDir), isRemoved),
});

const removeCommand = command({
  usage: "remove <name>",
  summary: "remove a machine: its key is deleted and its messages are refused",
  examples: [["mimikit pool remove gpu-box", "its running tasks are given up"]],
  options: nameArgument,
  run: ({ json, name }) => remove(json, openedHome(), name),
});

export const pool = commandGroup({
  name: "pool",
  summary: "let another machine run tasks for this one: invite it, join from there, remove it",
  epilogue:
    "Set pools.url to a Redis or Valkey server that both machines reach. A machine that joins receives the tasks that name it. See docs/pools.md.",
  subCommands: [inviteCommand, joinCommand, serviceCommand, removeCommand],
});

function nameArgument(yargs: Argv<CommonOptions>) {
  return yargs.positional("name", { type: "string", demandOption: true, describe: "the name of the machine" });
}

function workDirOption(yargs: Argv<CommonOptions>) {
  return yargs.option("work-dir", {
    type: "string",
    default: process.cwd(),
    defaultDescription: t("this directory"),
    describe: "the directory in which tasks run",
  });
}

function assertName(name: string): void {
  const problem = problemWith(PoolName, name);
  if (problem !== null)
    throw new Failure(
      "usage",
      t("{name} is not a valid name: {reason}", { name: plainLine(name), reason: told(problem) }),
    );
}

async function invitePool(
  json: boolean,
  home: string,
  wanted: { name: string; labels: string[]; slots: number },
): Promise<void> {
  const url = engineUrl();
  const { leaseSec } = loadConfig(home, process.env).config.pools;
  const { invite, INVITATION_SEC } = await import("@mimikit/runtime/pools/invitation");
  const code = await withDisk(home, async (fs) => {
    const { id } = await homeIdentity(fs);
    if ((await readPools(fs)).some(({ name }) => name === wanted.name))
      throw new Failure(
        "failed",
        t("there is a machine {name} already: choose another name, or  mimikit pool remove {name}  first", {
          name: wanted.name,
        }),
      );
    const created = await createPool(fs, wanted, Date.now());
    if (created === null)
      throw new Failure("failed", t("there is a machine {name} already: choose another name", { name: wanted.name }));
    try {
      return await invite(url, { home: id, pool: wanted.name, key: created.key, slots: wanted.slots, leaseSec });
    } catch (error) {
      await removePool(fs, wanted.name);
      throw new Failure(
        "failed",
        t("the engine at pools.url cannot be reached: {reason}", { reason: reasonOf(error) }),
      );
    }
  });
  const expiresAt = new Date(Date.now() + INVITATION_SEC * 1_000).toISOString();
  if (json) return printJson({ pool: wanted.name, code, expiresAt });
  printLine(code);
  printProgress(t("On that machine, within ten minutes:  mimikit pool join --work-dir <folder>  asks for this code."));
}

async function remove(json: boolean, home: string, name: string): Promise<void> {
  const { removed, isTold } = await withDisk(home, async (fs) => {
    const pool = (await readPools(fs)).find((each) => each.name === name);
    if (pool === undefined || !(await removePool(fs, name))) return { removed: false, isTold: false };
    return {
      removed: true,
      isTold: await tellRemoved({ home: (await homeIdentity(fs)).id, pool: name, key: pool.key }),
    };
  });
  if (!removed)
    throw new Failure("failed", t("there is no machine {name}:  mimikit pools  lists them", { name: plainLine(name) }));
  if (json) return printJson({ removed: name, told: isTold });
  printLine(t("{name} is removed; its running tasks are given up", { name: plainLine(name) }));
  if (!isTold) printNotice(`! ${t("the engine cannot be reached, so the machine does not know it yet")}`);
}

/** @returns whether the machine will hear of it. The dispatcher tells it as well, if it runs. */
async function tellRemoved(membership: Membership): Promise<boolean> {
  const { url } = loadConfig(currentPlace().home, process.env).config.pools;
  if (url === undefined) return false;
  const [{ withEngine }, { noteRemoved }] = await Promise.all([
    import("@mimikit/runtime/pools/connect"),
    import("@mimikit/runtime/pools/removed"),
  ]);
  try {
    await withEngine(url, (client) => noteRemoved(client, membership));
    return true;
  } catch {
    // The key is deleted here in any case.
    return false;
  }
}

async function serve(json: boolean, workDir: string, isRemoved: boolean): Promise<void> {
  const { installPoolService, removePoolService } = await import("../pools/pool-service.ts");
  const place = { home: join(workDir, POOL_FOLDER), workDir };
  return isRemoved ? removePoolService(json, place) : installPoolService(json, place);
}

async function joinHome(json: boolean, workDir: string, url: string | undefined, isStarted: boolean): Promise<void> {
  const home = join(workDir, POOL_FOLDER);
  const env = { ...process.env, MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir };
  mkdirSync(workDir, { recursive: true });
  try {
    openHome(home, env);
  } catch (error) {
    if (error instanceof HomeError) throw new Failure("failed", error.message);
    throw error;
  }
  const path = join(home, JOINED_POOL_PATH);
  await joinOnce(path, url);
  if (json && !isStarted) return printJson({ joined: true, home });
  if (!isStarted)
    return printLine(t("This machine has joined; it works with  mimikit pool join --work-dir {workDir}", { workDir }));
  const child = spawn(process.execPath, [programOf("remote-pool")], { env, stdio: ["ignore", "inherit", "inherit"] });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, pass);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Failure("failed", t("the pool has ended; its log says why"));
}

/** A machine that has joined and was not removed needs no code; one that is given a good one joins with it all the same. */
async function joinOnce(path: string, url: string | undefined): Promise<void> {
  let joined = readJoined(path);
  if (joined !== null && (await wasRemoved(joined))) {
    printNotice(
      `! ${t("this machine was removed from its home, where it was {name}: it needs another code", { name: joined.pool })}`,
    );
    rmSync(path, { force: true });
    joined = null;
  }
  const code = joined === null ? await readCode() : await givenCode();
  if (code === "") return;
  const bad = await redeemCode(path, code, url);
  if (bad === null) return;
  // Scripts give the code of the first time again.
  if (joined === null) throw new Failure("failed", bad);
  printNotice(`! ${t("this machine goes on as {name}: {reason}", { name: joined.pool, reason: bad })}`);
}

/** null where it has joined no home. */
function readJoined(path: string): JoinedPool | null {
  try {
    return parseRecord(JoinedPool, readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

/** false where the engine cannot be reached: the machine is told when it can be. */
async function wasRemoved({ url, ...membership }: JoinedPool): Promise<boolean> {
  const [{ withEngine }, { isRemoved }] = await Promise.all([
    import("@mimikit/runtime/pools/connect"),
    import("@mimikit/runtime/pools/removed"),
  ]);
  return withEngine(url, (client) => isRemoved(client, membership)).catch(() => false);
}

/** @returns why the code is no good; null where this machine has joined with it. */
async function redeemCode(path: string, code: string, otherUrl: string | undefined): Promise<string | null> {
  const { BadCode, redeem } = await import("@mimikit/runtime/pools/invitation");
  try {
    const { bundle, url } = await redeem(code, otherUrl);
    const joined: JoinedPool = { ...bundle, url };
    replaceFile(path, `${JSON.stringify(joined)}\n`);
    return null;
  } catch (error) {
    if (error instanceof BadCode) return error.message;
    throw new Failure(
      "failed",
      t("the engine cannot be reached from here: {reason}; --url gives another address", { reason: reasonOf(error) }),
    );
  }
}

/**
 * A code that a machine was given which may need none: empty where there is none. Nothing is waited for that may never come: a service
 * may have left its input open.
 */
async function givenCode(): Promise<string> {
  if (process.stdin.isTTY) return "";
  const input = fstatSync(process.stdin.fd);
  if (!input.isFile() && !input.isFIFO() && !input.isSocket()) return "";
  const timer = new AbortController();
  const late = wait(GIVEN_MS_MAX, "", { signal: timer.signal, ref: false }).catch(() => "");
  const code = await Promise.race([readAll(process.stdin), late]);
  timer.abort();
  process.stdin.destroy();
  return code.trim();
}

/** Typed unseen, or through a pipe: others can see the arguments of a command. */
async function readCode(): Promise<string> {
  if (!process.stdin.isTTY) {
    const code = (await readAll(process.stdin)).trim();
    if (code === "") throw new Failure("usage", t("the code comes on stdin:  mimikit pool join < code.txt"));
    return code;
  }
  const prompts = await import("@clack/prompts");
  const typed = await prompts.password({
    output: process.stderr,
    message: t("The code that  mimikit pool invite  printed"),
  });
  if (prompts.isCancel(typed)) throw new Failure("failed", t("nothing was changed"));
  return typed ?? "";
}
