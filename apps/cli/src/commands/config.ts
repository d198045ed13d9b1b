/** Says which settings are in force and where each comes from, and what is wrong with them. Works with everything down. */
import { join, resolve } from "node:path";
import { loadConfig, loadSettings, type Setting } from "@mimikit/runtime/config/config";
import { CONFIG_FILE } from "@mimikit/runtime/config/config-file";
import { findMistakes } from "@mimikit/runtime/config/find-mistakes";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import { z } from "zod";
import { actions, command } from "../arguments/command.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printJson, printLine, printTable, styled } from "../io/print.ts";

const MASK = "********";

export const config = command({
  usage: "config [action] [what]",
  summary: "which settings are in force, where they come from, and what is wrong",
  examples: [
    ["mimikit config show", "every setting with its value and where it comes from"],
    ["mimikit config show timeoutSec", "those whose names contain it, with the variables that set them"],
    ["mimikit config validate", "names the line of each mistake and what to do; exit code 1 when there is one"],
    ["mimikit config validate ./config.yaml", "another file, before you put it into place"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("show", "validate"))
      .positional("what", { type: "string", describe: "show: a part of a name; validate: a file" }),
  async run({ json, action, what }) {
    if (action === "show") show(json, what);
    else validate(json, what);
  },
});

function show(json: boolean, part = ""): void {
  const { home, workDir } = currentPlace();
  const settings = loadSettings(home, process.env).filter(({ field }) =>
    field.path.join(".").toLowerCase().includes(part.toLowerCase()),
  );
  // Only whether they are there.
  const secrets = KEY_VARIABLES.filter((name) => part === "" && process.env[name]);
  if (json) {
    printJson({
      home,
      workDir,
      file: join(home, CONFIG_FILE),
      settings: settings.map((setting) => ({
        name: setting.field.path.join("."),
        value: maskedIn(setting.value) ?? null,
        source: setting.source,
        ...(setting.variable !== undefined && { variable: setting.variable }),
        variables: setting.field.variables,
        description: descriptionOf(setting),
      })),
      secrets: secrets.map((variable) => ({ variable, value: MASK })),
    });
    return;
  }
  if (part !== "" && settings.length === 0) throw new Failure("failed", `no setting's name contains ${part}`);
  if (part === "") {
    printLine(`state     ${home}`);
    printLine(`workspace ${workDir}`);
    printLine();
  }
  printTable(
    ["setting", "value", "from", ""],
    settings.map((setting) => [
      setting.field.path.join("."),
      valueText(setting.value),
      setting.variable ?? setting.source,
      descriptionOf(setting),
    ]),
    "there is no setting",
  );
  if (part !== "")
    for (const { field } of settings)
      printLine(
        styled("dim", `${field.path.join(".")} is set by ${field.variables.join(" or ")}, or in ${CONFIG_FILE}`),
      );
  for (const name of secrets) printLine(`${name} is set (${MASK})`);
}

function validate(json: boolean, given: string | undefined): void {
  const { home } = currentPlace();
  const file = given === undefined ? join(home, CONFIG_FILE) : resolve(given);
  const mistakes = findMistakes(file);
  if (mistakes === null && given !== undefined) throw new Failure("failed", `there is no file ${file}`);
  // What the file says is told with its lines; the rest is about variables.
  const variables =
    given === undefined
      ? loadConfig(home, process.env).problems.filter((problem) => !problem.startsWith(`${CONFIG_FILE}:`))
      : [];
  const count = (mistakes?.length ?? 0) + variables.length;
  if (json) printJson({ ok: count === 0, file, exists: mistakes !== null, mistakes: mistakes ?? [], variables });
  else {
    for (const { line, column, path, message, next } of mistakes ?? []) {
      const place = styled("bold", `${file}:${line}:${column}`);
      printLine(`${styled("red", "✗")} ${place} ${plainLine(path === "" ? message : `${path}: ${message}`)}`);
      printLine(`  → ${plainLine(next)}`);
    }
    for (const problem of variables) {
      printLine(`${styled("red", "✗")} ${plainLine(problem)}`);
      printLine("  → correct the variable, or unset it");
    }
    if (count === 0)
      printLine(
        `${styled("green", "✓")} ${mistakes === null ? `there is no ${file}: the defaults and the variables are valid` : `${file} is valid`}`,
      );
  }
  if (count > 0) throw new Failure("failed", `${count} mistake${count === 1 ? "" : "s"} in the settings`);
}

function descriptionOf({ field }: Setting): string {
  return z.globalRegistry.get(field.schema)?.description ?? "";
}

function valueText(value: unknown): string {
  const shown = maskedIn(value);
  return shown === undefined ? "–" : typeof shown === "string" ? shown : JSON.stringify(shown);
}

/** An address may hold a name and a password: they stay in it. */
function maskedIn(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^(https?:\/\/)[^/@]+@/i, `$1${MASK}@`) : value;
}
