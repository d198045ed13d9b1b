/**
 * A process that claims a role of the home in argv[2] with files, without a pause, until it has it. It says `won`, or `two` when
 * whoever had it before still lives, and kills itself with the claim a moment later.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { portable } from "@mimikit/runtime/platform/portable";
import { identityOf } from "@mimikit/runtime/process/identity";

const HELD_MS_MAX = 20;
const [, , locks = "", winner = ""] = process.argv;

process.stdout.write("begins\n");
while (!(await portable.claim({ locks, secret: "", role: "supervisor" }))) await wait(1);
const before = Number(readFileSync(join(winner), "utf8"));
const isAlone = before === 0 || identityOf(before) === null;
writeFileSync(winner, String(process.pid));
process.stdout.write(isAlone ? "won\n" : "two\n");
await wait(Math.random() * HELD_MS_MAX);
process.kill(process.pid, "SIGKILL");
