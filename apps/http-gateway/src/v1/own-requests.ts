/**
 * Requests that clients make on their own, for their lists and input fields: titles, tags, questions to ask next. They are not
 * the user's words, so they neither enter the conversation nor cost a model: code recognises their forms and answers them.
 */
import { titleOf } from "@mimikit/core/base/title";
import { type Asked, textOf } from "./asked.ts";

/** A form of request, by how it begins. */
interface Form {
  /** Of the last thing that the user is said to have said. */
  words?: RegExp;
  /** Of what the client tells a model about itself. */
  system?: RegExp;
  answer(words: string, asked: Asked): string;
}

/** Words of a title, and characters where there is no space between words. */
const TITLE_WORDS_MAX = 6;
const TITLE_CHARS_MAX = 40;

/** Open WebUI's tasks all look alike, and name in their output format the one key that they want. */
const TASK = /^\s*### Task:[\s\S]*<chat_history>([\s\S]*)<\/chat_history>/;
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
      const [, history = ""] = TASK.exec(words) ?? [];
      const key = TASK_KEY.exec(words)?.[1] ?? "title";
      return JSON.stringify({ [key]: TASK_ANSWERS[key]?.(history.trim()) });
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
export function answerOwn(asked: Asked): string | null {
  const last = asked.turns.at(-1);
  if (last?.role !== "user") return null;
  const words = textOf(last.content);
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
    .replace(/[\s.,:;!?。，：；！？…]+$/u, "");
}

function lastLine(history: string): string {
  return (history.split("\n").at(-1) ?? "").replace(SPEAKER, "");
}
