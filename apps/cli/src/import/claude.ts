/**
 * Claude's data export: conversations.json with `chat_messages`, memories.json with what it remembers (in newer exports in
 * memories/), projects.json with what projects were told. It has no schedules.
 */

import { z } from "zod";
import { t } from "../i18n/language.ts";
import { type Brought, type BroughtMessage, memoriesIn, nothing } from "./brought.ts";
import { type ExportFiles, readJson } from "./export-files.ts";
import { checked, momentMs } from "./lenient.ts";

const CONVERSATIONS = /(?:^|\/)conversations(?:-\d+)?\.json$/;
const MEMORIES = /(?:^|\/)memories(?:-\d+)?\.json$|(?:^|\/)memories\/[^/]+\.json$/;
const PROJECTS = /(?:^|\/)projects(?:-\d+)?\.json$|(?:^|\/)projects\/[^/]+\.json$/;
const MARK = " (from Claude)";

const Block = z.looseObject({ type: z.string(), text: z.string().nullish() });
const Message = z.object({
  uuid: z.string(),
  sender: z.string(),
  text: z.string().nullish(),
  content: z.array(z.unknown()).nullish(),
  created_at: z.string().nullish(),
  attachments: z.array(z.unknown()).nullish(),
  files: z.array(z.unknown()).nullish(),
});
const Talk = z.object({
  uuid: z.string(),
  name: z.string().nullish(),
  created_at: z.string().nullish(),
  chat_messages: z.array(z.unknown()),
});
const Memories = z.object({
  conversations_memory: z.string().nullish(),
  project_memories: z.record(z.string(), z.string()).nullish(),
});

/** @throws Failure where a file of it cannot be read. */
export async function readClaude(files: ExportFiles): Promise<Brought> {
  const brought = nothing();
  let attached = 0;
  for (const name of files.names.filter((each) => CONVERSATIONS.test(each))) {
    for (const talk of checked(z.array(z.unknown()), await readJson(files, name), name)) {
      const read = Talk.safeParse(talk);
      if (!read.success) {
        brought.passedOver.push({
          what: t("a conversation"),
          reason: t("it is not as Claude writes one, in {name}", { name }),
        });
        continue;
      }
      const { uuid, name: title, created_at, chat_messages } = read.data;
      let lastMs = momentMs(created_at) ?? 0;
      const messages = chat_messages.flatMap((each): BroughtMessage[] => {
        const message = Message.safeParse(each).data;
        if (message === undefined || !["human", "assistant"].includes(message.sender)) return [];
        lastMs = momentMs(message.created_at) ?? lastMs;
        attached += (message.attachments ?? []).length + (message.files ?? []).length;
        const text = textOf(message);
        return text === ""
          ? []
          : [{ id: message.uuid, role: message.sender === "human" ? "user" : "assistant", text, atMs: lastMs }];
      });
      brought.conversations.push({ id: uuid, title: title ?? "", messages });
    }
  }
  for (const name of files.names.filter((each) => MEMORIES.test(each))) {
    const said = await readJson(files, name);
    for (const each of Array.isArray(said) ? said : [said]) {
      const { conversations_memory, project_memories } = checked(Memories, each, name);
      const texts = [conversations_memory ?? "", ...Object.values(project_memories ?? {})];
      brought.memories.push(...texts.flatMap((text) => memoriesIn(text, MARK)));
    }
  }
  // A list of memories, as Claude tells it.
  const [only, ...others] = files.names;
  if (only !== undefined && others.length === 0 && /\.(?:md|txt)$/.test(only))
    brought.memories.push(...memoriesIn(await files.read(only), MARK));
  if (attached > 0)
    brought.passedOver.push({
      what: t("attached files ({count})", { count: attached }),
      reason: t("only what was written is brought"),
    });
  const projects = files.names.filter((each) => PROJECTS.test(each)).length;
  if (projects > 0)
    brought.passedOver.push({
      what: t("projects"),
      reason: t("their instructions are for Claude: put what you want of them into rules.md"),
    });
  return brought;
}

/** Its blocks of text; older exports have the text alone. */
function textOf({ text, content }: z.infer<typeof Message>): string {
  const blocks = (content ?? []).flatMap((each) => {
    const block = Block.safeParse(each).data;
    return block?.type === "text" && block.text != null ? [block.text] : [];
  });
  return (blocks.length > 0 ? blocks.join("\n") : (text ?? "")).trim();
}
