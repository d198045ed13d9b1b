/** From an item to what the service worker is handed (apps/web/public/notify-worker.js): bounded, and in the language of the device. */
import { createHash } from "node:crypto";
import { type ButtonRoom, buttonsFor } from "@mimikit/core/tasks/buttons";
import type { PushLanguage } from "@mimikit/protocol/wire/push";
import { PUSH_AGE_MS_MAX, type PushItem } from "./items.ts";
import { PUSH_WORDS, type PushWords } from "./words.ts";

/** Push services take 4,096 bytes (RFC 8030); encrypted, that much of it is left for what is said (RFC 8291). */
export const PAYLOAD_BYTES_MAX = 3_993;
/** In UTF-8. Notifications show less; quotation marks take twice as many in JSON, and all of it together still fits. */
const TITLE_BYTES_MAX = 240;
const BODY_BYTES_MAX = 1_000;
const OPTION_BYTES_MAX = 120;
/** No system shows more than two. */
const BUTTONS: ButtonRoom = { countMax: 2, fits: (label) => cut(label, OPTION_BYTES_MAX) === label.trim() };
/** Characters of a `Topic` (RFC 8030). */
const TOPIC_CHARS = 32;
/** Of a test: who has the page open looks at once. */
const TEST_TTL_SEC = 60;

/** As the service worker reads it. */
export interface PushPayload {
  /** The tag: the same is shown once. */
  id: string;
  title: string;
  body: string;
  /** Where a click leads, relative to the page. */
  page: string;
  /** It is shown also to who is looking at the page. */
  always: boolean;
  /** Questions that can be answered at once. */
  options?: readonly string[];
  proof?: string;
  closed?: string;
  unsent?: string;
}

export interface PushMessage {
  payload: string;
  ttlSec: number;
  urgency: "normal" | "high";
  /** A push service that holds an undelivered message with the same topic replaces it. */
  topic: string;
}

/** @param proof what lets the device answer, if it is a question. */
export function messageOf(
  item: PushItem,
  language: PushLanguage,
  proof: (questionId: string) => string,
  nowMs: number,
): PushMessage {
  const words = PUSH_WORDS[language];
  const payload: PushPayload = {
    id: item.id,
    title: cut(titleOf(item, words), TITLE_BYTES_MAX),
    body: cut(item.text, BODY_BYTES_MAX),
    page: pageOf(item),
    always: item.kind === "notification",
    ...(item.kind === "question" && answersOf(item, words, proof)),
  };
  const untilMs = Math.min(
    Date.parse(item.at) + PUSH_AGE_MS_MAX,
    item.kind === "question" ? Date.parse(item.question.expiresAt) : Number.POSITIVE_INFINITY,
  );
  return {
    payload: JSON.stringify(payload),
    ttlSec: Math.max(0, Math.ceil((untilMs - nowMs) / 1_000)),
    urgency: item.kind === "report" ? "normal" : "high",
    topic: topicOf(item.id),
  };
}

/** The message that tries a device out. */
export function testMessage(language: PushLanguage): PushMessage {
  const { name, test } = PUSH_WORDS[language];
  const payload: PushPayload = { id: "test", title: name, body: test, page: "./", always: true };
  return { payload: JSON.stringify(payload), ttlSec: TEST_TTL_SEC, urgency: "high", topic: topicOf("test") };
}

function titleOf(item: PushItem, words: PushWords): string {
  switch (item.kind) {
    case "notification":
      return item.title ?? words.name;
    case "question":
      return words.asks;
    case "report":
      return reportTitle(item.tasks, words);
  }
}

function reportTitle(tasks: Extract<PushItem, { kind: "report" }>["tasks"], words: PushWords): string {
  const [task, ...others] = tasks;
  if (task === undefined) return words.name;
  if (others.length > 0) return words.ended(tasks.filter(({ state }) => state === "done").length, tasks.length);
  if (task.state === "failed") return words.failed(task.title);
  return task.state === "cancelled" ? words.cancelled(task.title) : words.done(task.title);
}

/** One task is shown where it is; all else is in the conversation. */
function pageOf(item: PushItem): string {
  const [task, ...others] = item.kind === "report" ? item.tasks : [];
  return task === undefined || others.length > 0 ? "./" : `./#/tasks/${encodeURIComponent(task.id)}`;
}

function answersOf(
  { question }: Extract<PushItem, { kind: "question" }>,
  words: PushWords,
  proof: (id: string) => string,
) {
  const options = buttonsFor(question, BUTTONS);
  if (options === null) return {};
  return {
    options,
    proof: proof(question.id),
    closed: words.closed,
    unsent: words.unsent,
  };
}

function topicOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, TOPIC_CHARS);
}

/** Characters as people see them: a flag or a family is one. */
const CHARACTERS = new Intl.Segmenter();
/** Control characters but for the new line, which JSON would write in six. */
const CONTROL = /[[\p{Cc}\p{Cs}]--\n]+/gv;

/** The text, cut behind a whole character so that it has at most `bytesMax` bytes, with a mark where something is missing. */
export function cut(text: string, bytesMax: number): string {
  const plain = text.replace(CONTROL, " ").trim();
  if (Buffer.byteLength(plain) <= bytesMax) return plain;
  let kept = "";
  let bytes = Buffer.byteLength("…");
  for (const { segment } of CHARACTERS.segment(plain)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > bytesMax) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
