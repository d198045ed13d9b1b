/** A line of a log as people read it: when, who, what, and what about it, without anything that a terminal would obey. */
import { clockText, momentText } from "../i18n/moments.ts";
import { plainLine, styled } from "../io/print.ts";

const ACTOR_CHARS = 10;

/** @param withDay whether the day stands beside the time. */
export function logLineText(line: Record<string, unknown>, withDay = false): string {
  const { timestamp, actor, level, event, message, taskId, failureReason, detail, meta } = line;
  const what = String(event ?? message ?? "");
  const rest = [taskId, failureReason, detail ?? meta]
    .filter((part) => part !== undefined)
    .map((part) => (typeof part === "string" ? part : JSON.stringify(part)));
  const colour = level === "error" ? "red" : level === "warn" ? "yellow" : "cyan";
  const moment = typeof timestamp === "string" ? new Date(timestamp) : null;
  const at = moment === null ? "" : withDay ? momentText(moment) : clockText(moment);
  return `${styled("dim", at)} ${String(actor ?? "").padEnd(ACTOR_CHARS)} ${styled(colour, plainLine(what))} ${plainLine(rest.join(" "))}`.trimEnd();
}
