/** Is a program the version that we know how to talk to? Asked once, until the file is another. */
import { stat } from "node:fs/promises";
import { execa } from "execa";
import { cliEnvironment } from "./environment.ts";
import { firstLine } from "./run-cli.ts";

const VERSION_MS_MAX = 20_000;
const VERSION = /\b(\d+)\.(\d+)\.(\d+)\b/;

/** The CLI cannot be used as it is; the message says what to do. No model was asked anything. */
export class UnusableCli extends Error {}

/** By path, size and time of change. */
const versions = new Map<string, string>();

/**
 * The version of `file`, at least `minimum`. Throws `UnusableCli` when it is older, or tells none.
 * @param minimum e.g. "0.169.0".
 */
export async function checkVersion(name: string, file: string, minimum: string): Promise<string> {
  const { size, mtimeMs } = await stat(file).catch((error: Error) => {
    throw new UnusableCli(`${name} is not there any more: ${error.message}`);
  });
  const key = `${file}:${size}:${mtimeMs}`;
  const version = versions.get(key) ?? (await askVersion(name, file));
  versions.set(key, version);
  if (isOlder(version, minimum))
    throw new UnusableCli(`${name} ${version} is too old: ${minimum} or newer is needed (${file})`);
  return version;
}

async function askVersion(name: string, file: string): Promise<string> {
  const { stdout, stderr, failed, shortMessage } = await execa(file, ["--version"], {
    env: cliEnvironment({}),
    extendEnv: false,
    stdin: "ignore",
    reject: false,
    timeout: VERSION_MS_MAX,
  });
  const version = VERSION.exec(stdout ?? "")?.[0];
  if (version === undefined || failed) {
    const why = firstLine(stderr ?? "") || (failed ? shortMessage : `${file} tells no version`);
    throw new UnusableCli(`${name} does not work: ${why}`);
  }
  return version;
}

function isOlder(version: string, minimum: string): boolean {
  const [a, b] = [version, minimum].map((each) => VERSION.exec(each)?.slice(1).map(Number) ?? []);
  for (const [i, number] of (b ?? []).entries()) if (a?.[i] !== number) return (a?.[i] ?? 0) < number;
  return false;
}
