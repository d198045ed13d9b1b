/** Units of systemd: where they are, and what systemd makes of them. A unit works from the next boot on also where systemctl does not. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "@mimikit/runtime/home/home";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { hasCode } from "@mimikit/store/disk/error-code";
import { execa } from "execa";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { wantedBy } from "./texts.ts";

const SYSTEM_UNITS = "/etc/systemd/system";
/** A stop may take what TimeoutStopSec of the unit says. */
const SYSTEMCTL_MS_MAX = 120_000;
/** Readable for all: systemd shows a unit to every user. */
const UNIT_MODE = 0o644;
const DIRECTORY_MODE = 0o755;

export interface SystemdUnit {
  path: string;
  /** The link that `systemctl enable` makes. */
  link: string;
  isOfSystem: boolean;
}

export function unitOf(name: string, isOfSystem: boolean, env: Environment): SystemdUnit {
  const dir = isOfSystem ? SYSTEM_UNITS : join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "systemd/user");
  const file = `${name}.service`;
  return { path: join(dir, file), link: join(dir, `${wantedBy(isOfSystem)}.wants`, file), isOfSystem };
}

/** Is there systemd on this machine, running or not? */
export async function hasSystemd(): Promise<boolean> {
  return (await execa("systemctl", ["--version"], { reject: false })).exitCode === 0;
}

/**
 * Writes and enables a unit.
 * @returns whether it is another than before. @throws Failure where it may not be written.
 */
export function writeUnit({ path, link, isOfSystem }: SystemdUnit, text: string): boolean {
  try {
    if (existsSync(link) && readFileSync(path, "utf8") === text) return false;
    if (mkdirSync(dirname(link), { recursive: true }) !== undefined) chmodSync(dirname(link), DIRECTORY_MODE);
    replaceFile(path, text);
    chmodSync(path, UNIT_MODE);
    rmSync(link, { force: true });
    symlinkSync(path, link);
    return true;
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR")) throw error;
    const next = isOfSystem ? t(": run it with sudo, in the same directory") : "";
    throw new Failure(
      "failed",
      t("{path} cannot be written ({reason}){next}", { path, reason: reasonOf(error), next }),
    );
  }
}

/** @returns whether there was one. @throws Failure where it may not be removed. */
export function removeUnit({ path, link, isOfSystem }: SystemdUnit): boolean {
  try {
    const wasThere = [path, link].some((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined);
    for (const file of [link, path]) rmSync(file, { force: true });
    const wants = dirname(link);
    if (existsSync(wants) && readdirSync(wants).length === 0) rmdirSync(wants);
    return wasThere;
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "EROFS")) throw error;
    throw new Failure(
      "failed",
      t("{path} cannot be removed ({reason}){what}", {
        path,
        reason: reasonOf(error),
        what: isOfSystem ? t(": run it with sudo") : "",
      }),
    );
  }
}

/** Calls systemctl. @returns what it said, and whether it did it; some of what it only tells ends with another code. */
export async function systemctl({ isOfSystem }: Pick<SystemdUnit, "isOfSystem">, ...words: string[]) {
  return call("systemctl", [...(isOfSystem ? [] : ["--user"]), ...words]);
}

/** Lets the processes of this user run from boot on, without a login. @returns null, or why not. */
export async function enableLinger(): Promise<string | null> {
  const { isDone, said } = await call("loginctl", ["enable-linger"]);
  return isDone ? null : said;
}

async function call(program: string, words: string[]): Promise<{ isDone: boolean; said: string }> {
  const result = await execa(program, words, { reject: false, timeout: SYSTEMCTL_MS_MAX, stdin: "ignore", all: true });
  const said = reasonOf(result.all || (result.cause ?? t("{command} said nothing", { command: program })));
  return { isDone: result.exitCode === 0, said };
}
