/** Keys, logins and sessions are in no backup without secrets: a restore over the same home keeps those that are there. */
import { copyFileSync, cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { verifyTrail } from "@mimikit/runtime/audit/verify-audit";
import { noteLaterToken } from "@mimikit/runtime/home/audit-key";
import { HomeError, readToken } from "@mimikit/runtime/home/home";
import { SECRET_PATHS } from "./write-backup.ts";

export interface KeptSecrets {
  /** Paths that were taken over from the home. */
  kept: string[];
  /** Paths that the home has and the restored state does not, because the backup was made by another home. */
  left: string[];
}

/**
 * Copies the token of the home, and, where the backup is of that same home, every other secret that the backup does not have. The
 * settings of another home may name addresses that must not get these keys.
 * @param beside the state that was unpacked.
 */
export function keepSecrets(home: string, beside: string): KeptSecrets {
  const missing = SECRET_PATHS.filter((path) => existsSync(join(home, path)) && !existsSync(join(beside, path)));
  if (!missing.includes("token") || !hasToken(home))
    return { kept: [], left: missing.filter((path) => path !== "token") };
  copyFileSync(join(home, "token"), join(beside, "token"));
  const { chains } = verifyTrail(beside);
  const last = chains.filter(({ lines }) => lines > 0);
  const isOther = last.some(({ to, otherToken, unkeyed }) => otherToken?.to === to || unkeyed?.to === to);
  if (chains.some(({ otherToken }) => otherToken !== null)) noteLaterToken(beside, readToken(beside));
  const others = missing.filter((path) => path !== "token");
  if (isOther || last.length === 0) return { kept: ["token"], left: others };
  for (const path of others)
    cpSync(join(home, path), join(beside, path), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return { kept: ["token", ...others], left: [] };
}

function hasToken(home: string): boolean {
  try {
    readToken(home);
    return true;
  } catch (error) {
    if (error instanceof HomeError) return false;
    throw error;
  }
}
