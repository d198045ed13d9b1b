/** Why a command did not do what it was asked to, in one line, and what the shell is told (API.md, Exit codes). */

export const EXIT = { failed: 1, usage: 2, notRunning: 3, timedOut: 4 } as const;

export class Failure extends Error {
  readonly exitCode: number;

  constructor(reason: keyof typeof EXIT, message: string) {
    super(message);
    this.exitCode = EXIT[reason];
  }
}

/** The text of whatever was thrown, on one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().replace(/\s*\n\s*/g, " · ");
}
