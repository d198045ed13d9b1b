/** Secrets are compared in a time that does not depend on where they differ, nor on their length. */
import { hash, timingSafeEqual } from "node:crypto";

/** Are two secrets the same text? */
export function isSame(a: string, b: string): boolean {
  const digest = (text: string) => hash("sha256", text, "buffer");
  return timingSafeEqual(digest(a), digest(b));
}
