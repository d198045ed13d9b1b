/** Every parser of foreign text that can be called by itself, with the number of characters that one text of it is tried with. */
import { stripVTControlCharacters } from "node:util";
import { oneLine } from "@mimikit/agent/prompt/quote";
import { keywordsOf } from "@mimikit/memory/text/keywords";
import { tokenize } from "@mimikit/memory/text/tokenize";
import { toldOf } from "@mimikit/memory/text/told";
import { BEGINNING, excerpt, readUnits, splitUnits } from "@mimikit/memory/text/units";
import { tryJson } from "@mimikit/protocol/base/json";
import { entriesOf } from "@mimikit/protocol/records/memory-entry";
import { codeOf } from "@mimikit/protocol/texts/coded";
import { withoutComments } from "@mimikit/protocol/texts/comments";
import { wellFormedJson } from "@mimikit/protocol/texts/whole-characters";
import { readLine } from "@mimikit/protocol/wire/slash-command";
import { problemOfConfig } from "@mimikit/runtime/config/config-file";
import { mistakesIn } from "@mimikit/runtime/config/find-mistakes";
import { readPattern } from "@mimikit/runtime/workspace/glob";
import { parseBacklog } from "@mimikit/store/documents/backlog";
import { decodeText } from "@mimikit/store/text/decode-text";
import { encodeText } from "@mimikit/store/text/encode-text";
import { split } from "../../apps/channels/src/send/split.ts";
import { formInChinese } from "../../apps/cli/src/i18n/zh/sentences.ts";
import { memoriesIn } from "../../apps/cli/src/import/brought.ts";
import { momentMs } from "../../apps/cli/src/import/lenient.ts";
import { plainText, widthOf } from "../../apps/cli/src/io/print.ts";
import { parseRecipe } from "../../apps/cli/src/recipes/recipe.ts";
import { terminalMarkdown } from "../../apps/cli/src/terminal/terminal-markdown.ts";
import { resolveIn } from "../../packages/agent/src/documents/archive.ts";
import { decodeMarkup, textOfHtml, textOfXml } from "../../packages/agent/src/documents/markup.ts";
import { readActions } from "../../packages/agent/src/kernel/action-tags.ts";
import { splitThoughts } from "../../packages/agent/src/kernel/shown-text.ts";
import { replaceOnce } from "../../packages/agent/src/kernel/tools/replace-once.ts";
import { readWrittenCalls } from "../../packages/agent/src/kernel/written-calls.ts";
import { parseMessage } from "../../packages/agent/src/providers/offline/parse.ts";
import { readChunk } from "../../packages/agent/src/providers/openai/chunk.ts";
import { readEvents } from "../../packages/agent/src/providers/openai/sse.ts";
import { parseSummary } from "../../packages/agent/src/session/summary.ts";
import { readFrontMatter } from "../../packages/agent/src/skills/front-matter.ts";
import { parseSkill } from "../../packages/agent/src/skills/skills.ts";
import { readableOf } from "../../packages/agent/src/web/readable.ts";

interface Parser {
  chars: number;
  parse: (text: string) => unknown;
}

const CLOCK = { nowMs: Date.UTC(2026, 0, 5), timeZone: "UTC" };
const SLIDE = { textIn: new Set(["a:t"]), elements: { "a:p": { close: "\n" }, "a:tab": { open: "\t" } } };
const TOOL = { name: "read" } as never;
/** A message, and most of a document. */
const LONG = 40_000;
/** A file of settings. */
const SETTINGS = 8_000;

const bytesOf = (text: string) => Buffer.from(text);

async function eventsOf(text: string): Promise<number> {
  async function* pieces() {
    const bytes = bytesOf(text);
    for (let at = 0; at < bytes.length; at += 64) yield bytes.subarray(at, at + 64);
  }
  let count = 0;
  for await (const _ of readEvents(pieces())) count++;
  return count;
}

