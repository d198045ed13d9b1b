/** Requests and answers about Web Push (docs/notifications.md#web-push). */
import { z } from "zod";
import { Id } from "../base/id.ts";

/** Push services give a few hundred characters. */
export const ENDPOINT_CHARS_MAX = 2_048;

/** The language of texts for a device that are not a person's own words. */
export const PushLanguage = z.enum(["en", "zh"]);
export type PushLanguage = z.infer<typeof PushLanguage>;

/** Where a browser is reached, and the keys that what it is told is encrypted with: as its `PushSubscription` says them. */
export const PushAddress = z.strictObject({
  endpoint: z.url({ protocol: /^https$/ }).max(ENDPOINT_CHARS_MAX),
  keys: z.strictObject({
    /** A point of P-256, uncompressed: 65 bytes. */
    p256dh: z.string().regex(/^[A-Za-z0-9_-]{87}$/),
    /** 16 bytes. */
    auth: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  }),
});
export type PushAddress = z.infer<typeof PushAddress>;

/** `POST /api/push/key`: with what browsers subscribe. */
export const PushKeyAnswer = z.object({ publicKey: z.string() });
export type PushKeyAnswer = z.infer<typeof PushKeyAnswer>;

/** `POST /api/push` */
export const PushBody = z.strictObject({ subscription: PushAddress, language: PushLanguage });
export type PushBody = z.infer<typeof PushBody>;

/** `POST /api/push/answer`: a button of a notification was pressed. */
export const PushAnswerBody = z.strictObject({
  questionId: Id,
  /** The place of the answer among the options of the question: 0, 1, … */
  option: z.int().nonnegative(),
  /** From the notification: it is good for this question and this device. */
  proof: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});
export type PushAnswerBody = z.infer<typeof PushAnswerBody>;
