/** Keeps Mimikit running whatever ends it, from boot on: as a unit of systemd, or as a command that others start. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { setsAnything } from "@mimikit/runtime/config/fields";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import { rolesOf } from "@mimikit/runtime/process/roles-of";
import { isSingletonClaimed } from "@mimikit/runtime/process/singleton";
import { execa } from "execa";
import type { Argv } from "yargs";
import { type CommonOptions, command, commandGroup } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { keep } from "../instance/begin.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { padded, plainLine, printHint, printJson, printLine, printNotice, styled } from "../io/print.ts";
import { livingRoles, runningText } from "../processes/instance.ts";
import { isStopped } from "../processes/stopped.ts";
import { type Definition, describeService, serviceName } from "../service/definition.ts";
import { respawn } from "../service/respawn.ts";
import { enableLinger, hasSystemd, removeUnit, systemctl, unitOf, writeUnit } from "../service/systemd.ts";
import { commandLine, crontabLine, launchdPlist, openRcScript, systemdUnit } from "../service/texts.ts";
import { prepare } from "./up.ts";

const LABEL_COLUMNS = 10;

interface UnitOptions {
  json: boolean;
  system: boolean;
}

interface Wanted {
  definition: Definition;
  home: string;
  user: string;
  system: boolean;
}

/** The definition of the service, for each service manager. */
const TEXTS = {
  launchd: ({ definition, home }: Wanted) => launchdPlist(definition, home),
  openrc: ({ definition, user }: Wanted) => openRcScript(definition, user),
  systemd: ({ definition, user, system }: Wanted) => systemdUnit(definition, system ? user : undefined),
};

const statusCommand = command({
  usage: "status",
  summary: "is there a unit, is it active, does everything run",
  examples: [["mimikit service status", "mimikit service alone is the same"]],
  options: systemOption,
  run: show,
});

const installCommand = command({
  usage: "install",
  summary: "install and start the unit, or print it",
  examples: [
    ["mimikit service install", "a systemd unit of this user, with the workspace in this directory"],
    ["sudo mimikit service install --system", "a system unit, run as the owner of the state directory"],
    ["mimikit service install --print launchd", "print the definition for another system (untested)"],
  ],
  options: (yargs) =>
    systemOption(yargs)
      .option("linger", { type: "boolean", default: true, describe: "run without a login (loginctl)" })
      .option("print", {
        choices: Object.keys(TEXTS) as (keyof typeof TEXTS)[],
        describe: "print the definition, change nothing",
      }),
  run: ({ print: kind, ...options }) => (kind === undefined ? install(options) : print(options, kind)),
});

const uninstallCommand = command({
  usage: "uninstall",
  summary: "stop Mimikit and remove the unit; the state is kept",
  examples: [["mimikit service uninstall", "mimikit up still starts it by hand"]],
  options: systemOption,
  run: uninstall,
});

const runCommand = command({
  usage: "run",
  summary: "keep Mimikit running until a signal: the program of the unit",
  examples: [["mimikit service run", "by hand, or from another service manager"]],
  run: () => respawn(currentPlace().home),
});

export const service = commandGroup({
  name: "service",
  summary: "start Mimikit at boot and keep it running: install, check and remove its unit",
  subCommands: [statusCommand, installCommand, uninstallCommand, runCommand],
  alone: statusCommand,
});

function systemOption(yargs: Argv<CommonOptions>) {
  return yargs.option("system", { type: "boolean", default: false, describe: "a system unit, not one of this user" });
}

async function install({ json, system, linger }: UnitOptions & { linger: boolean }): Promise<void> {
  const { home, workDir } = currentPlace();
  const user = system ? await ownerOf(home) : undefined;
  const kept = await prepareFor(user, home, workDir);
  const { definition, secrets } = describeService({ home, workDir }, process.env);
  const { name } = definition;
  const byHand = { now: commandLine(definition), atBoot: crontabLine(definition) };
  const leftOut = secrets.filter((variable) => !KEY_VARIABLES.includes(variable));
  if (!(await hasSystemd())) {
    if (json) printJson({ name, unit: null, kept, leftOut, byHand });
    else {
      printLine(t("there is no systemd here. In the crontab of this user (crontab -e) this line does the same:"));
      printLine(byHand.atBoot);
      printLine(t("and now:  nohup {now} > /dev/null 2>&1 &", { now: byHand.now }));
    }
    return;
  }
  const unit = unitOf(name, system, process.env);
  const isNew = writeUnit(unit, systemdUnit(definition, user));
  const reloaded = await systemctl(unit, "daemon-reload");
  const started = reloaded.isDone ? await systemctl(unit, isNew ? "restart" : "start", name) : reloaded;
  const why = started.isDone ? null : started.said;
  const noLinger = system ? null : linger ? await enableLinger() : "--no-linger";
  if (json) {
    printJson({ name, unit: unit.path, started: why === null, why, linger: noLinger === null, kept, leftOut, byHand });
    return;
  }
  printLine(`${styled("green", "✓")} ${unit.path}`);
  const own = userInfo().username;
  say(
    t("boot"),
    noLinger === null ? t("it starts with the machine") : t("it starts when you log in, and ends when you log out"),
  );
  if (noLinger !== null && linger)
    printNotice(
      `! ${t("no linger ({noLinger}): run  sudo loginctl enable-linger {own}", { noLinger: plainLine(noLinger), own })}`,
    );
  say(t("now"), why === null ? t("it runs:  mimikit service status") : t("systemd does not start it here"));
  if (why !== null)
    printNotice(
      `! ${t("{why}; without systemd:  nohup {now} > /dev/null 2>&1 &", { why: plainLine(why), now: byHand.now })}`,
    );
  const settings = Object.keys(definition.environment).filter(
    (key) => setsAnything(key) && !/^MIMIKIT_(HOME|WORK_DIR)$/.test(key),
  );
  if (settings.length > 0)
    say(t("settings"), t("of this shell, which win over config.yaml: {settings}", { settings: settings.join(", ") }));
  if (user === "root") printNotice(t("! it runs as root: give it a state directory of another user's where you can"));
  if (leftOut.length > 0)
    printNotice(`! ${t("not in it, because a secret is in them: {leftOut}", { leftOut: leftOut.join(", ") })}`);
}

