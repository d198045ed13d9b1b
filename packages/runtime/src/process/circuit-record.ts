/** The providers that the worker pool skips at present, for those who show it. A pool that is gone skips no provider. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BadJson, parseRecord } from "@mimikit/protocol/base/json";
import { Identity } from "@mimikit/protocol/records/claim";
import { hasCode } from "@mimikit/store/disk/error-code";
import { CIRCUITS_PATH, TRY_NOW_PATH } from "@mimikit/store/disk/state";
import { z } from "zod";
import { replaceFile } from "../home/replace-file.ts";
import { isAliveFor, ownIdentity } from "./identity.ts";

const OpenCircuit = z.object({
  provider: z.string(),
  /** Why it could not be reached, in a line for people. */
  reason: z.string(),
  /** When it is tried again, if it is asked. */
  retryAt: z.iso.datetime(),
});
export type OpenCircuit = z.infer<typeof OpenCircuit>;
const CircuitRecord = Identity.extend({ open: z.array(OpenCircuit) });

/** The pool says which providers it leaves alone now. Throws what the disk throws. */
export function writeCircuits(home: string, open: readonly OpenCircuit[]): void {
  replaceFile(join(home, CIRCUITS_PATH), `${JSON.stringify({ ...ownIdentity(), open })}\n`);
}

/** The providers that the living pool leaves alone; none where there is no such pool, or no readable word of it. */
export function readCircuits(home: string): readonly OpenCircuit[] {
  try {
    const record = parseRecord(CircuitRecord, readFileSync(join(home, CIRCUITS_PATH), "utf8"));
    return isAliveFor(home, record) ? record.open : [];
  } catch (error) {
    if (error instanceof BadJson || hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** Has the pool ask all of them again, as saving the settings does. Throws what the disk throws. */
export function wantTry(home: string): void {
  replaceFile(join(home, TRY_NOW_PATH), `${new Date().toISOString()}\n`);
}
