/**
 * ChatGPT's data export: conversations.json, newer ones in parts (conversations-000.json). Each conversation is a tree
 * of messages, of which the way from its root to `current_node` was shown last. The user's own words about themselves
 * are in the messages; saved memories and tasks are in no export, so a list of them may be given as a text.
 */

import { z } from "zod";
import { t } from "../i18n/language.ts";
import { type Brought, type BroughtMessage, type ImportedConversation, memoriesIn, nothing } from "./brought.ts";
import { type ExportFiles, readJson } from "./export-files.ts";
import { checked, momentMs } from "./lenient.ts";

const CONVERSATIONS = /(?:^|\/)conversations(?:-\d+)?\.json$/;
const MARK = " (from ChatGPT)";
/** Messages that stand on one way through a tree; more is a circle. */
const WAY_MAX = 100_000;

const Message = z.object({
  id: z.string().nullish(),
  author: z.object({ role: z.string() }),
  create_time: z.number().nullish(),
  content: z.looseObject({ content_type: z.string(), parts: z.array(z.unknown()).nullish() }),
  recipient: z.string().nullish(),
  metadata: z
    .looseObject({
      is_visually_hidden_from_conversation: z.boolean().nullish(),
      user_context_message_data: z.looseObject({ about_user_message: z.string().nullish() }).nullish(),
    })
    .nullish(),
});
const Node = z.object({ message: z.unknown(), parent: z.string().nullish() });
const Talk = z.object({
  id: z.string().nullish(),
  conversation_id: z.string().nullish(),
  title: z.string().nullish(),
  create_time: z.number().nullish(),
  current_node: z.string().nullish(),
  mapping: z.record(z.string(), Node),
});

/** @throws Failure where a file of it cannot be read. */
export async function readChatGpt(files: ExportFiles): Promise<Brought> {
  const brought = nothing();
  let about = { atMs: -1, text: "" };
  for (const name of files.names.filter((each) => CONVERSATIONS.test(each))) {
    for (const talk of checked(z.array(z.unknown()), await readJson(files, name), name)) {
      const read = Talk.safeParse(talk);
      if (!read.success) {
        brought.passedOver.push({
          what: t("a conversation"),
          reason: t("it is not as ChatGPT writes one, in {name}", { name }),
        });
        continue;
      }
      const way = wayOf(read.data);
      brought.conversations.push(conversationOf(read.data, way));
      const told = aboutUser(way);
      const atMs = momentMs(read.data.create_time) ?? 0;
      if (told !== null && atMs > about.atMs) about = { atMs, text: told };
    }
  }
  brought.memories.push(...memoriesIn(about.text, MARK));
  // A list of memories, as ChatGPT shows or tells it.
  const [only, ...others] = files.names;
  if (only !== undefined && others.length === 0 && /\.(?:md|txt)$/.test(only))
    brought.memories.push(...memoriesIn(await files.read(only), MARK));
  const pictures = files.names.filter((each) => /\.(?:png|jpe?g|webp|gif|dat|wav|pdf)$/i.test(each)).length;
  if (pictures > 0)
    brought.passedOver.push({
      what: t("pictures and other files ({count})", { count: pictures }),
      reason: t("only texts are brought"),
    });
  return brought;
}

type Talk = z.infer<typeof Talk>;
type Message = z.infer<typeof Message>;

/** The messages from the root to the current node, oldest first. */
function wayOf({ mapping, current_node }: Talk): { id: string; message: Message }[] {
  const way: { id: string; message: Message }[] = [];
  let id: string | null | undefined = current_node ?? lastLeaf(mapping);
  for (let steps = 0; id != null && steps < WAY_MAX; steps++) {
    const node: z.infer<typeof Node> | undefined = Object.hasOwn(mapping, id) ? mapping[id] : undefined;
    const read = Message.safeParse(node?.message);
    if (read.success) way.push({ id, message: read.data });
    id = node?.parent;
  }
  return way.reverse();
}

/** If no current node is named: the last one that is no parent. */
function lastLeaf(mapping: Talk["mapping"]): string | undefined {
  const parents = new Set(Object.values(mapping).map(({ parent }) => parent));
  return Object.keys(mapping).findLast((id) => !parents.has(id));
}

function conversationOf(talk: Talk, way: ReturnType<typeof wayOf>): ImportedConversation {
  let lastMs = momentMs(talk.create_time) ?? 0;
  const messages = way.flatMap(({ id, message }): BroughtMessage[] => {
    const { author, content, recipient, metadata } = message;
    lastMs = momentMs(message.create_time) ?? lastMs;
    const isSaid = author.role === "user" || (author.role === "assistant" && (recipient ?? "all") === "all");
    if (!isSaid || metadata?.is_visually_hidden_from_conversation === true) return [];
    const text = textOf(content);
    return text === "" ? [] : [{ id, role: author.role === "user" ? "user" : "assistant", text, atMs: lastMs }];
  });
  return { id: talk.conversation_id ?? talk.id ?? way[0]?.id ?? "", title: talk.title ?? "", messages };
}

/** The written words; of a recording, the words that were said in it. */
function textOf({ content_type, parts }: Message["content"]): string {
  if (content_type !== "text" && content_type !== "multimodal_text") return "";
  const Spoken = z.object({ content_type: z.literal("audio_transcription"), text: z.string() });
  return (parts ?? [])
    .flatMap((part) => (typeof part === "string" ? [part] : (Spoken.safeParse(part).data?.text ?? [])))
    .join("\n")
    .trim();
}

function aboutUser(way: ReturnType<typeof wayOf>): string | null {
  const profile = z.string();
  for (const { message } of way.toReversed()) {
    const { metadata, content } = message;
    const told =
      metadata?.user_context_message_data?.about_user_message ?? profile.safeParse(content.user_profile).data;
    if (told !== undefined && told !== null && told.trim() !== "") return told;
  }
  return null;
}
