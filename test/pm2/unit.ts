/** Reads a unit as systemd does, and starts what it says with nothing but what it sets. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { onTestFinished } from "vitest";

export interface ReadUnit {
  program: string[];
  environment: Record<string, string>;
  umask: number;
}

/** The words of a line: quotes, escapes and specifiers, as in `man systemd.syntax`. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"((?:\\.|[^"\\])*)"|(\S+)/g)].map(([, quoted, plain]) =>
    (quoted ?? plain ?? "")
      .replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex, other) =>
        hex ? String.fromCharCode(Number.parseInt(hex, 16)) : other,
      )
      .replaceAll("%%", "%"),
  );
}

export function readUnit(path: string): ReadUnit {
  const text = readFileSync(path, "utf8");
  const lines = (name: string) => [...text.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
  const [first = "", ...rest] = wordsOf(lines("ExecStart")[0] ?? "");
  return {
    program: [first.replace(/^:/, ""), ...rest],
    environment: Object.fromEntries(
      lines("Environment")
        .flatMap(wordsOf)
        .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]),
    ),
    umask: Number.parseInt(lines("UMask")[0] ?? "", 8),
  };
}

/**
 * Starts it as the unit would: no other variable than HOME, which systemd sets, and no new privileges.
 * @param user whose unit it is, where it is not that of whoever runs the tests.
 */
export function startProgram({ program, environment, umask }: ReadUnit, home: string, user: SpawnOptions = {}) {
  const before = process.umask(umask);
  const child: ChildProcess = spawn("setpriv", ["--no-new-privs", ...program], {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    ...user,
  });
  process.umask(before);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part) => said.push(String(part)));
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = once(child, "exit");
  return {
    child,
    said: () => said.join(""),
    /** As `systemctl stop`. @returns its exit code. */
    async stop(): Promise<number | null> {
      child.kill("SIGTERM");
      const [code] = await exit;
      return code as number | null;
    },
  };
}
