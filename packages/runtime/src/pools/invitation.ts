/**
 * A one-time code by which a machine joins. The engine keeps what it stands for, encrypted by the code, for ten minutes, and gives it to the
 * first who asks (docs/pools.md).
 */
import { randomBytes } from "node:crypto";
import { BadJson, tryJson } from "@mimikit/protocol/base/json";
import { JoinBundle } from "@mimikit/protocol/pools/messages";
import { z } from "zod";
import { withEngine } from "./connect.ts";
import { decrypt, encrypt, keyOfSecret, NotDecryptable, nameOfSecret } from "./encrypt.ts";
import { joinKey } from "./names.ts";

/** Seconds in which a code can be redeemed. */
export const INVITATION_SEC = 600;
const SECRET_BYTES = 32;

const Code = z.object({ url: z.url({ protocol: /^rediss?$/ }), secret: z.string().min(32).max(64) });

/** The code is none, or is not good any more; the message says what to do. */
export class BadCode extends Error {}

const placeOf = (name: string) => ({ job: name, pool: "", direction: "join" as const });

/** @returns the code. Throws what the engine says. */
export async function invite(url: string, bundle: JoinBundle): Promise<string> {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const name = nameOfSecret(secret);
  const sealed = encrypt(keyOfSecret(secret), placeOf(name), bundle);
  await withEngine(url, (client) => client.set(joinKey(name), sealed, "EX", INVITATION_SEC));
  return Buffer.from(JSON.stringify({ url, secret })).toString("base64url");
}

/**
 * Redeems a code, once. @param otherUrl the address of the engine as this machine reaches it, where that is not the one in the code.
 * Throws `BadCode`, and what the engine says.
 */
export async function redeem(code: string, otherUrl?: string): Promise<{ bundle: JoinBundle; url: string }> {
  const text = Buffer.from(code.trim(), "base64url").toString("utf8");
  const { data } = Code.safeParse(tryJson(text));
  if (data === undefined) throw new BadCode("this is no code: copy all that  mimikit pool invite  printed");
  const url = otherUrl ?? data.url;
  const name = nameOfSecret(data.secret);
  const sealed = await withEngine(url, (client) => client.getdel(joinKey(name)));
  if (sealed === null)
    throw new BadCode(
      "this code was used before, or is older than ten minutes: ask for another with  mimikit pool invite",
    );
  try {
    return { bundle: decrypt(keyOfSecret(data.secret), placeOf(name), JoinBundle, sealed), url };
  } catch (error) {
    if (error instanceof NotDecryptable || error instanceof BadJson)
      throw new BadCode("the engine holds something else under this code");
    throw error;
  }
}
