/** Invites a machine to work for this home, joins another home, and lets one go. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { PoolName } from "@mimikit/protocol/base/fields";
import type { JoinedPool } from "@mimikit/protocol/pools/messages";
import { SLOTS_MAX } from "@mimikit/protocol/pools/pool";
import { loadConfig } from "@mimikit/runtime/config/config";
import { isAdopted, NOT_ADOPTED, openHome } from "@mimikit/runtime/home/adoption";
import { HomeError } from "@mimikit/runtime/home/home";
import { programOf } from "@mimikit/runtime/home/programs";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { createPool, homeIdentity, readPools, removePool } from "@mimikit/runtime/pools/registry";
import { JOINED_POOL_PATH } from "@mimikit/store/disk/state";
import { actions, command } from "../arguments/command.ts";
import { withDisk } from "../instance/state.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printProgress } from "../io/print.ts";
import { engineUrl } from "../pools/named-pools.ts";

/** The state of a pool, in its workspace. It is no state directory of a home: what is there goes when its home has it. */
const POOL_FOLDER = ".mimikit-pool";
const SLOTS_DEFAULT = 2;

export const pool = command({
  usage: "pool <action> [name]",
  summary: "let another machine work for this one: invite it, join from there, or let it go",
  examples: [
    ["mimikit pool invite gpu-box --label gpu", "here: prints a code that is good once, for ten minutes"],
    ["mimikit pool join --work-dir ~/work", "there: asks for the code, and works until it is stopped"],
    [
      "mimikit pool join --work-dir ~/work < code.txt",
      "the same for scripts; without a code where it has joined before",
    ],
    ["mimikit pool service --work-dir ~/work", "there: keeps it working from boot on, as a unit of systemd"],
    ["mimikit pool service --work-dir ~/work --remove", "there: stops it, and removes the unit"],
    ["mimikit pool remove gpu-box", "here: forgets its key, so that nothing of it is believed any more"],
  ],
  epilogue:
    "An engine carries the work: set pools.url to a Redis or Valkey that both machines reach. Whoever has the code works for you: it gets the tasks that name the machine. See docs/pools.md.",
  options: (yargs) =>
    yargs
      .positional("action", actions("invite", "join", "service", "remove"))
      .positional("name", { type: "string", describe: "invite, remove: the name of the machine" })
      .option("label", { type: "string", array: true, default: [] as string[], describe: "invite: also found by this" })
      .option("slots", { type: "number", default: SLOTS_DEFAULT, describe: "invite: how many tasks it runs at once" })
      .option("work-dir", {
        type: "string",
        describe: "join, service: the folder where the work is done; this one, if not given",
      })
      .option("url", { type: "string", describe: "join: the address of the engine as this machine reaches it" })
      .option("remove", { type: "boolean", default: false, describe: "service: stop it, and remove the unit" })
      .option("start", { type: "boolean", default: true, describe: "join: work at once; --no-start only joins" }),
  async run({ json, action, name, label, slots, workDir, url, start, remove: isRemoved }) {
    if (action === "join") return joinHome(json, resolve(workDir ?? process.cwd()), url, start);
    if (action === "service") return serve(json, resolve(workDir ?? process.cwd()), isRemoved);
    const { home } = currentPlace();
    if (!isAdopted(home, process.env)) throw new Failure("failed", NOT_ADOPTED);
    if (name === undefined) throw new Failure("usage", `say which: mimikit pool ${action} <name>`);
    openHome(home, process.env);
    if (action === "remove") return remove(json, home, name);
    for (const each of [name, ...label]) assertName(each);
    if (!(Number.isInteger(slots) && slots >= 1 && slots <= SLOTS_MAX))
      throw new Failure("usage", `--slots is a whole number from 1 to ${SLOTS_MAX}`);
    await invitePool(json, home, { name, labels: label, slots });
  },
});

function assertName(name: string): void {
  const { error } = PoolName.safeParse(name);
  if (error !== undefined)
    throw new Failure("usage", `${plainLine(name)} is no name: ${error.issues[0]?.message ?? "choose another"}`);
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
      throw new Failure("failed", `${wanted.name} is there already: mimikit pool remove ${wanted.name}  lets it go`);
    const created = await createPool(fs, wanted, Date.now());
    if (created === null) throw new Failure("failed", `${wanted.name} is there already`);
    try {
      return await invite(url, { home: id, pool: wanted.name, key: created.key, slots: wanted.slots, leaseSec });
    } catch (error) {
      await removePool(fs, wanted.name);
      throw new Failure("failed", `the engine at pools.url cannot be reached: ${reasonOf(error)}`);
    }
  });
  const expiresAt = new Date(Date.now() + INVITATION_SEC * 1_000).toISOString();
  if (json) return printJson({ pool: wanted.name, code, expiresAt });
  printLine(code);
  printProgress("On that machine, within ten minutes:  mimikit pool join --work-dir <folder>  asks for this code.");
}

async function remove(json: boolean, home: string, name: string): Promise<void> {
  const isGone = await withDisk(home, (fs) => removePool(fs, name));
  if (!isGone) throw new Failure("failed", `no machine is called ${plainLine(name)}: see  mimikit pools`);
  if (json) return printJson({ removed: name });
  printLine(`${plainLine(name)} works for this home no more; what it runs is given up.`);
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
  if (!existsSync(path)) await redeemCode(path, url);
  if (json && !isStarted) return printJson({ joined: true, home });
  if (!isStarted) return printLine(`This machine has joined; it works with  mimikit pool join --work-dir ${workDir}`);
  const child = spawn(process.execPath, [programOf("remote-pool")], { env, stdio: ["ignore", "inherit", "inherit"] });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, pass);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Failure("failed", "the pool has ended; what happened is in its log");
}

async function redeemCode(path: string, otherUrl: string | undefined): Promise<void> {
  const { BadCode, redeem } = await import("@mimikit/runtime/pools/invitation");
  try {
    const { bundle, url } = await redeem(await readCode(), otherUrl);
    const joined: JoinedPool = { ...bundle, url };
    replaceFile(path, `${JSON.stringify(joined)}\n`);
  } catch (error) {
    if (error instanceof BadCode) throw new Failure("failed", error.message);
    if (error instanceof Failure) throw error;
    throw new Failure(
      "failed",
      `the engine cannot be reached from here: ${reasonOf(error)}; --url gives another address`,
    );
  }
}

/** Typed unseen, or through a pipe: others can see the arguments of a command. */
async function readCode(): Promise<string> {
  if (!process.stdin.isTTY) {
    const code = (await readAll(process.stdin)).trim();
    if (code === "") throw new Failure("usage", "the code comes on stdin:  mimikit pool join < code.txt");
    return code;
  }
  const prompts = await import("@clack/prompts");
  const typed = await prompts.password({
    output: process.stderr,
    message: "The code that  mimikit pool invite  printed",
  });
  if (prompts.isCancel(typed)) throw new Failure("failed", "nothing was changed");
  return typed ?? "";
}
