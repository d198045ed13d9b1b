/**
 * Why a command did not do what it was asked to, in one line, and what the shell is told
 * (docs/operations.md#exit-codes).
 */
import { issuesOf } from "@mimikit/protocol/texts/issues";
import type { z } from "zod";
import { told } from "../i18n/language.ts";

export const EXIT = { failed: 1, usage: 2, notRunning: 3, timedOut: 4, asks: 5 } as const;

export class Failure extends Error {
  readonly exitCode: number;

  constructor(reason: keyof typeof EXIT, message: string) {
    super(message);
    this.exitCode = EXIT[reason];
  }
}

/** The first thing that is wrong with what was typed, and the option that it was typed for. */
export function misuseOf(error: z.ZodError): Failure {
  const [issue] = issuesOf(error);
  const where = issue === undefined || issue.path.length === 0 ? "" : `--${issue.path.join(".")}: `;
  return new Failure("usage", `${where}${issue === undefined ? "" : told(issue.message)}`);
}

/** The text of whatever was thrown, on one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/(?<!\s)\s*\n\s*/g, " · ");
}
