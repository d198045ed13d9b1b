/** The first start in a workspace asks once how much a model may do without asking (docs/autonomy.md). */

import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { AUTONOMY, type Autonomy } from "@mimikit/protocol/approvals/approval";
import { loadSettings } from "@mimikit/runtime/config/config";
import { editSettings } from "@mimikit/runtime/config/edit-settings";
import type { Environment } from "@mimikit/runtime/home/home";
import { t } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { plainLine } from "../io/print.ts";
import { refusedAsFailure } from "../io/settings-refused.ts";

const NAME = "autonomy";
const WORDS: Record<Autonomy, string> = {
  ask: "asks before each command of a model",
  workspace: "asks before what goes beyond this workspace, the network too",
  full: "never asks",
};

/** A terminal at which a person can answer, or neither. */
export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Writable & { isTTY?: boolean };
}

/**
 * Asks, where nothing has set it yet and a person is there, and saves the answer in config.yaml; an empty one is `workspace`.
 * A terminal that closes, or an answer that is none of them, leaves it unanswered: the page asks.
 * @returns what was saved; null where nothing was. @throws Failure where it cannot be saved.
 */
export async function askAutonomy(
  home: string,
  env: Environment,
  { input, output }: Terminal,
): Promise<Autonomy | null> {
  if (input.isTTY !== true || output.isTTY !== true || isOn(env.CI)) return null;
  if (loadSettings(home, env).find(({ field }) => field.path.join(".") === NAME)?.source !== "default") return null;
  output.write(`${t("How much may a model do here without asking you?")}\n`);
  for (const each of AUTONOMY) output.write(plainLine(`  ${each.padEnd(10)} ${t(WORDS[each])}`).concat("\n"));
  const said = await answerFrom(input, output, "[workspace] ");
  const chosen = said === "" ? "workspace" : AUTONOMY.find((each) => each === said?.toLowerCase());
  if (chosen === undefined) {
    output.write(`${t("It is `workspace` until you choose:  mimikit config set autonomy …")}\n`);
    return null;
  }
  await refusedAsFailure(() =>
    withDisk(home, (fs) => editSettings({ fs, home, env }, [{ name: NAME, value: chosen }])),
  );
  return chosen;
}

/** The line that was typed; null where the terminal was closed instead. */
async function answerFrom(input: Readable, output: Writable, question: string): Promise<string | null> {
  const terminal = createInterface({ input, output });
  const closed = new Promise<null>((resolve) => terminal.once("close", () => resolve(null)));
  try {
    return await Promise.race([terminal.question(question).then((text) => text.trim()), closed]);
  } finally {
    terminal.close();
  }
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && value !== "" && value !== "0" && value !== "false";
}