async function print({ json, system }: UnitOptions, kind: keyof typeof TEXTS): Promise<void> {
  const { home, workDir } = currentPlace();
  const { definition } = describeService({ home, workDir }, process.env);
  const user = existsSync(home) ? await ownerOf(home) : userInfo().username;
  const text = TEXTS[kind]({ definition, home, user, system });
  if (json) printJson({ name: definition.name, text });
  else process.stdout.write(text);
}

async function uninstall({ json, system }: UnitOptions): Promise<void> {
  const { home } = currentPlace();
  const name = serviceName(home);
  const unit = unitOf(name, system, process.env);
  const isThere = existsSync(unit.path);
  const stopped = isThere && (await hasSystemd()) ? await systemctl(unit, "stop", name) : null;
  const wasThere = removeUnit(unit);
  if (stopped?.isDone) await systemctl(unit, "daemon-reload");
  const living = existsSync(home) ? livingRoles(home) : new Map();
  if (json) printJson({ name, removed: wasThere ? unit.path : null, running: [...living.keys()] });
  else {
    printLine(
      wasThere
        ? t("{path} is removed; the state is kept", { path: unit.path })
        : t("there is no unit {path}", { path: unit.path }),
    );
    if (living.size > 0)
      printLine(
        t("it still runs:  mimikit down  ({running})", { running: runningText(living, rolesOf(home, process.env)) }),
      );
  }
}

async function show({ json, system }: UnitOptions): Promise<void> {
  const { home } = currentPlace();
  const name = serviceName(home);
  const unit = unitOf(name, system, process.env);
  const isThere = existsSync(unit.path);
  const asked = isThere && (await hasSystemd()) ? await systemctl(unit, "is-active", name) : null;
  // It says one word for each state, and a sentence where it does not work.
  const active = asked !== null && /^[a-z-]+$/.test(asked.said) ? asked.said : null;
  const exists = existsSync(home);
  const living = exists ? livingRoles(home) : new Map();
  const facts = {
    name,
    unit: isThere ? unit.path : null,
    enabled: isThere && existsSync(unit.link),
    active,
    why: asked !== null && active === null ? asked.said : null,
    program: isThere ? missingProgram(unit.path) : null,
    watched: exists && (await isSingletonClaimed(home, "service")),
    stopped: exists && isStopped(home),
    running: [...living.keys()],
  };
  if (json) return printJson(facts);
  say(t("unit"), facts.unit ?? t("none:  mimikit service install{what}", { what: system ? " --system" : "" }));
  if (facts.unit !== null) {
    say(t("enabled"), facts.enabled ? t("yes") : t("no"));
    say(t("active"), active ?? t("systemd cannot be asked here ({why})", { why: plainLine(facts.why ?? "") }));
    if (facts.program !== null)
      printNotice(
        `! ${t("its program {program} no longer exists: run  mimikit service install  to update the unit", { program: facts.program })}`,
      );
  }
  say(
    t("watched"),
    facts.watched ? t("yes: a process that ends is started again") : t("no: nothing starts PM2 again if it ends"),
  );
  say(t("processes"), living.size === 0 ? t("nothing") : runningText(living, rolesOf(home, process.env)));
  if (facts.stopped) say(t("stopped"), t("by  mimikit down;  mimikit up  starts it"));
}

/** The program of our unit if it no longer exists (Node was updated, or the clone moved), else null. */
function missingProgram(path: string): string | null {
  const [, quoted, plain] = /^ExecStart=(?:":([^"]*)|:(\S+))/m.exec(readFileSync(path, "utf8")) ?? [];
  const program = quoted ?? plain ?? "";
  return /[\\%]/.test(program) || existsSync(program) ? null : program;
}

/** Keys of this shell are kept, because the unit holds none. @returns the variables. */
async function prepareFor(user: string | undefined, home: string, workDir: string): Promise<string[]> {
  // Root's files in the state of another user would stop it.
  if (user === undefined || user === userInfo().username) {
    prepare(home, workDir);
    return keep(home, process.env);
  }
  const keys = KEY_VARIABLES.filter((name) => process.env[name]);
  if (keys.length > 0)
    printNotice(`! ${t("not kept: {keys}. As {user}:  mimikit connect", { keys: keys.join(", "), user })}`);
  return [];
}

/** The user whose state directory it is. */
async function ownerOf(home: string): Promise<string> {
  if (!existsSync(home))
    throw new Failure(
      "failed",
      t("there is no state directory {home} yet: run  mimikit up  once, as its user", { home }),
    );
  const { stdout } = await execa("id", ["-un", String(statSync(home).uid)]);
  return stdout;
}

function say(label: string, text: string): void {
  printHint(`  ${styled("dim", padded(label, LABEL_COLUMNS))}${text}`);
}
