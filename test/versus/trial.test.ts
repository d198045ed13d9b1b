/** A trial of an assistant that does not work is no result: it would seem to lose everything. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Assistant } from "../../scripts/versus/assistants/assistant.ts";
import { runTrial } from "../../scripts/versus/trial.ts";

const hasSandbox = spawnSync("bwrap", ["--dev-bind", "/", "/", "--", "true"]).status === 0;

/** Takes no message. */
const MUTE: Assistant = {
  id: "mute",
  name: "Mute",
  package: null,
  configure: ({ home }) => writeFileSync(join(home, "configured"), ""),
  command: () => ({ argv: ["sleep", "infinity"], env: {} }),
  connect: async () => ({
    send: () => Promise.reject(new Error("no")),
    replies: async () => [],
    close: () => undefined,
  }),
};

test.runIf(hasSandbox)("an assistant that answers nothing before it is killed has no trial", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mimikit-versus-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const trial = runTrial(MUTE, { kills: 1, seed: 1, folder, installed: null, say: () => undefined });
  await expect(trial).rejects.toThrow("Mute answers nothing");
});
