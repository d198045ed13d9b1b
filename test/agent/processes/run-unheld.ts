/** Runs the command in argv[2] without a sandbox, and says what it printed and whether it has left something. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finishCommand } from "@mimikit/agent/shell/command";
import { takeLeft } from "@mimikit/agent/shell/lifeline";
import { Output } from "@mimikit/agent/shell/output";
import { MARK_VARIABLE } from "@mimikit/runtime/process/marked-processes";

const [, , command = ""] = process.argv;
const home = mkdtempSync(join(tmpdir(), "mimikit-test-"));
const mark = `unheld-${process.pid}:t-1.a1`;
const output = await Output.create(join(home, "output.txt"), 1_000);
const bounds = { home, workDir: "/tmp", allow: [], mode: "off" } as const;
await finishCommand(command, { bounds, environment: { [MARK_VARIABLE]: mark }, output }, new AbortController().signal);
await output.close();
process.stdout.write(JSON.stringify({ text: output.tail(), hasLeft: takeLeft(mark) }));
rmSync(home, { recursive: true });
