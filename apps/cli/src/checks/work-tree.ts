/** A state directory in a git work tree: what git may do to it there. */
import { commandName } from "@mimikit/runtime/home/command-name";
import { workTreeAround } from "@mimikit/runtime/home/work-dir";
import { t } from "../i18n/language.ts";
import { type DoctorCheck, warn } from "./check.ts";

/** A warning with the way out; null where the state lies in no work tree. @param home must exist. */
export function warnOfGit(home: string): DoctorCheck | null {
  const workTree = workTreeAround(home);
  if (workTree === null) return null;
  return warn(
    t("git clean -fdx  in {workTree} would delete the state", { workTree }),
    t(
      "to move it:  {mimikit} down , then  mv '{home}' <elsewhere> , and set MIMIKIT_HOME to it for every command from then on",
      { mimikit: commandName(process.env), home },
    ),
  );
}
