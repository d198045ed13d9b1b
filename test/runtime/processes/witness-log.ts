/**
 * A process that appends to the audit log of the home in argv[2] as the role in argv[3], and witnesses the other roles, without end.
 * How many bytes of which inode survive a power failure it notes in the file argv[4].
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import type { AuditEvent } from "@mimikit/protocol/records/audit";
import type { ChainPosition } from "@mimikit/runtime/audit/audit-chain";
import type { ProcessRole } from "@mimikit/runtime/process/role-record";

/** Pace, in milliseconds: four of them leave room for whoever looks. */
const PAUSE_MS = 3;
const [, , home = "", role = "", noted = ""] = process.argv;
const { appendFileSync, fstatSync, fsyncSync } = fs;
fs.fsyncSync = (file) => {
  const { ino, size } = fstatSync(file);
  fsyncSync(file);
  appendFileSync(noted, `${ino} ${size}\n`);
};
syncBuiltinESMExports();
const { openAuditChain } = await import("@mimikit/runtime/audit/audit-chain");
const { createWitness } = await import("@mimikit/runtime/audit/witness");
const { readToken } = await import("@mimikit/runtime/home/home");

const fail = (error: unknown) => {
  throw error;
};
const actor = role as ProcessRole;
const audit = (...events: AuditEvent[]) =>
  void chain.append(
    ...events.map(
      (event) =>
        ({ seq, previousHash }: ChainPosition) =>
          JSON.stringify({ timestamp: new Date().toISOString(), seq, actor, ...event, previousHash }),
    ),
  );
const chain = openAuditChain({ home, actor, token: readToken(home), note: audit, onProblem: fail });
const look = createWitness(home, actor, { audit, warn: (message) => fail(new Error(message)) });
for (let n = 0; ; n++) {
  audit(...Array.from({ length: 1 + (n % 3) }, () => ({ event: "written", detail: { n } })));
  if (n % 4 === 0) look();
  process.stdout.write(`${n}\n`);
  await wait(PAUSE_MS);
}
