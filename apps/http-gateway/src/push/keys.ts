/** The keys of Web Push of this instance, made when the first browser subscribes; they never change, because browsers subscribe with them. */
import { createHmac, randomBytes } from "node:crypto";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, makeDurableDir, readRecord } from "@mimikit/store/disk/record";
import { PUSH, PUSH_KEYS_PATH } from "@mimikit/store/disk/state";
import webPush from "web-push";
import { z } from "zod";
import { isSame } from "../auth/same.ts";

const SECRET_BYTES = 32;

const PushKeys = z.object({
  /** Of VAPID (RFC 8292): push services take pushes to our browsers from no other server. */
  publicKey: z.string(),
  privateKey: z.string(),
  /** Proves that an answer comes out of a notification of ours. */
  answerSecret: z.string(),
});
export type PushKeys = z.infer<typeof PushKeys>;

/** The keys, made durable where there are none. @throws BadJson where the file holds something else: it stays. */
export async function openKeys(fs: FileSystem): Promise<PushKeys> {
  const kept = await readRecord(fs, PushKeys, PUSH_KEYS_PATH);
  if (kept !== null) return kept;
  await makeDurableDir(fs, PUSH);
  const made = { ...webPush.generateVAPIDKeys(), answerSecret: randomBytes(SECRET_BYTES).toString("base64url") };
  await createRecord(fs, PushKeys, PUSH_KEYS_PATH, made);
  // Another request may have been first.
  return (await readRecord(fs, PushKeys, PUSH_KEYS_PATH)) ?? made;
}

/** Lets a device answer one question from a notification, and nothing else. @param device the id of its session. */
export function proofOf({ answerSecret }: PushKeys, device: string, questionId: string): string {
  return createHmac("sha256", answerSecret)
    .update(JSON.stringify([device, questionId]))
    .digest("base64url");
}

/** Is this the proof of that device for that question? */
export function isProof(keys: PushKeys, device: string, questionId: string, proof: string): boolean {
  return isSame(proof, proofOf(keys, device, questionId));
}
