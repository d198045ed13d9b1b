/** `npm run versus`: a client that connects after a kill goes on with the conversations of the one before. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Names } from "../../scripts/versus/names.ts";

test("a conversation is begun once, by two messages at the same time too, and the next client knows its name", async () => {
  const home = mkdtempSync(join(tmpdir(), "mimikit-versus-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  let begun = 0;
  const begin = async () => `session ${++begun}`;
  const names = new Names(home);
  expect(await Promise.all([names.of("talk", begin), names.of("talk", begin)])).toEqual(["session 1", "session 1"]);
  const next = new Names(home);
  expect([next.get("talk"), await next.of("talk", begin), next.get("other")]).toEqual([
    "session 1",
    "session 1",
    undefined,
  ]);
});
