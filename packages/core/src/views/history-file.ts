/** The conversation as a file to take along: as Markdown to read, or as JSON with all that is known of each message. */
import type { HistoryMessage } from "@mimikit/protocol/records/history";
import { newestVersions } from "./history.ts";

export const EXPORT_FORMATS = ["md", "json"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const NAMES: Record<HistoryMessage["role"], string> = { user: "You", assistant: "Mimikit", system: "Notice" };

/** The newest version of each message, oldest first; JSON has the earlier ones, too. */
export function historyFile(messages: readonly HistoryMessage[], format: ExportFormat): string {
  const newest = newestVersions(messages);
  if (format === "json") return `${JSON.stringify({ messages: newest }, null, 2)}\n`;
  return `# Conversation\n${newest.map(sectionOf).join("")}`;
}

function sectionOf({ role, at, text, marker, attachments = [], provider, model }: HistoryMessage): string {
  if (marker === "clear") return `\n---\n\n${text}\n`;
  const by = [provider, model].filter((each) => each !== undefined).join(", ");
  const files = attachments.map(({ id, name = id }) => `- ${name}\n`).join("");
  return `\n## ${NAMES[role]}, ${at}${by === "" ? "" : ` (${by})`}\n\n${text}\n${files === "" ? "" : `\n${files}`}`;
}
