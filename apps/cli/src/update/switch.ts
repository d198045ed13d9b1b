/**
 * Exchanges the version of this installation: made and tried out beside it, then put in its place while nothing runs, and taken
 * back where it does not start. The commands that end and start the processes are programs of their own, so that each is of the
 * version that is in place then.
 */
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { openHome } from "@mimikit/runtime/home/adoption";
import { resolveHome } from "@mimikit/runtime/home/home";
import { ROOT } from "@mimikit/runtime/home/programs";
import { ownIdentity } from "@mimikit/runtime/process/identity";
import { makeBackup } from "../backup/make-backup.ts";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";
import { printProgress } from "../io/print.ts";
import { foreignPm2Homes, livingRoles, otherRolesFrom } from "../processes/instance.ts";
import { beginJournal, endJournal, type UpdateJournal, writeJournal } from "./journal.ts";
import { putStateBack } from "./put-state-back.ts";
import { CLI, runNode } from "./run.ts";

/** The folder of this installation; its path stays the same. */
const HERE = resolve(ROOT);

/** How a new version comes into the place of this one: a clone's by git, a package's by npm. */
export interface Way {
  /** The facts about the version before, for scripts/take-back.mjs. */
  before: Pick<UpdateJournal, "from" | "had">;
  /** @throws Failure where something stands in the way. Nothing is changed. */
  assertMayExchange(home: string): Promise<void>;
  /** Makes the new version in `beside`, which is empty. @returns its folder. */
  make(beside: string): Promise<string>;
  /** Nothing runs while it is called. Killed at any instant, scripts/take-back.mjs does what `putBack` does. */
  putInPlace(beside: string): Promise<void>;
  /** Makes it what it was, however far `putInPlace` came. */
  putBack(beside: string): Promise<void>;
  /** The remaining work when `beside` is removed. */
  tidyUp?(): Promise<void>;
}

export interface Updated {
  /** Whether the processes ran before, and so run now. */
  restarted: boolean;
  /** The new version's reply on a copy of the state; null if there is no state yet. */
  reply: string | null;
}

/** @throws Failure, in words that say what is in place now. */
export async function exchange(way: Way, home: string): Promise<Updated> {
  await assertMayExchange(way, home);
  const beside = join(dirname(HERE), `.${basename(HERE)}.update`);
  const journal: UpdateJournal = { owner: ownIdentity(), phase: "build", beside, ...way.before };
  beginJournal(journal);
  let reply: string | null;
  try {
    reply = await makeAndTry(way, beside, home);
  } catch (error) {
    await tidyUp(way, beside);
    throw new Failure("failed", t("nothing was changed: {reason}", { reason: reasonOf(error) }));
  }
  const restarted = livingRoles(home).size > 0;
  try {
    writeJournal({ ...journal, phase: "switch" });
    if (restarted) {
      printProgress(t("switching versions; running work continues"));
      await runNode([join(HERE, CLI), "down", "--json"]);
    }
    await way.putInPlace(beside);
    if (restarted) await runNode([join(HERE, CLI), "up", "--json"]);
    writeJournal({ ...journal, phase: "done" });
  } catch (error) {
    printProgress(t("reverting to the previous version: {reason}", { reason: reasonOf(error) }));
    await takeBack(way, beside, home, restarted);
    await tidyUp(way, beside);
    throw new Failure(
      "failed",
      t("reverted to the previous version{what}: {reason}", {
        what: restarted ? t(", which is running") : "",
        reason: reasonOf(error),
      }),
    );
  }
  await tidyUp(way, beside);
  return { restarted, reply };
}

/** @throws Failure where what runs, or what is changed here, stands in the way. */
async function assertMayExchange(way: Way, home: string): Promise<void> {
  await way.assertMayExchange(home);
  const [foreign] = await foreignPm2Homes(home);
  if (foreign !== undefined)
    throw new Failure(
      "failed",
      t(
        "another PM2 runs the processes, and would start them in between: run  PM2_HOME='{foreign}' pm2 delete ecosystem.config.cjs  first",
        { foreign },
      ),
    );
  const [other] = await otherRolesFrom(HERE, home);
  if (other !== undefined)
    throw new Failure(
      "failed",
      t("another instance runs from {here}, of {what}: stop it first", { here: HERE, what: other.what }),
    );
}

/** @returns what the new version answered; null where there is no state that it could be tried on. */
async function makeAndTry(way: Way, beside: string, home: string): Promise<string | null> {
  rmSync(beside, { recursive: true, force: true });
  mkdirSync(beside, { mode: 0o700 });
  if (statSync(beside).dev !== statSync(HERE).dev)
    throw new Failure(
      "failed",
      t("{modules} is on another disk than {clone}", { modules: dirname(HERE), clone: HERE }),
    );
  const made = await way.make(beside);
  if (!existsSync(home)) return null;
  printProgress(t("trying it out on a copy of the state"));
  const backup = join(beside, "state.tar.gz");
  openHome(home, process.env);
  // A damaged record keeps nobody from an update.
  await makeBackup(home, backup, false);
  const said = await runNode([join(made, CLI), "update", "--probe", backup, "--json"]);
  return (JSON.parse(said) as { reply: string }).reply;
}

/** Puts back what was there before, and starts it. @throws Failure where not even that is possible. */
async function takeBack(way: Way, beside: string, home: string, wasRunning: boolean): Promise<void> {
  // By the new version, which knows what it has started; what does not end is ended by the old one.
  if (wasRunning) await runNode([join(HERE, CLI), "down", "--json"]).catch((error) => printProgress(reasonOf(error)));
  await way.putBack(beside);
  if (!wasRunning) return;
  await runNode([join(HERE, CLI), "down", "--json"]);
  await putStateBack({ home, workDir: resolveHome(process.env).workDir });
  await runNode([join(HERE, CLI), "up", "--json"]);
}

async function tidyUp(way: Way, beside: string): Promise<void> {
  rmSync(beside, { recursive: true, force: true });
  await way.tidyUp?.();
  endJournal();
}
