/** The budgets of a prompt in windows of three sizes, for docs/context.md. */
import { SECTIONS } from "../packages/agent/src/prompt/sections.ts";
import { DEFINITIONS } from "../packages/agent/src/roles/index.ts";
import { boundOf, budgetsFor } from "../packages/agent/src/talk/budgets.ts";
import { withBlocks } from "./generated-blocks.ts";

const WINDOWS = [8_192, 32_768, 200_000];
/** Kept for the answer, as Chat Completions has it. */
const RESERVED = 2_048;

export function withBudgets(page: string): string {
  return withBlocks(page, { budgets: budgetsTable() });
}

function budgetsTable(): string {
  const budgets = WINDOWS.map((window) => budgetsFor(window - RESERVED));
  const row = (name: string, cells: readonly number[]) =>
    `| ${[name, ...cells.map((cell) => cell.toLocaleString("en"))].join(" | ")} |\n`;
  return [
    `| tokens at most, in a window of | ${WINDOWS.map((window) => window.toLocaleString("en")).join(" | ")} |\n`,
    `|---|${WINDOWS.map(() => "---|").join("")}\n`,
    row(
      "one message, whole",
      budgets.map(({ message }) => message),
    ),
    ...DEFINITIONS.teller.sections.map((name) =>
      row(
        name === "history" ? "the conversation (`history`)" : `\`${name}\``,
        budgets.map((each) => boundOf(name, SECTIONS[name].tokensMax, each)),
      ),
    ),
  ].join("");
}
