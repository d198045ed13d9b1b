/** A backup without secrets holds no password of an address, also where its owner has written one into config.yaml by hand. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { writeBackup } from "../../../apps/cli/src/backup/write-backup.ts";
import { temporaryDirectory } from "../../runtime/temporary-home.ts";
import { temporaryState } from "../../store/home.ts";

test.each([true, false])("with secrets: %s", async (withSecrets) => {
  const { home } = temporaryState();
  for (const name of ["config.yaml", "config.noticed.yaml"])
    writeFileSync(join(home, name), 'pools: { url: "redis://:canary@host:6379" } # ours\n');
  writeFileSync(join(home, "config.last-good.json"), '{"pools":{"url":"redis://:canary@host:6379"}}');
  const stage = join(temporaryDirectory(), "stage");
  mkdirSync(stage);
  const file = join(temporaryDirectory(), "b.tar.gz");
  await writeBackup(home, file, stage, withSecrets);
  const text = gunzipSync(readFileSync(file)).toString("latin1");
  expect(text.includes("canary")).toBe(withSecrets);
  expect(text).toContain("@host:6379");
});
