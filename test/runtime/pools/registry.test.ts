import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPool, describePools, readPools } from "@mimikit/runtime/pools/registry";
import { PERMITS, poolPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { temporaryState } from "../../store/home.ts";

test("a damaged record of a machine is no machine, and costs the others nothing", async () => {
  const { home, fs } = temporaryState();
  mkdirSync(join(home, PERMITS), { recursive: true });
  for (const name of ["a", "b", "c"]) await createPool(fs, { name, labels: [], slots: 1 }, 0);
  writeFileSync(join(home, poolPath("b")), '{"name":"b"');
  expect((await readPools(fs)).map(({ name }) => name)).toEqual(["a", "c"]);
  expect((await describePools(fs, 1)).map(({ name }) => name)).toEqual(["a", "c"]);
});
