/**
 * An instance under a PM2 of its own, started and stopped by `mimikit up` and `mimikit down` as a user's is: in a
 * directory of its own, answered by the offline engine unless its environment says otherwise, so that it touches no user's files.
 */

import { cpSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Config } from "@mimikit/runtime/config/config";
import { setsAnything } from "@mimikit/runtime/config/fields";
import { type HomePlace, readToken } from "@mimikit/runtime/home/home";
import { isAlive } from "@mimikit/runtime/process/identity";
import { endProcesses, listProcesses, type RunningProcess } from "@mimikit/runtime/process/process-table";
import type { ProcessRole } from "@mimikit/runtime/process/role-record";
import { rolesOf } from "@mimikit/runtime/process/roles-of";
import { execa } from "execa";
import { t } from "../i18n/language.ts";
import { Client, Unreachable } from "../instance/client.ts";
import { EXIT, Failure, reasonOf } from "../io/failure.ts";
import { PROGRAM } from "../io/place.ts";
import { freePort } from "../processes/free-port.ts";
import { type FoundProcess, findDaemons, findProcesses, livingRoles } from "../processes/instance.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { SmallDisk } from "./small-disk.ts";

const PLACE = "mimikit-chaos-";
/** `up` waits for a minute itself. */
const COMMAND_MS_MAX = 120_000;
const READY_MS_MAX = 180_000;
const READY_POLL_MS = 20;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface UnderPm2Options {
  /** Its state is on a disk that can be full, where one can be mounted. */
  isOnSmallDisk: boolean;
  /** Further variables of its processes. */
  env?: Readonly<Record<string, string>>;
  /** Fills the state directory and the workspace before anything runs. */
  prepare?: (place: HomePlace) => void;
}

export interface UnderPm2 {
  place: HomePlace;
  client: Client;
  /** Its folder, which holds the state, the workspace and the temporary files. */
  directory: string;
  /** The processes that are to run. */
  roles(): readonly ProcessRole[];
  /** A command of it, as `run(["channels", "add", "telegram"], token)`. Throws Failure. @returns what it printed. */
  run(words: readonly string[], input?: string): Promise<string>;
  /** PM2 itself: one process. */
  daemons(): readonly FoundProcess[];
  /** null where none can be mounted. */
  disk: SmallDisk | null;
  /** How often it had to be started by `mimikit up`. */
  starts(): number;
  /** Waits until all processes live and the API says so; starts what no PM2 starts. @returns false where it takes too long. */
  comesBack(): Promise<boolean>;
  /** `mimikit down`. @returns what is left of it nevertheless, for people. */
  down(): Promise<string[]>;
  /** Ends it; its files stay, off the small disk. @returns their folder. */
  keep(): Promise<string>;
  /** Ends it, and removes all that there is of it. */
  remove(): Promise<void>;
}

/** Throws Failure where it does not start. A signal ends it, removes everything, and ends the command. */
export async function startUnderPm2({ isOnSmallDisk, env: more = {}, prepare }: UnderPm2Options): Promise<UnderPm2> {
  const directory = realpathSync(mkdtempSync(join(realpathSync(tmpdir()), PLACE)));
  const place: HomePlace = { home: join(directory, "state"), workDir: join(directory, "work") };
  const { home, workDir } = place;
  const temporary = join(directory, "tmp");
  for (const dir of [workDir, temporary]) mkdirSync(dir);
  const disk = isOnSmallDisk ? await SmallDisk.mount(home) : null;
  prepare?.(place);
  const { port } = Config.parse({ port: await freePort() });
  const inherited = Object.entries(process.env).filter(([name]) => !setsAnything(name) && !/^(XDG|PM2)_/.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    // Files that a command makes in HOME, temporary ones, and records about state directories are removed with the rest.
    HOME: workDir,
    TMPDIR: temporary,
    XDG_STATE_HOME: join(directory, "xdg"),
    MIMIKIT_HOME: home,
    MIMIKIT_WORK_DIR: workDir,
    MIMIKIT_PORT: String(port),
    MIMIKIT_PROVIDER: "offline",
    ...more,
  };
  const ending = new AbortController();
  let starts = 0;
  let daemons: FoundProcess[] = [];

  /** Throws Failure in its words. */
  async function up(): Promise<void> {
    await run(["up"]);
    daemons = await findDaemons(home);
  }

  async function run(words: readonly string[], input = ""): Promise<string> {
    const { failed, timedOut, stdout, stderr } = await execa(process.execPath, [PROGRAM, ...words, "--json"], {
      env,
      extendEnv: false,
      input,
      timeout: COMMAND_MS_MAX,
      cancelSignal: ending.signal,
      reject: false,
    });
    if (timedOut) throw new Failure("timedOut", t("mimikit {command} did not come back", { command: words[0] ?? "" }));
    if (failed) throw new Failure("failed", `mimikit ${words[0]}: ${reasonOf(stderr)}`);
    return stdout;
  }

  const roles = () => rolesOf(home, env);
  const end = async () => {
    ending.abort();
    // PM2's client, of a start that is under way, is none of its processes, and would start them again.
    const isItsOwn = ({ environment }: RunningProcess) => environment.get("MIMIKIT_HOME") === home;
    await endProcesses(async () => [...(await findProcesses(home)), ...(await listProcesses()).filter(isItsOwn)], 0);
  };
  let isEnding = false;
  const leave = () => {
    if (isEnding) return;
    isEnding = true;
    void remove().finally(() => process.exit(EXIT.failed));
  };
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, leave);
  };
  const remove = async () => {
    await end();
    await disk?.unmount();
    rmSync(directory, { recursive: true, force: true });
    forget();
  };
  // Not `once`: execa ends this process at once where it finds no listener but its own.
  for (const signal of SIGNALS) process.on(signal, leave);

  const comesBack = async () => {
    const isBack = async () => {
      // PM2 that is gone is started by hand, or by a service.
      if (!daemons.some(isAlive)) {
        starts++;
        // It is tried again: on a disk that was full until now, the first try may fail.
        await up().catch((error: unknown) => {
          if (!(error instanceof Failure)) throw error;
        });
      }
      const living = livingRoles(home);
      if (!roles().every((role) => living.has(role))) return null;
      try {
        return (await client.status()).ready ? true : null;
      } catch (error) {
        if (error instanceof Unreachable) return null;
        throw error;
      }
    };
    return (await waitUntil(READY_MS_MAX, READY_POLL_MS, isBack)) !== null;
  };

  let client: Client;
  try {
    await up();
    client = new Client(`http://127.0.0.1:${port}`, readToken(home));
  } catch (error) {
    // It is being removed already, and this process ends then.
    if (isEnding) await new Promise<never>(() => undefined);
    await remove();
    throw error;
  }
  return {
    place,
    client,
    directory,
    roles,
    run,
    daemons: () => daemons.filter(isAlive),
    disk,
    starts: () => starts,
    comesBack,
    async down() {
      await run(["down"]);
      return (await findProcesses(home)).map(({ pid, what }) => `${what} (${pid})`);
    },
    async keep() {
      await end();
      forget();
      if (disk === null) return directory;
      const kept = join(directory, "kept");
      cpSync(home, kept, { recursive: true });
      await disk.unmount();
      rmSync(home, { recursive: true });
      renameSync(kept, home);
      return directory;
    },
    remove,
  };
}
