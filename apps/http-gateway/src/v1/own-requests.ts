/**
 * Requests that clients make on their own, for their lists and input fields: titles, tags, questions to ask next. They are not
 * the user's words, so they neither enter the conversation nor cost a model: code recognises their forms and answers them.
 */
import { titleOf } from "@mimikit/core/base/title";
import { MESSAGE_CHARS_MAX } from "@mimikit/protocol/base/fields";
import { type ChatRequest, textOf } from "./asked.ts";

/** A form of request, by how it begins. */
interface Form {
  /** Of the last thing that the user is said to have said. */
  words?: RegExp;
  /** Of the rules that the client gives to a model. */
  system?: RegExp;
  /** null where it is another request after all. */
  answer(words: string, asked: ChatRequest): string | null;
}

/** Words of a title, and characters where there is no space between words. */
const TITLE_WORDS_MAX = 6;
const TITLE_CHARS_MAX = 40;

/** Longer words are none of these: no message is so long either. */
const WORDS_CHARS_MAX = MESSAGE_CHARS_MAX;

/** Open WebUI's tasks all look alike, and name in their output format the one key that they want. */
const TASK = /^### Task:/;
const HISTORY = "<chat_history>";
const HISTORY_END = "</chat_history>";
const TASK_ANSWERS: Readonly<Record<string, (history: string) => unknown>> = {
  title: (history) => titleIn(history),
  tags: () => ["General"],
  follow_ups: () => [],
  queries: () => [],
  text: () => "",
  prompt: (history) => lastLine(history),
};
const TASK_KEY = new RegExp(`\\{\\s*"(${Object.keys(TASK_ANSWERS).join("|")})":`);

const FORMS: readonly Form[] = [
  // Open WebUI: titles, tags, follow-ups, queries, autocompletion, prompts for images.
  {
    words: TASK,
    answer: (words) => {
      const at = words.indexOf(HISTORY);
      const key = TASK_KEY.exec(words.slice(0, Math.max(0, at)))?.[1];
      // A prompt that its owner has changed may want anything.
      if (key === undefined) return null;
      const history = words.slice(at + HISTORY.length, words.lastIndexOf(HISTORY_END)).trim();
      return JSON.stringify({ [key]: TASK_ANSWERS[key]?.(history) });
    },
  },
  // Open WebUI: an emoji for a message, and the choice of tools.
  { words: /^Your task is to reflect the speaker's likely facial expression/, answer: () => "🙂" },
  { system: /^Available Tools:[\s\S]*"tool_calls"/, answer: () => JSON.stringify({ tool_calls: [] }) },
  // Continue: the name of a session; the first words of the session follow.
  {
    words: /^Given the following\.\.\. please reply with a (short summary|title)/,
    answer: (words) => titleIn(words.slice(words.indexOf("\n\n") + 1)),
  },
  // LibreChat, by a completion and by a schema.
  {
    words: /^Provide a concise, 5-word-or-less title for the conversation/,
    answer: (words) => titleIn(words.slice(words.indexOf("Conversation:\n") + "Conversation:\n".length)),
  },
  // Chatbox.
  {
    words: /^Based on the chat history, give this conversation a (name|title)/,
    answer: (words) => titleIn(/```\n([\s\S]*?)```/.exec(words)?.[1] ?? ""),
  },
  // Zed, at the end of the conversation itself.
  {
    words: /^Generate a concise 3-7 word title for this conversation/,
    answer: (_words, { turns }) => titleIn(textOf(turns.find(({ role }) => role === "user")?.content ?? "")),
  },
  // Copilot Chat of VS Code.
  {
    system: /^You are an expert in crafting pithy titles for chatbot conversations/,
    answer: (words) => titleIn(words.slice(words.indexOf("\n") + 1)),
  },
  // n8n.
  { system: /^Generate a concise, descriptive title for this conversation/, answer: (words) => titleIn(words) },
];

/** The answer to a request that its client makes on its own; null for one that its user makes. */
export function answerOwn(asked: ChatRequest): string | null {
  const last = asked.turns.at(-1);
  if (last?.role !== "user") return null;
  const words = textOf(last.content).trimStart();
  if (words.length > WORDS_CHARS_MAX) return null;
  const form = FORMS.find((each) => isOf(each.words, words) && isOf(each.system, asked.system));
  return form?.answer(words, asked) ?? null;
}

function isOf(pattern: RegExp | undefined, text: string): boolean {
  return pattern?.test(text.trimStart()) ?? true;
}

const SPEAKER = /^\s*(user|human|you)\s*:\s*/i;

/** The first words of a conversation, as its name. */
function titleIn(history: string): string {
  const line = titleOf(history.trim().replace(SPEAKER, ""));
  const words = line.split(/\s+/).slice(0, TITLE_WORDS_MAX).join(" ");
  return [...words]
    .slice(0, TITLE_CHARS_MAX)
    .join("")
    .replace(/(?<![\s.,:;!?。，：；！？…])[\s.,:;!?。，：；！？…]+$/u, "");
}

function lastLine(history: string): string {
  return (history.split("\n").at(-1) ?? "").replace(SPEAKER, "");
}
