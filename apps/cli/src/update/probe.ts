/** Tries this version out on a copy of a state: does it start, and answer a message? Nothing else of the copy is carried out. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "@mimikit/runtime/home/version";
import { unpackBackup } from "../backup/read-backup.ts";
import { MANIFEST } from "../backup/write-backup.ts";
import { t } from "../i18n/language.ts";
import { freshKey } from "../instance/hand-over.ts";
import { DRAINED, startTrial } from "../instance/trial.ts";
import { Failure } from "../io/failure.ts";
import { waitUntil } from "../processes/wait-until.ts";
import { carryState } from "./carry-forward.ts";

const ANSWER_MS_MAX = 60_000;
const ANSWER_POLL_MS = 100;
/** Understood without a model, and without an effect. */
const MESSAGE = "hello";

export interface Probed {
  version: string;
  /** Its reply. */
  reply: string;
}

/** @param file a backup. @throws Failure where this version does not come to an answer. */
export async function probe(file: string): Promise<Probed> {
  const trial = await startTrial({ prepare: ({ home }) => fill(home, file) });
  try {
    const id = await trial.client.send(MESSAGE, freshKey());
    const reply = await waitUntil(ANSWER_MS_MAX, ANSWER_POLL_MS, async () => {
      const messages = await trial.client.messages();
      return messages.find(({ answers }) => answers?.includes(id)) ?? null;
    });
    if (reply === null)
      throw new Failure("timedOut", t("no answer within {seconds} s", { seconds: ANSWER_MS_MAX / 1_000 }));
    if (reply.role !== "assistant") throw new Failure("failed", t("it could not answer: {text}", { text: reply.text }));
    return { version: VERSION, reply: reply.text };
  } finally {
    await trial.remove();
  }
}

/** The settings stay behind, and all that is open: it is of the real state, and would be done twice. */
async function fill(home: string, file: string): Promise<void> {
  mkdirSync(home, { mode: 0o700 });
  await unpackBackup(file, home);
  carryState(home);
  for (const path of [MANIFEST, "config.yaml", ...DRAINED]) rmSync(join(home, path), { recursive: true, force: true });
}
