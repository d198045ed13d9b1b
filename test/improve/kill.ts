/**
 * Self-improvement while its processes are killed at random: what runs is killed with -9, again and again, and whatever that cuts off,
 * all that is the user's is what it was, and in the end nothing is left that no review stands for (SPEC J2).
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Improvement } from "@mimikit/protocol/wire/api";
import { readToken } from "@mimikit/runtime/home/home";
import { commandId } from "@mimikit/store/disk/create-command";
import { sign } from "@mimikit/store/disk/sign";
import { below, type Random, randomOf } from "../sim/random.ts";
import { FINDS, IMPROVES, settingsOf } from "../support/improve-script.ts";
import { Instance, type RoleName } from "../support/instance.ts";
import { ModelServer, type Script } from "../support/model-server.ts";
import { fingerprint, leftIn, makeDirty, makeRepository } from "../support/user-tree.ts";

/** A kill comes at some moment of so many milliseconds: an improvement takes about as long. */
const BETWEEN_KILLS_MS = 900;
const VICTIMS: readonly (readonly RoleName[])[] = [["workers"], ["supervisor"], ["workers", "supervisor"]];

/** The mistakes; nothing if all went well. */
export async function killWhileImproving(seed: number, kills: number): Promise<string[]> {
  const random = randomOf(seed);
  const model = await ModelServer.start(scriptOf(random));
  const mimikit = await Instance.start({ env: { ...settingsOf(model), MIMIKIT_RETRY_DELAY_SEC: "0" }, roles: [] });
  try {
    makeRepository(mimikit.workDir);
    makeDirty(mimikit.workDir);
    const before = fingerprint(mimikit.workDir);
    for (const role of ["supervisor", "workers", "gateway"] as const) mimikit.startRole(role);
    await mimikit.ready();
    for (let kill = 0; kill < kills; kill++) {
      order(mimikit);
      await wait(below(random, BETWEEN_KILLS_MS));
      for (const role of VICTIMS[below(random, VICTIMS.length)] ?? []) await mimikit.kill(role);
      // A lock of git's own may be there for a moment.
      await mimikit.until(
        "the user's tree as it was",
        () => isDeepStrictEqual(fingerprint(mimikit.workDir), before) || undefined,
      );
    }
    const ended = await comeToRest(mimikit);
    return problemsIn(mimikit, ended, before);
  } finally {
    await mimikit.dispose();
    await model.close();
  }
}

/** Every third look finds nothing, and every third change does not pass. */
function scriptOf(random: Random): Script {
  return {
    ...IMPROVES,
    worker: (request) => {
      const isLook = !request.prompt.includes("Write project.");
      if (!isLook && request.turn === 0)
        return {
          calls: [{ shell: "printf '# A project\\n' > README.md; sleep 0.2; date > new.txt; git status --short" }],
        };
      if (!isLook) return { say: "Done." };
      return { say: JSON.stringify(below(random, 3) === 0 ? { found: false } : FINDS) };
    },
    reviewer: () => ({ say: JSON.stringify({ pass: below(random, 3) > 0, reasons: ["I looked."] }) }),
  };
}

/** The command to improve something now; refused while an improvement is under way. */
function order({ home }: Instance): void {
  const command = { kind: "improve" as const, id: commandId("improve"), at: new Date().toISOString() };
  const record = { ...command, mac: sign(readToken(home), { ...command, mac: "" }) };
  writeFileSync(join(home, "inbox", `${command.id}.json`), JSON.stringify(record));
}

/** Resolves when no improvement is under way any more and none is asked for, with all of them. */
async function comeToRest(mimikit: Instance): Promise<Improvement[]> {
  const known = async () =>
    (await mimikit.api<{ improvements: Improvement[] }>("/api/improvements?limit=100")).improvements;
  const areOver = (all: readonly Improvement[]) => all.length > 0 && all.every(({ endedAt }) => endedAt !== undefined);
  for (;;) {
    await mimikit.until("the end of the last improvement", async () => areOver(await known()) || undefined);
    await mimikit.until("no worktree", () => readdirSync(join(mimikit.home, "worktrees")).length === 0 || undefined);
    await mimikit.drained();
    // A command that was still in the inbox may have begun another one since.
    const all = await known();
    if (areOver(all)) return all;
  }
}

function problemsIn(
  { workDir }: Instance,
  improvements: readonly Improvement[],
  before: Record<string, string>,
): string[] {
  const { worktrees, branches } = leftIn(workDir);
  const landed = improvements.flatMap(({ state, branch }) => (state === "branch" ? [branch ?? ""] : []));
  return [
    isDeepStrictEqual(fingerprint(workDir), before) ? [] : ["the user's tree has changed"],
    worktrees.length === 0 ? [] : [`worktrees are left: ${worktrees.join(", ")}`],
    isDeepStrictEqual(branches, landed.sort())
      ? []
      : [`branches ${branches.join(", ")}, but ${landed.join(", ")} passed`],
  ].flat();
}
