/** Records of channels in `channels/<name>/` (docs/channels.md, docs/decisions/0033-channels-are-clients-of-the-archive.md). */
import { z } from "zod";
import { Via } from "./via.ts";

const PERSON_NAME_CHARS_MAX = 128;
/** As its vendor shows a person: a text of a stranger's, which nothing obeys. */
const PersonName = z.string().max(PERSON_NAME_CHARS_MAX);
const Hash = z.string().regex(/^[0-9a-f]{64}$/);

const PersonId = z.string().regex(/^p-[0-9a-f]{32}$/);
const SendId = z.string().regex(/^s-[0-9a-f]{32}$/);

/** A person that speaks as the owner; the file is the pairing, and without it there is none. */
export const PairedPerson = z.object({
  id: PersonId,
  ...Via.shape,
  name: PersonName,
  at: z.iso.datetime(),
  /** The hash of the code that paired them, which is valid for them alone. */
  code: Hash,
  /** When they were paired once more, as with another bot. */
  againAt: z.iso.datetime().optional(),
});
export type PairedPerson = z.infer<typeof PairedPerson>;

/** An offer to pair one person: the file is named by the hash of the code. */
export const PairingOffer = z.object({ expiresAt: z.iso.datetime() });
export type PairingOffer = z.infer<typeof PairingOffer>;

/** Created before something is sent. Without an end, and the process gone that began it, it is unknown whether it arrived. */
export const BegunSend = z.object({
  id: SendId,
  at: z.iso.datetime(),
  of: z.string(),
  part: z.number().int(),
});
export type BegunSend = z.infer<typeof BegunSend>;

export const EndedSend = z.object({
  id: SendId,
  at: z.iso.datetime(),
  /** `unsure`: all tries were cut off after they were on their way; it may have arrived. */
  outcome: z.enum(["sent", "unsure", "refused"]),
  /** The id of the message or question that it was part of. */
  of: z.string(),
  chat: z.string(),
  /** Our account at the vendor, in which its ids are unique; absent in records of earlier versions. */
  account: z.string().optional(),
  /** The vendor's id of it, so that a reply to it is understood. */
  remote: z.string().optional(),
  detail: z.string().optional(),
});
export type EndedSend = z.infer<typeof EndedSend>;

/**
 * The last words of a vendor's message that was taken: a change of nothing else is none. Noted before its record is made, so that it is
 * known with which others it was one message.
 */
export const HeardMessage = z.object({
  id: z.string().regex(/^h-[0-9a-f]{32}$/),
  /** The vendor's id of the first of those with which it is one message; its own where it is one alone. */
  of: z.string(),
  /** A digest of its words and files. */
  says: z.string(),
  /** The id of the message that has these words, if they became one. */
  record: z.string(),
});
export type HeardMessage = z.infer<typeof HeardMessage>;

/** Those who spoke to it without being paired, the newest last; a view. */
export const Strangers = z.object({
  count: z.number().int().nonnegative(),
  latest: z.array(
    z.object({
      person: z.string(),
      name: PersonName,
      isGroup: z.boolean(),
      count: z.number().int(),
      at: z.iso.datetime(),
    }),
  ),
});
export type Strangers = z.infer<typeof Strangers>;

/** How a channel does, as its process says; a view. */
export const ChannelState = z.object({
  at: z.iso.datetime(),
  /** `refused`: the vendor knows us, and will not talk to us until the owner does something. */
  state: z.enum(["starting", "connected", "unreachable", "refused"]),
  detail: z.string().optional(),
  /** Sends that wait. */
  waiting: z.number().int().nonnegative(),
});
export type ChannelState = z.infer<typeof ChannelState>;

/** How far was received; a view, for channels whose vendor does not remember it. */
export const ChannelCursor = z.object({
  cursor: z.string(),
  /** The account of which it says that; absent in records of earlier versions. */
  account: z.string().optional(),
});

/** The account to which the records of earlier versions belong, which name none; null where there are no such records. */
export const FormerAccount = z.object({ account: z.string().nullable() });
