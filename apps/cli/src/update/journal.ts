/**
 * How far an update of this clone or package is: a file beside package.json, from its beginning to its end. The remains
 * of an update that was cut off are put in order by scripts/take-back.mjs, which needs no packages.
 */
import { linkSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Identity } from "@mimikit/protocol/records/claim";
import { ROOT } from "@mimikit/runtime/home/programs";
import { replaceFile } from "@mimikit/runtime/home/replace-file";
import { hasCode } from "@mimikit/store/disk/error-code";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";

const JOURNAL = join(ROOT, ".mimikit-update.json");

export interface UpdateJournal {
  owner: Identity;
  /** Nothing is changed yet; files and packages are being exchanged, or the new version starts; it has started. */
  phase: "build" | "switch" | "done";
  /** Of a clone: the commit of before. */
  from?: string;
  /** Of a package: its parts of before (scripts/exchange.mjs). */
  had?: string[];
  /** The folder in which the new version is built, on the same disk. */
  beside: string;
}

/** @throws Failure where another update is under way. */
export function beginJournal(journal: UpdateJournal): void {
  forgetTakenBack();
  const own = `${JOURNAL}.${journal.owner.pid}`;
  replaceFile(own, textOf(journal));
  try {
    linkSync(own, JOURNAL);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    throw new Failure("failed", t("another update is under way"));
  } finally {
    rmSync(own);
  }
}

/** Durable when it returns. */
export function writeJournal(journal: UpdateJournal): void {
  replaceFile(JOURNAL, textOf(journal));
}

export function endJournal(): void {
  rmSync(JOURNAL, { force: true });
}

/** Was an update undone, and nothing started since? The running processes may be of the version that is gone. */
export function wasTakenBack(): boolean {
  try {
    return (JSON.parse(readFileSync(JOURNAL, "utf8")) as { phase: string }).phase === "taken back";
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

export function forgetTakenBack(): void {
  if (wasTakenBack()) endJournal();
}

const textOf = (journal: UpdateJournal) => `${JSON.stringify(journal)}\n`;
