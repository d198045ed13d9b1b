/** Says which settings are in force and where each comes from, and what is wrong with them. Works with everything down. */
import { join, resolve } from "node:path";
import { loadConfig, loadSettings, type Setting } from "@mimikit/runtime/config/config";
import { CONFIG_FILE } from "@mimikit/runtime/config/config-file";
import { descriptionOf, MASK, maskedIn, needsRestart } from "@mimikit/runtime/config/describe-settings";
import { editSettings, refusalOf, settingNamed } from "@mimikit/runtime/config/edit-settings";
import { type ConfigField, readVariable } from "@mimikit/runtime/config/fields";
import { findMistakes } from "@mimikit/runtime/config/find-mistakes";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import { openHome } from "@mimikit/runtime/home/adoption";
import { command, commandGroup } from "../arguments/command.ts";
import { unmarked } from "../arguments/text-argument.ts";
import { nameIn, settingTold, t, told } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printHint, printJson, printLine, printTable, styled } from "../io/print.ts";
import { refusedAsFailure } from "../io/settings-refused.ts";
import { runningEnvironment } from "../processes/instance.ts";

const showCommand = command({
  usage: "show [part]",
  summary: "the settings with their values, and where each comes from",
  examples: [
    ["mimikit config show", "every setting; mimikit config alone is the same"],
    ["mimikit config show timeoutSec", "those whose names contain it, with the variables that set them"],
  ],
  options: (yargs) => yargs.positional("part", { type: "string", describe: "a part of a name" }),
  run: async ({ json, part }) => show(json, part),
});

const setCommand = command({
  usage: "set <name> <value>",
  summary: "save a setting in config.yaml",
  examples: [
    ["mimikit config set budget.day.costUsd 5", "comments in config.yaml stay; mimikit undo reverts it"],
    ["mimikit config set selfImprove.checks 'npm test,npm run lint'", "a list has commas; a table is JSON"],
  ],
  takesText: true,
  options: (yargs) =>
    yargs
      .positional("name", { type: "string", demandOption: true, describe: "the setting: mimikit config lists them" })
      .positional("value", { type: "string", demandOption: true, describe: "its value, written as for a variable" }),
  run: ({ json, name, value }) => edit(json, unmarked(name), unmarked(value)),
});

const unsetCommand = command({
  usage: "unset <name>",
  summary: "remove a setting from config.yaml: its default applies again",
  examples: [["mimikit config unset budget.day.costUsd", "no limit for a day again"]],
  options: (yargs) => yargs.positional("name", { type: "string", demandOption: true, describe: "the setting" }),
  run: ({ json, name }) => edit(json, name, undefined),
});

const validateCommand = command({
  usage: "validate [file]",
  summary: "check the settings, with the line of each mistake and how to correct it",
  examples: [
    ["mimikit config validate", "config.yaml and the variables; exit code 1 if there is a mistake"],
    ["mimikit config validate ./config.yaml", "another file, before you put it into place"],
  ],
  options: (yargs) => yargs.positional("file", { type: "string", describe: "config.yaml if not given" }),
  run: async ({ json, file }) => validate(json, file),
});

/** @param text the value; undefined takes the setting out of the file. */
async function edit(json: boolean, name: string, text: string | undefined): Promise<void> {
  const { home } = currentPlace();
  openHome(home, process.env);
  const running = await runningEnvironment(home);
  // It is their variables that win, whatever those of this shell are.
  const env = running ?? process.env;
  const settingNow = () => loadSettings(home, env).find(({ field }) => field.path.join(".") === name);
  const before = settingNow();
  await refusedAsFailure(() => {
    const value = text === undefined ? undefined : readWord(settingNamed(name), text);
    return withDisk(home, (fs) => editSettings({ fs, home, env }, [{ name, value }]));
  });
  const after = settingNow();
  if (before === undefined || after === undefined) return;
  const waits = needsRestart(after.field);
  if (json) {
    const said = ({ value, source }: Setting) => ({ value: maskedIn(value) ?? null, source });
    printJson({ name, before: said(before), after: said(after), needsRestart: waits });
    return;
  }
  const said = ({ value, source }: Setting) =>
    t("{value} ({source})", { value: valueText(value), source: nameIn(source) });
  printLine(plainLine(`${name}: ${said(before)} → ${said(after)}`));
  if (running === null) printLine(t("it takes effect when Mimikit runs"));
  else printHint(waits ? t("it takes effect after  mimikit restart") : t("it takes effect now"));
  printLine(styled("dim", t("mimikit undo  lists the change once Mimikit has seen it, and reverts it")));
}

