/**
 * The owner's commands as tools. The input is checked against its schema, comes as JSON on standard input, and fills `{{name}}` in
 * arguments, each of which stays one argument. A command runs in the sandbox of a Worker's shell.
 */
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";
import { z } from "zod";
import { oneLine } from "../prompt/quote.ts";
import type { Run } from "../provider.ts";
import { describeEnd, ENVIRONMENT_ALLOWED } from "../shell/command.ts";
import { networkVariables } from "../shell/network.ts";
import { Output } from "../shell/output.ts";
import { ownVariables, runChild } from "../shell/run-child.ts";
import { boundsOf, sandboxed } from "../shell/sandbox.ts";
import type { Tool } from "../tools/tool.ts";
import { ANSWER_CHARS_MAX, quotedAnswer } from "./answer-text.ts";
import { BLANK, type OwnCommand } from "./files/command-files.ts";

const TERM_MS = 2_000;
/** The pool does nothing else meanwhile. */
const CHECK_MS_MAX = 250;

/** The part of a run that a command needs. */
export type CommandRun = Pick<Run, "task" | "home" | "workDir" | "runDir" | "sandbox" | "protect" | "environment">;

/** @param name under which models call it. @param checked its input's schema. */
export function commandTool(
  own: OwnCommand,
  checked: z.ZodType,
  name: string,
  run: CommandRun,
  signal: AbortSignal,
): Tool {
  let calls = 0;
  return {
    name,
    level: own.level,
    keepsWithin: false,
    roles: own.roles,
    input: checked,
    shownTo: {},
    shown: checked,
    told: { description: oneLine(own.description), parameters: own.input },
    apply: async (input) => ({
      answer: await runOwn(own, input, join(run.runDir, `${name}-${++calls}.txt`), run, signal),
    }),
  };
}

/** Throws an error for a model where it does not end well, and when the run is stopped. */
async function runOwn(own: OwnCommand, input: unknown, path: string, run: CommandRun, signal: AbortSignal) {
  const { environment } = run;
  const limit = AbortSignal.timeout(own.timeoutSec * 1_000);
  const bounds = await boundsOf(run);
  const isReadOnly = bounds.isReadOnly === true || own.level === "read-only";
  const [file = "", ...args] = own.command.map((part) => filled(part, input));
  const { commandLine, isHeld } = await sandboxed([file, ...args], { ...bounds, isReadOnly });
  const output = await Output.create(path, ANSWER_CHARS_MAX);
  try {
    const child = runChild(
      {
        commandLine,
        cwd: run.workDir,
        environment: { ...ownVariables(ENVIRONMENT_ALLOWED), ...networkVariables(false), ...environment },
        mark: environment[MARK_VARIABLE],
        input: JSON.stringify(input),
        ...(isHeld && { sandbox: {} }),
        termMs: TERM_MS,
        async *read(chunks) {
          for await (const chunk of chunks) {
            await output.add(chunk);
            yield undefined;
          }
        },
      },
      AbortSignal.any([signal, limit]),
    );
    let next = await child.next();
    while (next.done !== true) next = await child.next();
    signal.throwIfAborted();
    const text = quotedAnswer(output.tail());
    const isCut = output.bytes > ANSWER_CHARS_MAX;
    const said = isCut ? `[the end of ${output.bytes} bytes]\n${text}` : text;
    if (limit.aborted) throw new Error(`stopped after ${own.timeoutSec} s\n${said}`);
    if (next.value.exitCode !== 0) throw new Error(`${describeEnd(next.value)}\n${said}`);
    return { text: said, artifact: path };
  } finally {
    await output.close();
  }
}

/** The values of the input are put into one argument each; a value that is no text is JSON, and one that is not given is nothing. */
function filled(part: string, input: unknown): string {
  const values = input as Record<string, unknown>;
  return part.replace(BLANK, (_whole, name: string) => {
    const value = values[name];
    return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  });
}

/**
 * The check of an input. A model chooses the text that a pattern of the schema is applied to, so compiling and each check have a limit.
 * Throws an error for people where there can be none, because it is no schema.
 */
export async function checkOf({ name, input }: OwnCommand): Promise<z.ZodType> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  try {
    const check = withinLimit(() => new AjvJsonSchemaValidator().getValidator(input));
    return z.record(z.string(), z.unknown()).superRefine((value, context) => {
      try {
        const { valid, errorMessage } = withinLimit(() => check(value));
        if (!valid) context.addIssue({ code: "custom", message: errorMessage });
      } catch (error) {
        context.addIssue({ code: "custom", message: `cannot be checked: ${wordsOf(error)}` });
      }
    });
  } catch (error) {
    throw new Error(`the input of ${name} is no JSON Schema: ${wordsOf(error)}`);
  }
}

/** Runs `work`, and throws where it takes longer than CHECK_MS_MAX: V8 ends it then, in the middle of a regular expression too. */
function withinLimit<T>(work: () => T): T {
  try {
    return runInNewContext("work()", { work }, { timeout: CHECK_MS_MAX }) as T;
  } catch (error) {
    // The error of the limit is of the other context, whose `Error` is not ours.
    throw error instanceof Error ? error : new Error(`it takes more than ${CHECK_MS_MAX} ms`);
  }
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
