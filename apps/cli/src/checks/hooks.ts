/** Is each file in `hooks/` a hook that can do what it says? */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { examineHooks } from "@mimikit/runtime/hooks/hook-problems";
import { HOOKS } from "@mimikit/store/disk/state";
import { t, told } from "../i18n/language.ts";
import { withDisk } from "../instance/state.ts";
import { type DoctorCheck, type DoctorInput, ok, warn } from "./check.ts";

/** Nothing is said where there are none. */
export async function checkHooks({ home }: DoctorInput): Promise<DoctorCheck[]> {
  if (!existsSync(join(home, HOOKS))) return [];
  const { hooks: out, sources, problems } = await withDisk(home, (fs) => examineHooks(fs, home, process.env));
  const hooks = [...out, ...sources];
  return [
    ok(
      hooks.length === 0
        ? t("0 can be read")
        : t("{count} can be read: {names}", { count: hooks.length, names: hooks.map(({ name }) => name).join(", ") }),
    ),
    ...problems.map(({ place, reason }) => warn(`${place}: ${told(reason)}`, t("correct it, then: mimikit hooks"))),
  ];
}
