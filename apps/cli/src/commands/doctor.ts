/** Looks at everything that an instance needs, says for each what it found, and what to do about it. Changes nothing. */
import { existsSync } from "node:fs";
import { command } from "../arguments/command.ts";
import { type DoctorCheck, type DoctorInput, fail } from "../checks/check.ts";
import { CHECKS } from "../checks/checks.ts";
import { t, told } from "../i18n/language.ts";
import { asCalled } from "../io/as-called.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine, styled } from "../io/print.ts";

const SIGNS = { ok: ["green", "✓"], warn: ["yellow", "!"], fail: ["red", "✗"] } as const;

export const doctor = command({
  usage: "doctor",
  summary: "check the installation and this instance",
  examples: [["mimikit doctor", "exit code 1 when something has to be repaired"]],
  async run({ json }) {
    const place = currentPlace();
    const found: (DoctorCheck & { name: string })[] = [];
    for (const [name, look] of Object.entries(CHECKS)) {
      for (const check of await examine(look, place)) found.push({ name, ...check });
    }
    const failures = found.filter(({ level }) => level === "fail");
    if (json) printJson({ home: place.home, ok: failures.length === 0, checks: found });
    else found.forEach(print);
    if (failures.length > 0)
      throw new Failure("failed", t("{failed} of {all} checks failed", { failed: failures.length, all: found.length }));
  },
});

/** A check that throws is a failed check; the others still run. */
async function examine(look: (typeof CHECKS)[string], place: Omit<DoctorInput, "exists">): Promise<DoctorCheck[]> {
  try {
    return await look({ ...place, exists: existsSync(place.home) });
  } catch (error) {
    return [
      fail(
        t("it cannot be looked at: {reason}", { reason: told(reasonOf(error)) }),
        t("repair what is named above, then look again"),
      ),
    ];
  }
}

function print({ name, level, message, next }: DoctorCheck & { name: string }): void {
  const [colour, sign] = SIGNS[level];
  printLine(`${styled(colour, sign)} ${name.padEnd(10)} ${told(message)}`);
  if (next !== undefined) printLine(`  ${"".padEnd(10)} → ${asCalled(told(next))}`);
}
