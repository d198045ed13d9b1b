/** Updates the clone or the package that this is: built and tried out beside it, then exchanged, and taken back where it does not start. */
import { resolve } from "node:path";
import { commandName, shellWord } from "@mimikit/runtime/home/command-name";
import { command } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { useOwnProxy } from "../io/own-proxy.ts";
import { currentPlace } from "../io/place.ts";
import { plainLine, printHint, printJson, printLine, styled } from "../io/print.ts";
import { fetchNews, type News } from "../update/clone.ts";
import { wayOfClone } from "../update/exchange-clone.ts";
import { isPackage, lookInto, type PackageNews, wayOfPackage } from "../update/package.ts";
import { probe } from "../update/probe.ts";
import { exchange } from "../update/switch.ts";

export const update = command({
  usage: "update",
  summary: "install the newest version and restart with it",
  examples: [
    ["mimikit update --check", "list what is new, change nothing"],
    ["mimikit update", "build it beside, try it on a copy of the state, exchange it; back where it does not start"],
    ["mimikit update --from mimikit-0.3.0.tgz", "the same with a package, where npm has installed this one"],
  ],
  options: (yargs) =>
    yargs
      .option("check", { type: "boolean", default: false, describe: "only list what is new" })
      .option("from", { type: "string", describe: "of a package: the file, folder or address of the new one" })
      .option("probe", { type: "string", describe: "only try this version out on a copy: a backup" }),
  async run({ json, check, from, probe: backup }) {
    useOwnProxy();
    if (backup !== undefined) {
      const probed = await probe(resolve(backup));
      if (json) printJson(probed);
      else
        printLine(
          `${styled("green", "✓")} ${t("Mimikit {version} starts, and answers: {reply}", { version: probed.version, reply: plainLine(probed.reply) })}`,
        );
      return;
    }
    if (isPackage()) return updatePackage(from, check, json);
    if (from !== undefined)
      throw new Failure("usage", t("this is a clone, which follows its branch: leave --from out"));
    const { home } = currentPlace("any");
    const news = await fetchNews();
    const done = news.count > 0 && !check ? await exchange(wayOfClone(news), home) : null;
    if (json) printJson({ ...news, updated: done !== null, restarted: done?.restarted ?? false });
    else show(news, done !== null);
  },
});

async function updatePackage(from: string | undefined, check: boolean, json: boolean): Promise<void> {
  const { home } = currentPlace("any");
  const news = await lookInto(from);
  const done = check ? null : await exchange(await wayOfPackage(news), home);
  if (json) printJson({ ...news, updated: done !== null, restarted: done?.restarted ?? false });
  else showPackage(news, done !== null);
}

function showPackage({ source, version, newVersion, isNew }: PackageNews, isDone: boolean): void {
  if (isDone) printLine(t("Mimikit {newVersion} is in place of {version}", { newVersion, version }));
  else if (!isNew) printLine(t("Mimikit {version} is here, and {newVersion} is not newer", { version, newVersion }));
  else {
    printLine(t("Mimikit {newVersion} is newer than {version}", { newVersion, version }));
    printLine(
      `  ${t("install it with  {mimikit} update --from {source}", { mimikit: commandName(process.env), source: shellWord(source) })}`,
    );
  }
}

function show({ branch, from, to, version, newVersion, count, subjects }: News, isDone: boolean): void {
  const commit = (id: string) => id.slice(0, 7);
  if (count === 0) {
    printLine(t("Mimikit {version} ({branch}, {commit}) is up to date", { version, branch, commit: commit(from) }));
    return;
  }
  const what = `Mimikit ${newVersion} (${branch}, ${commit(to)})`;
  const said = { what, version, commit: commit(from) };
  const commits = count === 1 ? t("1 commit") : t("{count} commits", { count });
  printLine(
    isDone
      ? t("{what} is in place of {version} ({commit}): {commits}", { ...said, commits })
      : t("{what} is newer than {version} ({commit}): {commits}", { ...said, commits }),
  );
  for (const subject of subjects) printLine(`  ${subject}`);
  if (count > subjects.length) printLine(`  … ${t("and {more} more", { more: count - subjects.length })}`);
  if (!isDone) printHint(`  ${t("install it with  mimikit update")}`);
}