/** A word of the command line, read as a variable is. */
function readWord({ path, schema }: ConfigField, text: string): unknown {
  const read = readVariable(text, schema);
  if (read.success) return read.data;
  throw new Failure("usage", refusalOf(path, read.error));
}

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
        description: descriptionOf(setting.field),
      })),
      secrets: secrets.map((variable) => ({ variable, value: MASK })),
    });
    return;
  }
  if (part !== "" && settings.length === 0)
    throw new Failure("failed", t("no setting's name contains {part}", { part }));
  if (part === "") {
    printLine(t("state     {home}", { home }));
    printLine(t("workspace {workDir}", { workDir }));
    printLine();
  }
  printTable(
    ["setting", "value", "from", ""],
    settings.map((setting) => [
      setting.field.path.join("."),
      valueText(setting.value),
      setting.variable ?? nameIn(setting.source),
      settingTold(setting.field.path.join("."), descriptionOf(setting.field)),
    ]),
    t("there is no setting"),
  );
  if (part !== "")
    for (const { field } of settings)
      printLine(
        styled(
          "dim",
          t("{path} is set by {variables}, or in {configFile}", {
            path: field.path.join("."),
            variables: field.variables.join(t(" or ")),
            configFile: CONFIG_FILE,
          }),
        ),
      );
  for (const name of secrets) printLine(t("{name} is set ({mask})", { name, mask: MASK }));
}

function validate(json: boolean, given: string | undefined): void {
  const { home } = currentPlace();
  const file = given === undefined ? join(home, CONFIG_FILE) : resolve(given);
  const mistakes = findMistakes(file);
  if (mistakes === null && given !== undefined) throw new Failure("failed", t("there is no file {file}", { file }));
  // Mistakes in the file are listed with their lines; the other problems are about variables.
  const variables =
    given === undefined
      ? loadConfig(home, process.env).problems.filter((problem) => !problem.startsWith(`${CONFIG_FILE}:`))
      : [];
  const count = (mistakes?.length ?? 0) + variables.length;
  if (json) printJson({ ok: count === 0, file, exists: mistakes !== null, mistakes: mistakes ?? [], variables });
  else {
    for (const { line, column, path, message, next } of mistakes ?? []) {
      const place = styled("bold", `${file}:${line}:${column}`);
      printLine(
        `${styled("red", "✗")} ${place} ${plainLine(path === "" ? told(message) : `${path}: ${told(message)}`)}`,
      );
      printLine(`  → ${plainLine(told(next))}`);
    }
    for (const problem of variables) {
      printLine(`${styled("red", "✗")} ${plainLine(told(problem))}`);
      printLine(`  → ${t("correct the variable, or unset it")}`);
    }
    if (count === 0)
      printLine(
        `${styled("green", "✓")} ${mistakes === null ? t("there is no {file}: the defaults and the variables are valid", { file }) : t("{file} is valid", { file })}`,
      );
  }
  if (count > 0)
    throw new Failure(
      "failed",
      count === 1 ? t("1 mistake in the settings") : t("{count} mistakes in the settings", { count }),
    );
}

function valueText(value: unknown): string {
  const shown = maskedIn(value);
  return shown === undefined ? "–" : typeof shown === "string" ? shown : JSON.stringify(shown);
}

export const config = commandGroup({
  name: "config",
  summary: "the settings: show, set, unset and validate them",
  subCommands: [showCommand, setCommand, unsetCommand, validateCommand],
  alone: showCommand,
});
