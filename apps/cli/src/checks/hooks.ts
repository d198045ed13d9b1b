/** Is each file in `hooks/` a hook that can do what it says? */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { examineHooks } from "@mimikit/runtime/hooks/hook-problems";
import { HOOKS } from "@mimikit/store/disk/state";
import { withDisk } from "../instance/state.ts";
import { type Check, ok, type Patient, warn } from "./check.ts";

/** Nothing is said where there are none. */
export async function checkHooks({ home }: Patient): Promise<Check[]> {
  if (!existsSync(join(home, HOOKS))) return [];
  const { hooks: out, sources, problems } = await withDisk(home, (fs) => examineHooks(fs, home, process.env));
  const hooks = [...out, ...sources];
  return [
    ok(`${hooks.length} can be read${hooks.length === 0 ? "" : `: ${hooks.map(({ name }) => name).join(", ")}`}`),
    ...problems.map(({ place, reason }) => warn(`${place}: ${reason}`, "correct it, then: mimikit hooks")),
  ];
}
