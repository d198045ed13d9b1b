/** Which events reach a hook, and under which id. Pure. */
import { createHash } from "node:crypto";
import type { HookEvent } from "@mimikit/protocol/records/hook";
import type { Hook } from "@mimikit/runtime/hooks/read-hooks";

/** An event that is older when it is first seen reaches no hook, and a call is tried no longer. */
export const DELIVERY_AGE_MS_MAX = 3 * 86_400_000;

const DIGITS = 32;

export function wants({ on, role, title, trigger }: Hook, { type, data }: HookEvent): boolean {
  if (!(Array.isArray(on) ? on : [on]).some((each) => each === type)) return false;
  if (role !== undefined && data.role !== role) return false;
  if (trigger !== undefined && data.trigger !== trigger) return false;
  return title === undefined || isLike(data.title, title);
}

/** The filters of a hook as a text: when it becomes another, the hook starts over, so that it does not fire for the past. */
export function wantsText({ on, role, title, trigger }: Hook): string {
  return JSON.stringify([Array.isArray(on) ? [...on].sort() : [on], role, title, trigger]);
}

/** The same event has the same id for the same hook, however often and by which process it is seen (docs/file-protocol.md R2). */
export function deliveryId(hook: string, { type, data }: HookEvent): string {
  return `d-${createHash("sha256").update(`${hook}\n${type}\n${data.id}`).digest("hex").slice(0, DIGITS)}`;
}

/** `*` in the pattern matches any characters; everything else itself. */
function isLike(title: string, pattern: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return title === first;
  if (!title.startsWith(first)) return false;
  let end = first.length;
  for (const part of others) {
    const at = title.indexOf(part, end);
    if (at < 0) return false;
    end = at + part.length;
  }
  return title.length - last.length >= end && title.endsWith(last);
}
