/** Keeps a machine working for its home, from boot on: a unit of systemd, as `mimikit service` makes one for the home (docs/pools.md). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { JOINED_POOL_PATH } from "@mimikit/store/disk/state";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { plainLine, printJson, printLine, printNotice } from "../io/print.ts";
import { describeService, serviceName } from "../service/definition.ts";
import { enableLinger, hasSystemd, removeUnit, systemctl, unitOf, writeUnit } from "../service/systemd.ts";
import { commandLine, crontabLine, systemdUnit } from "../service/texts.ts";

interface Place {
  home: string;
  workDir: string;
}

const MADE_BY = { install: "mimikit pool service", uninstall: "mimikit pool service --remove" };

/** Throws `Failure` where the machine has joined no home, and where the unit may not be written. */
export async function installPoolService(json: boolean, { home, workDir }: Place): Promise<void> {
  if (!existsSync(join(home, JOINED_POOL_PATH)))
    throw new Failure(
      "failed",
      t("this machine has joined no home in {workDir}: mimikit pool join --no-start --work-dir <folder>", {
        workDir: plainLine(workDir),
      }),
    );
  const command = ["pool", "join", "--work-dir", workDir];
  // The state of a pool is found by its folder.
  const env = { ...process.env, MIMIKIT_HOME: undefined };
  const { definition, secrets } = describeService({ home, workDir }, env, { command, madeBy: MADE_BY });
  const { name } = definition;
  const byHand = { now: commandLine(definition), atBoot: crontabLine(definition) };
  if (!(await hasSystemd())) {
    if (json) return printJson({ name, unit: null, leftOut: secrets, byHand });
    printLine(t("there is no systemd here. In the crontab of this user (crontab -e) this line does the same:"));
    return printLine(byHand.atBoot);
  }
  const unit = unitOf(name, false, process.env);
  const isNew = writeUnit(unit, systemdUnit(definition));
  const reloaded = await systemctl(unit, "daemon-reload");
  const started = reloaded.isDone ? await systemctl(unit, isNew ? "restart" : "start", name) : reloaded;
  const noLinger = await enableLinger();
  const why = started.isDone ? null : started.said;
  if (json)
    return printJson({
      name,
      unit: unit.path,
      started: why === null,
      why,
      linger: noLinger === null,
      leftOut: secrets,
      byHand,
    });
  printLine(unit.path);
  if (noLinger !== null)
    printNotice(
      `! ${t("it ends when you log out ({noLinger}): run  sudo loginctl enable-linger", { noLinger: plainLine(noLinger) })}`,
    );
  if (why !== null)
    printNotice(
      `! ${t("{why}; without systemd:  nohup {now} > /dev/null 2>&1 &", { why: plainLine(why), now: byHand.now })}`,
    );
  if (secrets.length > 0)
    printNotice(`! ${t("not in it, because a secret is in them: {secrets}", { secrets: secrets.join(", ") })}`);
}

export async function removePoolService(json: boolean, { home }: Place): Promise<void> {
  const name = serviceName(home);
  const unit = unitOf(name, false, process.env);
  const isThere = existsSync(unit.path);
  const stopped = isThere && (await hasSystemd()) ? await systemctl(unit, "stop", name) : null;
  const wasThere = removeUnit(unit);
  if (stopped?.isDone) await systemctl(unit, "daemon-reload");
  if (json) return printJson({ name, removed: wasThere ? unit.path : null });
  printLine(
    wasThere
      ? t("{path} is removed; the machine stays joined", { path: unit.path })
      : t("there is no unit {path}", { path: unit.path }),
  );
}
