/** The processes of an instance: PM2's daemon, the roles, and those that its tasks have started. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Identity } from "@mimikit/protocol/records/claim";
import { type Environment, homeHash, resolveHome } from "@mimikit/runtime/home/home";
import { isAlive } from "@mimikit/runtime/process/identity";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { listProcesses, type RunningProcess } from "@mimikit/runtime/process/process-table";
import {
  ACTORS,
  PROCESS_ROLES,
  type ProcessRole,
  type RoleRecord,
  readRole,
} from "@mimikit/runtime/process/role-record";
import { hasCode } from "@mimikit/store/disk/error-code";
import { t } from "../i18n/language.ts";
import { pm2Home } from "../io/place.ts";

/** A bundle, or the sources, which versions before 0.2 ran. */
const ROLE_SCRIPT = /(dist|apps)\/(supervisor|worker-pool|http-gateway|channels)(\.js|\/src\/main\.ts)$/;
/** The rest of a command line after the folder of the program. */
const BEGINS_WITH_SCRIPT = new RegExp(`^${ROLE_SCRIPT.source.replace("$", "( |$)")}`);

/** The title that PM2's daemon gives itself, with its PM2_HOME. */
const DAEMON_TITLE = /^PM2 v[\d.]+: God[^(]*(?:\((.*)\))?/;

export interface FoundProcess extends Identity {
  /** Its description, for people. */
  what: string;
}

/** The roles that noted themselves and still live. */
export function livingRoles(home: string): Map<ProcessRole, RoleRecord> {
  const living = new Map<ProcessRole, RoleRecord>();
  for (const role of ACTORS) {
    const record = readRole(home, role);
    if (record !== null && isAlive(record)) living.set(role, record);
  }
  return living;
}

/** Which of the processes that are to run live, for people: `running: supervisor, workers; down: gateway`. */
export function runningText(
  living: ReadonlyMap<ProcessRole, unknown>,
  roles: readonly ProcessRole[] = PROCESS_ROLES,
): string {
  const down = roles.filter((role) => !living.has(role));
  const running = living.size === 0 ? [] : [t("running: {roles}", { roles: [...living.keys()].join(", ") })];
  return [...running, ...(down.length === 0 ? [] : [t("down: {roles}", { roles: down.join(", ") })])].join("; ");
}

/** The workspace that the running processes were started with; undefined where nothing says so. Works whatever their version is. */
export async function runningWorkDir(home: string): Promise<string | undefined> {
  const [found] = await roleProcesses(home);
  return found?.environment.get("MIMIKIT_WORK_DIR");
}

/** The variables that the running processes were started with; null where none runs, or nothing says so. */
export async function runningEnvironment(home: string): Promise<Environment | null> {
  const [found] = await roleProcesses(home);
  return found === undefined ? null : Object.fromEntries(found.environment);
}

/** Every PM2 daemon of this home; more than one is a fault. */
export async function findDaemons(home: string): Promise<FoundProcess[]> {
  const dir = pm2Home(home);
  const noted = pidIn(join(dir, "pm2.pid"));
  return (await listProcesses())
    .filter(
      ({ pid, args, environment }) =>
        isDaemon(args) && (pm2HomeOf(args, environment) ?? (pid === noted ? dir : undefined)) === dir,
    )
    .map((daemon) => named(daemon, t("PM2 daemon")));
}

/** Every process of this home, whatever started it. Empty means that nothing is left. */
export async function findProcesses(home: string): Promise<FoundProcess[]> {
  if (!existsSync(home)) return [];
  const [daemons, roles, marked] = await Promise.all([findDaemons(home), findRoles(home), findMarked(homeHash(home))]);
  return [
    ...daemons,
    ...roles,
    ...marked.map((process) => named(process, t("process of {mark}", { mark: process.mark }))),
  ];
}

/** The PM2 daemons of others that run roles of this home (`pm2 start ecosystem.config.cjs` by itself): their PM2_HOME. */
export async function foreignPm2Homes(home: string): Promise<string[]> {
  return [...new Set((await foreignApps(home)).map(({ dir }) => dir))];
}

/** The apps of this home in the PM2 daemons of others, by the names that they have there. */
export async function foreignApps(home: string): Promise<{ dir: string; name: string }[]> {
  const apps = (await roleProcesses(home)).map(({ environment }) => ({
    dir: environment.get("PM2_HOME") ?? "",
    name: environment.get("name") ?? "",
  }));
  return apps.filter(({ dir }) => dir !== "" && dir !== pm2Home(home));
}

/** Roles that run from this folder of a program, and are of another state directory than this one. */
export async function otherRolesFrom(program: string, home: string): Promise<FoundProcess[]> {
  const roles = (await listProcesses()).filter(
    ({ args, environment }) =>
      // As one line: a path with a space may be two arguments (platform.ts).
      args
        .join(" ")
        .split(join(program, "/"))
        .slice(1)
        .some((rest) => BEGINS_WITH_SCRIPT.test(rest)) && resolveHome(Object.fromEntries(environment)).home !== home,
  );
  return roles.map((role) => named(role, resolveHome(Object.fromEntries(role.environment)).home));
}

async function findRoles(home: string): Promise<FoundProcess[]> {
  const noted = [...livingRoles(home)].map(([role, record]) => named(record, role));
  const running = (await roleProcesses(home)).map((process) =>
    named(process, process.args.find(isRoleScript) ?? "role"),
  );
  return [...noted, ...running.filter(({ pid }) => noted.every((other) => other.pid !== pid))];
}

async function roleProcesses(home: string): Promise<RunningProcess[]> {
  const processes = await listProcesses();
  return processes.filter(
    ({ args, environment }) =>
      args.some(isRoleScript) &&
      environment.has("MIMIKIT_WORK_DIR") &&
      resolveHome(Object.fromEntries(environment)).home === home,
  );
}

const isRoleScript = (arg: string) => ROLE_SCRIPT.test(arg);

/** PM2's daemon renames itself once it is up; until then it is its script. In a container (Dockerfile) it is `pm2-runtime`. */
const isDaemon = ([title = "", script = "", ...args]: string[]) =>
  DAEMON_TITLE.test([title, script, ...args].join(" ")) ||
  script.endsWith("/pm2-runtime") ||
  [script, ...args].some((arg) => arg.endsWith("/lib/Daemon.js"));

/** The PM2_HOME of a daemon, from its environment or its title; undefined where neither tells it. */
function pm2HomeOf(args: string[], environment: ReadonlyMap<string, string>): string | undefined {
  return environment.get("PM2_HOME") ?? DAEMON_TITLE.exec(args.join(" "))?.[1];
}

function named({ pid, startTime, bootId }: Identity, what: string): FoundProcess {
  return { pid, startTime, bootId, what };
}

/** PM2's note of its pid, if the system does not show what its daemon was started with; null if there is none. */
function pidIn(path: string): number | null {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
