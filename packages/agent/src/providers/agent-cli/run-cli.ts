/**
 * One process of an agent CLI: it gets its words by standard input and answers in JSON lines. Nothing of it outlives it:
 * whatever it left behind is gone before its end is told (docs/file-protocol.md R6), also when it is stopped.
 */
import { stripVTControlCharacters } from "node:util";
import { hasCode } from "@mimikit/store/disk/error-code";
import { execa } from "execa";
import { endChild, endSandboxed } from "../../shell/end-child.ts";
import { JsonLines } from "./json-lines.ts";

/** Between asking the CLI to end and making it end. With the sweep after it, all is gone within 5 s. */
const TERM_MS = 1_500;
/** How long the output of an ended CLI is awaited where something it started still holds it open. */
const DRAIN_MS = 500;
const STDERR_CHARS_MAX = 4_000;

export interface CliCommand {
  /** The native program: killing a wrapper would leave the CLI itself alive. */
  file: string;
  args: readonly string[];
  cwd: string;
  /** All that it sees. */
  environment: Readonly<Record<string, string>>;
  /** Its standard input. Never an argument: arguments are seen by everybody, and bounded at 128 KB. */
  input: string;
  /** The program of the CLI, where `file` is our sandbox around it. */
  inSandbox?: string;
  /** Handed over to the sandbox around it, on the descriptor SECRET_FD: it is in no variable and in no file. */
  handedOver?: string;
  /** What must not appear in a message. */
  secrets: readonly string[];
  /** The mark in `environment`, by which what the CLI started is found again. */
  mark: string | undefined;
}

/** How the process ended. Without a code and without a signal it was never started, and `cause` says why. */
export interface CliEnd {
  exitCode?: number | undefined;
  signal?: string | undefined;
  cause?: unknown;
  /** The end of what it said on standard error, without secrets. */
  stderr: string;
  /** Lines of its output that were no JSON. */
  unreadable: number;
}

/** Runs a CLI until it ends or `stop` aborts, and yields what it says as it says it. */
export async function* runCli(command: CliCommand, stop: AbortSignal): AsyncGenerator<unknown, CliEnd> {
  const { file, args, cwd, environment, input, handedOver, inSandbox, mark } = command;
  const child = execa(file, [...args], {
    cwd,
    env: environment,
    extendEnv: false,
    input,
    ...(handedOver !== undefined && { stdio: ["pipe", "pipe", "pipe", Buffer.from(handedOver)] as const }),
    buffer: false,
    reject: false,
    encoding: "buffer",
    killDescendants: true,
    forceKillAfterDelay: TERM_MS,
    ...(inSandbox === undefined && { cancelSignal: stop }),
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString("utf8")).slice(-2 * STDERR_CHARS_MAX);
  });
  // Each ending is over before the next process of this run begins, which has the same mark and would be ended too.
  const endings: Promise<void>[] = [];
  // Where the CLI is gone but its output does not end, something that it left in the background holds it open.
  let isOver = false;
  let isCutLoose = false;
  let drain: NodeJS.Timeout | undefined;
  const cutLoose = () => {
    isCutLoose = true;
    child.stdout.destroy();
    child.stderr.destroy();
  };
  child.nodeChildProcess.once("exit", () => {
    if (isOver) return;
    drain = setTimeout(() => {
      // Without its holder the output ends by itself; where the holder cannot be found, nothing more is awaited.
      const goOn = () => {
        if (!isOver) drain = setTimeout(cutLoose, DRAIN_MS);
      };
      endings.push(endChild(child.pid, mark));
      endings.at(-1)?.then(goOn, goOn);
    }, DRAIN_MS);
  });
  const stopInside = () => {
    if (inSandbox === undefined) return;
    endings.push(endSandboxed({ pid: child.pid, mark, termMs: TERM_MS, program: inSandbox }));
    endings.at(-1)?.catch((error: Error) => child.stdout.destroy(error));
  };
  if (stop.aborted) stopInside();
  else stop.addEventListener("abort", stopInside, { once: true });
  const lines = new JsonLines();
  try {
    for await (const chunk of child.stdout) yield* lines.add(chunk);
    yield* lines.end();
    // It may go on when it has closed its output.
    await child;
  } catch (error) {
    if (!(isCutLoose && hasCode(error, "ERR_STREAM_PREMATURE_CLOSE"))) throw error;
  } finally {
    isOver = true;
    clearTimeout(drain);
    stop.removeEventListener("abort", stopInside);
    await Promise.all(endings);
    await endChild(child.pid, mark);
  }
  const { exitCode, signal, cause } = await child;
  return { exitCode, signal, cause, stderr: cleaned(stderr, command.secrets), unreadable: lines.unreadable };
}

/** The end of `text` as it may be shown. */
function cleaned(text: string, secrets: readonly string[]): string {
  return stripVTControlCharacters(withoutSecrets(text, secrets)).trim().slice(-STDERR_CHARS_MAX);
}

/** `text` as it may be shown: with `[key]` for each of `secrets`. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === "" ? rest : rest.replaceAll(secret, "[key]")), text);
}