/** The same bytes as several code pages, and a text that is written in one. */
function codePageOf(text: string): void {
  for (const bytes of [Buffer.from(text, "latin1"), Buffer.from(text, "utf16le"), Buffer.from(`é${text}`, "latin1")]) {
    const decoded = decodeText(bytes);
    if (decoded !== null) encodeText(decoded.text, decoded);
  }
}

export const PARSERS: Readonly<Record<string, Parser>> = {
  "units of Markdown": { chars: LONG, parse: (text) => splitUnits(text) },
  "a document of memory": { chars: LONG, parse: (text) => readUnits("docs/a.md", text, BEGINNING) },
  "an excerpt": { chars: LONG, parse: (text) => excerpt(text, ["x", "zebra"]) },
  "the words of a text": { chars: LONG, parse: (text) => tokenize(text) },
  "the keywords of a conversation": { chars: LONG, parse: (text) => keywordsOf([text]) },
  "the entries of memory": { chars: LONG, parse: entriesOf },
  "a told document": { chars: LONG, parse: toldOf },
  comments: { chars: LONG, parse: withoutComments },
  "the backlog": { chars: LONG, parse: parseBacklog },
  "an order without a model": { chars: LONG, parse: (text) => parseMessage(text, CLOCK) },
  "calls in a reply": { chars: LONG, parse: (text) => readActions(text, []) },
  "calls written into a reply": { chars: LONG, parse: (text) => readWrittenCalls(text, [TOOL]) },
  "the thoughts before a reply": { chars: LONG, parse: splitThoughts },
  "a piece of an answer": { chars: LONG, parse: (text) => tryJson(text) !== undefined && readChunk(text) },
  "a summary": { chars: LONG, parse: parseSummary },
  "the description of a tool": { chars: LONG, parse: oneLine },
  "a page": {
    chars: LONG,
    parse: (text) =>
      readableOf({ type: "text/html", charset: undefined, bytes: bytesOf(text), url: "http://a/" } as never),
  },
  "a document of HTML": { chars: LONG, parse: textOfHtml },
  "a document of HTML in its encoding": { chars: LONG, parse: (text) => decodeMarkup(bytesOf(text)) },
  "an address in a document": { chars: LONG, parse: (text) => resolveIn("a/b.opf", text) },
  "a text of a code page": { chars: LONG, parse: codePageOf },
  "the colours of a log": { chars: LONG, parse: stripVTControlCharacters },
  "an edit": { chars: LONG, parse: (text) => replaceOnce(text, text.slice(-9), text) },
  "the arguments of a call": { chars: LONG, parse: wellFormedJson },
  "a part of an office document": { chars: LONG, parse: (text) => textOfXml(text, SLIDE) },
  "events of a stream": { chars: LONG, parse: eventsOf },
  JSON: { chars: LONG, parse: tryJson },
  "front matter": { chars: SETTINGS, parse: readFrontMatter },
  "a skill": { chars: SETTINGS, parse: (text) => parseSkill(`---\n${text}\n---\n${text}`) },
  settings: { chars: SETTINGS, parse: problemOfConfig },
  "mistakes in settings": { chars: SETTINGS, parse: mistakesIn },
  "a recipe": { chars: SETTINGS, parse: parseRecipe },
  "a glob": { chars: 1_024, parse: (text) => readPattern(text).pattern?.isMatch(`${text}x`) },
  "a command of the chat": { chars: LONG, parse: (text) => readLine(`/ask ${text}`) },
  "a sentence of ours": { chars: 1_000, parse: codeOf },
  "a sentence in Chinese": { chars: 1_000, parse: (text) => formInChinese(text, () => undefined) },
  "imported memories": { chars: LONG, parse: (text) => memoriesIn(text, " (from Claude)") },
  "an imported moment": { chars: LONG, parse: momentMs },
  "Markdown at the terminal": { chars: LONG, parse: terminalMarkdown },
  "plain text at the terminal": { chars: LONG, parse: (text) => widthOf(plainText(text)) },
  "a text for a channel": { chars: LONG, parse: (text) => split(text, 4_096) },
};
