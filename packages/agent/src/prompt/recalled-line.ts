/** An old message, as it stands among the memories of a prompt: `[history 2026-11-22] user: …`. */
import type { HistoryHit } from "@mimikit/protocol/wire/api";
import type { Run } from "../provider.ts";
import { localTime } from "./clock.ts";
import { memoryLine, type Quoted } from "./quote.ts";

const DAY_CHARS = "2026-11-22".length;

export function recalledLine({ role, at, text }: HistoryHit, clock: Pick<Run["context"], "now" | "client">): Quoted {
  return memoryLine(`history ${localTime(at, clock).slice(0, DAY_CHARS)}`, `${role}: ${text}`);
}
