import {
  appendFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { boundProcessLogs } from "../../apps/supervisor/src/upkeep/bound-process-logs.ts";
import { temporaryHome } from "./temporary-home.ts";

const LONG = 21 * 1_048_576;

test("a log of PM2 that has grown long begins anew under the hands of its writer, and what was in it is kept once", () => {
  const home = temporaryHome();
  boundProcessLogs(home);
  const dir = join(home, "pm2/logs");
  mkdirSync(dir, { recursive: true });
  const path = join(dir, "mimikit-workers-out.log");
  // As PM2 does: opened once, for appending.
  const writer = openSync(path, "a");
  writeSync(writer, Buffer.alloc(LONG, "a"));
  writeFileSync(join(dir, "mimikit-gateway-out.log"), "short\n");
  writeFileSync(join(dir, "of-somebody-else.log"), Buffer.alloc(LONG));
  boundProcessLogs(home);
  writeSync(writer, "after\n");
  expect(readFileSync(path, "utf8")).toBe("after\n");
  expect(statSync(`${path}.1`).size).toBe(LONG);
  expect(readdirSync(dir).sort()).toEqual([
    "mimikit-gateway-out.log",
    "mimikit-workers-out.log",
    "mimikit-workers-out.log.1",
    "of-somebody-else.log",
  ]);
  expect(statSync(join(dir, "of-somebody-else.log")).size).toBe(LONG);
  appendFileSync(path, Buffer.alloc(LONG, "b"));
  boundProcessLogs(home);
  expect(readFileSync(`${path}.1`).subarray(0, 7).toString()).toBe("after\nb");
});
