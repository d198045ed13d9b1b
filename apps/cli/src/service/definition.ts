/** The program that a service of this instance runs, with the variables that it needs, and none that holds a secret. */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { setsAnything } from "@mimikit/runtime/config/fields";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import type { Environment, HomePlace } from "@mimikit/runtime/home/home";
import { UMASK_VARIABLE } from "@mimikit/runtime/home/umask";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { PROGRAM } from "../io/place.ts";
import { UMASK } from "../processes/pm2.ts";

export interface Definition {
  /** The commands that make and remove it. */
  madeBy: { install: string; uninstall: string };
  /** One for each state directory: `mimikit-3f2a91bc`. */
  name: string;
  workDir: string;
  /** A program and its arguments, without a shell. */
  program: readonly string[];
  environment: Readonly<Record<string, string>>;
  /** As people type it: 022. */
  umask: string;
}

const NAME_DIGITS = 8;
/** Without these a program is not found, the network is not reached, or words and times are others. */
const CARRIED: ReadonlySet<string> = new Set([
  ...["PATH", "LANG", "LC_ALL", "TZ", "XDG_STATE_HOME", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"],
]);
/** Said by other lines of the service, or about another process. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  ...["MIMIKIT_HOME", "MIMIKIT_WORK_DIR", UMASK_VARIABLE, MARK_VARIABLE],
]);
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD/;
/** `https://user:password@host` */
const WITH_PASSWORD = /\/\/[^/\s:]*:[^/\s]*@/;

const OF_HOME = {
  command: ["service", "run"],
  madeBy: { install: "mimikit service install", uninstall: "mimikit service uninstall" },
};

/**
 * @param command that it runs, and the commands that make and remove it.
 * @returns the definition, and the variables of `env` that are not in it because they hold a secret.
 */
export function describeService({ home, workDir }: HomePlace, env: Environment, { command, madeBy } = OF_HOME) {
  const carried = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      (CARRIED.has(entry[0]) || setsAnything(entry[0])) && !SAID_ELSEWHERE.has(entry[0]) && Boolean(entry[1]),
  );
  const keys = KEY_VARIABLES.flatMap((name) => env[name]?.trim() || []);
  const isSecret = ([name, value]: [string, string]) =>
    SECRET_NAME.test(name) || WITH_PASSWORD.test(value) || keys.some((key) => value.includes(key));
  const definition: Definition = {
    madeBy,
    name: serviceName(home),
    workDir,
    program: [process.execPath, PROGRAM, ...command],
    environment: {
      MIMIKIT_WORK_DIR: workDir,
      // A directory that is found by default needs a record that it is this user's (`adoption.ts`).
      ...(env.MIMIKIT_HOME && { MIMIKIT_HOME: home }),
      ...Object.fromEntries(carried.filter((entry) => !isSecret(entry)).sort()),
    },
    umask: UMASK.toString(8).padStart(3, "0"),
  };
  return { definition, secrets: carried.filter(isSecret).map(([name]) => name) };
}

/** The same for each path that leads to the directory. */
export function serviceName(home: string): string {
  const path = existsSync(home) ? realpathSync(home) : home;
  return `mimikit-${createHash("sha256").update(path).digest("hex").slice(0, NAME_DIGITS)}`;
}
