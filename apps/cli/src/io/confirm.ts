/** A yes or no from the person at the terminal. */
import { createInterface } from "node:readline/promises";
import { t } from "../i18n/language.ts";
import { Failure } from "./failure.ts";

/**
 * Asks `question`; anything but yes means no.
 * @param otherwise the command for scripts, named where stdin or stderr is no terminal. @throws Failure (usage) there.
 */
export async function confirm(question: string, otherwise: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Failure("usage", t("not a terminal, so you cannot be asked: pass  {otherwise}", { otherwise }));
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
