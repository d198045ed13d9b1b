/** Secrets are compared in a time that does not depend on where they differ, nor on their length. */
import { createHash, timingSafeEqual } from "node:crypto";

/** Are two secrets the same text? */
export function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
