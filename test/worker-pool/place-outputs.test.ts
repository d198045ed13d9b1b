/** Outputs of earlier tasks on a machine: each report names a file that is there, and none of the home (docs/pools.md). */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { artifactOf } from "@mimikit/agent/shell/artifact";
import type { Report } from "@mimikit/protocol/base/report";
import { expect, onTestFinished, test } from "vitest";
import { placeOutputs, removeOutputs } from "../../apps/worker-pool/src/remote/place-outputs.ts";
import { task } from "../core/facts.ts";

const report = (id: string): Report => ({
  id,
  title: id,
  role: "worker",
  status: "done",
  resultType: "text",
  result: { text: "the end", artifact: `/home/elsewhere/${id}/output.txt` },
});

test("two tasks that printed the same have both their whole output, one that sent none names no file, and all goes afterwards", async () => {
  const home = mkdtempSync(join(tmpdir(), "mimikit-outputs-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const came = join(home, "came");
  writeFileSync(came, "all of it");
  const upstream = [report("t-000001.0"), report("t-000001.1"), report("t-000001.2")];
  const outputs = new Map([
    ["t-000001.0", came],
    ["t-000001.1", came],
  ]);
  const placed = await placeOutputs(task("t-000001.3", { upstream }), 1, outputs, home);
  const paths = await Promise.all(placed.upstream.map((each) => artifactOf(each, home)));
  expect(paths.map((path) => path && readFileSync(path, "utf8"))).toEqual(["all of it", "all of it", null]);
  expect(placed.upstream[2]?.result).toEqual({ text: "the end" });
  await removeOutputs("t-000001.3", home);
  expect(readdirSync(join(home, "runs"))).toEqual([]);
});
