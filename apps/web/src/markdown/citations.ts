/** Citations in a text become links: a file of memory, a task, a message of the conversation. */
import type { MarkedExtension } from "marked";
import { addressOf } from "../model/place.ts";

const MEMORY = String.raw`(?:memory/(?:[\p{L}\p{N}_.-]+/)?[\p{L}\p{N}_.-]+|memory|user_profile|agent_persona)\.md`;
const TASK = String.raw`t-\d{6,15}(?:\.\d+)+`;
const MESSAGE = String.raw`(?:t-\d{6,15}\.reply|m-[0-9a-f]{32})`;
/** As it stands, or as code. */
const CITED = new RegExp(`^(\`?)(?:(${MESSAGE})|(${TASK})|(${MEMORY}))\\1(?![\\w/-]|\\.\\w)`, "u");
const START = new RegExp(`(?<![\\w/.\`-])\`?(?:${MESSAGE}|${TASK}|${MEMORY})`, "u");

/** @param asText escapes what is special in HTML. */
export const citations = (asText: (text: string) => string): MarkedExtension => ({
  extensions: [
    {
      name: "citation",
      level: "inline",
      start: (source) => START.exec(source)?.index,
      tokenizer(source) {
        const [raw, code, message, task, memory] = this.lexer.state.inLink ? [] : (CITED.exec(source) ?? []);
        if (raw === undefined) return undefined;
        const text = message ?? task ?? memory ?? "";
        const href = message === undefined ? addressOf(task === undefined ? "memory" : "tasks", text) : saidAt(message);
        return { type: "citation", raw, text, href, isCode: code !== "" };
      },
      renderer: ({ text, href, isCode }) => {
        const html = asText(text);
        return `<a href="${asText(href)}">${isCode === true ? `<code>${html}</code>` : html}</a>`;
      },
    },
  ],
});

/** The address of a message, at which the conversation leads to it. */
const saidAt = (id: string) => `#/said/${id}`;
