/**
 * Where the native program of an agent CLI is. Its npm package starts it through a script; killing that script would
 * leave the program itself alive, so what is started is always the program.
 */

import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { sentence } from "@mimikit/protocol/texts/coded";
import type { Environment } from "@mimikit/runtime/home/home";
import { ROOT } from "@mimikit/runtime/home/programs";
import { hasCode } from "@mimikit/store/disk/error-code";

/** Where the test suite and an owner without a global installation put CLIs: outside the lock file. */
const OWN_MODULES = join(ROOT, "node_modules/.agents/node_modules");

/** How long the answer of a search holds: the same is asked many times in each turn. */
const SEARCH_MS = 5_000;

export interface Binary {
  /** The variable that names it and goes before everything else. */
  variable: string;
  /** Its name in PATH. */
  name: string;
  /** Where a package for this platform holds it, below a `node_modules`. */
  packaged: readonly string[];
}

/** Which program is missing, and the package to install; null where it is there. */
export function missingBinary(binary: Binary, packageName: string, env: Environment): string | null {
  if (findBinary(binary, env) !== null) return null;
  const { variable, name } = binary;
  if (env[variable]) return sentence("lacks_named_program", { variable, path: env[variable] });
  return sentence("lacks_program", { name, package: packageName, variable });
}

/** The last search for each program, by the PATH that it went through. */
const searches = new Map<Binary, { path: string; program: string | null; untilMs: number }>();

/**
 * The path of the program, or null. A variable that is set is the only place that counts; without one, a program that comes
 * or goes is noticed some seconds later.
 */
export function findBinary(binary: Binary, env: Environment): string | null {
  const named = env[binary.variable];
  if (named !== undefined && named !== "") return isProgram(named) ? named : null;
  const path = env.PATH ?? "";
  const last = searches.get(binary);
  if (last?.path === path && performance.now() < last.untilMs) return last.program;
  const program = search(binary, path);
  searches.set(binary, { path, program, untilMs: performance.now() + SEARCH_MS });
  return program;
}

function search({ name, packaged }: Binary, path: string): string | null {
  const own = packaged.map((each) => join(OWN_MODULES, each)).find(isProgram);
  if (own !== undefined) return own;
  for (const dir of path.split(delimiter)) {
    const found = dir === "" ? "" : join(dir, name);
    if (!isProgram(found)) continue;
    const real = realpathSync(found);
    const program = isScript(real) ? unwrap(real, packaged) : real;
    if (program !== null) return program;
  }
  return null;
}

const isScript = (path: string) => /\.[cm]?js$/.test(path);

/** The program that the script of a package starts: in a `node_modules` of one of the folders above it. */
function unwrap(script: string, packaged: readonly string[]): string | null {
  for (let dir = dirname(script); dir !== dirname(dir); dir = dirname(dir)) {
    const program = packaged.map((path) => join(dir, "node_modules", path)).find(isProgram);
    if (program !== undefined) return program;
  }
  return null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP")) return false;
    throw error;
  }
}
