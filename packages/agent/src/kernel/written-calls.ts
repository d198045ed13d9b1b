/**
 * Reads tool calls that a model writes into its text in the format it was trained on, because the server does not parse that
 * format. They count only at the end of a message or as all of it. In code, in quotations and in the middle of prose the
 * format is an example, and stays text.
 */
import { JsonObjects, tryJson } from "@mimikit/protocol/base/json";
import { marksOutsideCode } from "../conclusion/outside-code.ts";
import type { Tool } from "../tools/tool.ts";
import { inputOf, type TagCall } from "./action-tags.ts";
import { withoutEndTokens } from "./shown-text.ts";

/** The marks that begin such a call: Hermes, Qwen and GLM; Qwen Coder and Llama 3; Mistral; Llama 3.1 and 4; Kimi; DeepSeek; MiniMax; gpt-oss. */
export const CALL_MARKS = [
  "<tool_call>",
  "<function=",
  "[TOOL_CALLS]",
  "<|python_tag|>",
  "<|python_start|>",
  "<|tool_calls_section_begin|>",
  "<｜tool▁calls▁begin｜>",
  "<minimax:tool_call>",
  "<function_calls>",
  "<invoke name=",
  "<|channel|>commentary to=",
  "commentary to=functions.",
] as const;
const CALL_MARK = new RegExp(CALL_MARKS.map((mark) => mark.replace(/[[\]|]/g, "\\$&")).join("|"), "g");
/** A mark may follow a sentence in its line. */
const SENTENCE_END = /[.!?。！？]/;
/** Marks of one text that are tried. */
const MARKS_MAX = 16;
const PIECE_CHARS = 4_096;

/** The frames around and between calls. */
const FRAME =
  /[\s;,]+|<\/?tool_call>|\[\/?TOOL_CALLS\]|<\|python_(?:tag|start|end)\|>|<\|tool_calls?_(?:section_)?(?:begin|end)\|>|<｜tool▁calls?▁(?:begin|end)｜>|function<｜tool▁sep｜>|<\/?minimax:tool_call>|<\/?function_calls>|<\/function>|<\/invoke>|```|\[|\]|<\/s>|<\|(?:im_end|eot_id|eom_id|call|end|return)\|>|<\|start\|>assistant/y;
/** The heads of calls that do not begin with JSON; the group is the name. */
const HEADS = [
  /<function=([\w.:-]{1,64})>\s*/y,
  /<invoke name="([\w.:-]{1,64})">\s*/y,
  /(?:<\|channel\|>)?commentary to=([\w.-]{1,80})\s*(?:<\|constrain\|>)?(?:json)?\s*(?:<\|message\|>)?\s*/y,
  /([\w.-]{1,64})(?::\d{1,4})?(?:\[CALL_ID\]\w{1,64})?(?:\[ARGS\]|<\|tool_call_argument_begin\|>|<｜tool▁sep｜>)?\s*(?:```json\s*)?(?=\{|<arg_key>|<\/tool_call>)/y,
];
/** The delimiters of one argument; the group is its key. */
const PARAMETERS = [
  { begin: /<parameter=([^>\n]{1,100})>/y, end: "</parameter>" },
  { begin: /<parameter name="([^"\n]{1,100})"[^>\n]{0,100}>/y, end: "</parameter>" },
  { begin: /<arg_key>([^<\n]{1,100})<\/arg_key>\s*<arg_value>/y, end: "</arg_value>" },
] as const;
const NAME_CHARS_MAX = 64;
/** A tool name that every vendor accepts. */
const NAME = /^[\w-]{1,64}$/;
const NAMED = /"name"\s*:\s*"([\w.-]{1,64})"|<function=([\w.-]{1,64})>|<invoke name="([\w.-]{1,64})">/;
/** Namespaces that models put before a name: OpenAI and Kimi; Gemini. */
const PREFIX = /^(?:functions|default_api)[.:]/;
/** The beginning of a call, torn or not. */
const BEGUN = /[{[]|<function=|<invoke name=|<\|channel\|>commentary to=/y;
const ENDS = ["</tool_call>", "</function>", "</invoke>"];

const UNREADABLE = "it cannot be read: call the tool itself, and do not write the call into your text";

/** Splits `text` into its words and the calls written into it. An unreadable call is returned with its problem. */
export function readWrittenCalls(text: string, tools: readonly Tool[]): { text: string; calls: TagCall[] } {
  if (tools.length === 0) return { text, calls: [] };
  const bare = bareCalls(text.trim(), tools);
  if (bare !== null) return { text: "", calls: bare };
  let count = 0;
  for (const { at, last } of marksOutsideCode(text, CALL_MARK)) {
    if (++count > MARKS_MAX) break;
    const before = withoutEndTokens(text.slice(0, at)).trim();
    if (last !== "" && !SENTENCE_END.test(before.at(-1) ?? ".")) continue;
    const zone = text.slice(at);
    const { calls, end } = readCalls(zone, tools);
    const isAtEnd = zone.slice(end).trim() === "";
    // Words after a call that begins the message are made up: the call has no result yet.
    if (calls.length > 0 && (isAtEnd || (before === "" && calls.every(({ name }) => isTool(name, tools)))))
      return { text: before, calls };
    if (calls.length === 0 && matchAt(BEGUN, zone, end) !== null && (before === "" || !hasWordsBehind(zone)))
      return { text: before, calls: [unreadable(zone, tools)] };
  }
  return { text, calls: [] };
}

/** The calls of a message that is nothing but JSON, or null. In a fence they must name offered tools. */
function bareCalls(text: string, tools: readonly Tool[]): TagCall[] | null {
  const isFenced = text.startsWith("```");
  const body = isFenced ? fenced(text) : text;
  if (body === null || !/^[{[]/.test(body)) return null;
  const value = tryJson(body);
  const calls = (Array.isArray(value) ? value : [value]).map((each) => callIn(each, tools, true));
  const whole = calls.flatMap((call) => call ?? []);
  if (whole.length === 0 || whole.length < calls.length) return null;
  return isFenced && !whole.every(({ name }) => isTool(name, tools)) ? null : whole;
}

/** The content of a message that is one fence, or null. */
function fenced(text: string): string | null {
  const begin = text.indexOf("\n");
  if (begin < 0 || !text.endsWith("```") || !/^```(?:json|tool_calls?|tool_code)?\s*$/.test(text.slice(0, begin)))
    return null;
  return text.slice(begin, -"```".length).trim();
}

/** The calls that `text` begins with, and the index after the last one. */
function readCalls(text: string, tools: readonly Tool[]): { calls: TagCall[]; end: number } {
  const calls: TagCall[] = [];
  for (let end = 0; ; ) {
    for (let frame = matchAt(FRAME, text, end); frame !== null; frame = matchAt(FRAME, text, end))
      end += frame[0].length;
    const read = readCall(text, end, tools);
    if (read === null) return { calls, end };
    calls.push(read.call);
    end = read.end;
  }
}

function readCall(text: string, at: number, tools: readonly Tool[]): { call: TagCall; end: number } | null {
  if (text[at] === "{") {
    const object = objectAt(text, at);
    const call = callIn(tryJson(object), tools);
    return call === null ? null : { call, end: at + object.length };
  }
  for (const head of HEADS) {
    const [whole, said = ""] = matchAt(head, text, at) ?? [];
    if (whole === undefined) continue;
    const name = nameOf(said, tools);
    const end = at + whole.length;
    if (text[end] !== "{") return readParameters(text, end, name, tools);
    const object = objectAt(text, end);
    return tryJson(object) === undefined ? null : { call: { name, arguments: object }, end: end + object.length };
  }
  return null;
}

/** null if an argument has no end. */
function readParameters(text: string, at: number, name: string, tools: readonly Tool[]): ReturnType<typeof readCall> {
  const attributes: [string, string][] = [];
  for (let end = at; ; end += matchAt(/\s*/y, text, end)?.[0].length ?? 0) {
    const found = PARAMETERS.flatMap(({ begin, end: close }) => {
      const match = matchAt(begin, text, end);
      return match === null ? [] : [{ key: match[1] ?? "", from: end + match[0].length, close }];
    })[0];
    if (found === undefined) {
      const tool = tools.find((each) => each.name === name);
      const input = inputOf(Object.fromEntries(attributes), tool);
      return { call: { name, arguments: JSON.stringify(input) }, end };
    }
    const { key, from, close } = found;
    const until = text.indexOf(close, from);
    if (until < 0) return null;
    attributes.push([
      key.trim(),
      text
        .slice(from, until)
        .replace(/^\r?\n/, "")
        .replace(/\r?\n$/, ""),
    ]);
    end = until + close.length;
  }
}

/** The JSON object at index `at`, or the rest of the text if the object has no end. */
function objectAt(text: string, at: number): string {
  const objects = new JsonObjects();
  for (let from = at; from < text.length; from += PIECE_CHARS) {
    const [object] = objects.add(text.slice(from, from + PIECE_CHARS));
    if (object !== undefined) return object;
  }
  return text.slice(at);
}

/** The fields of a call in JSON. */
const NAME_FIELDS = ["name", "function", "tool"];
const INPUT_FIELDS = ["arguments", "parameters", "input", "args"];
const OTHER_FIELDS = ["type", "id"];

/** Reads a call from a JSON value, or returns null. @param isAlone no mark says that it is a call, so its fields must. */
function callIn(value: unknown, tools: readonly Tool[], isAlone = false): TagCall | null {
  if (typeof value !== "object" || value === null) return null;
  const inner = "function" in value && typeof value.function === "object" ? value.function : value;
  const fields = Object.entries(inner ?? {});
  const [, name] = fields.find(([key]) => NAME_FIELDS.includes(key)) ?? [];
  const [, said] = fields.find(([key]) => INPUT_FIELDS.includes(key)) ?? [];
  const input = typeof said === "string" ? tryJson(said) : (said ?? (isAlone ? undefined : {}));
  if (typeof name !== "string" || name === "" || typeof input !== "object" || input === null) return null;
  const known = [...NAME_FIELDS, ...INPUT_FIELDS, ...OTHER_FIELDS];
  if (isAlone && !(NAME.test(nameOf(name, tools)) && fields.every(([key]) => known.includes(key)))) return null;
  return { name: nameOf(name, tools), arguments: JSON.stringify(input) };
}

function unreadable(text: string, tools: readonly Tool[]): TagCall {
  const said =
    NAMED.exec(text)
      ?.slice(1)
      .find((name) => name !== undefined) ?? "unnamed";
  return { name: nameOf(said, tools), arguments: text, problem: UNREADABLE };
}

function isTool(name: string, tools: readonly Tool[]): boolean {
  return tools.some((tool) => tool.name === name);
}

/**
 * The tool that a model means by `said`, or that name in the characters that every vendor accepts. gpt-oss adds its tokens
 * (`read<|channel|>commentary`), others a namespace.
 */
export function nameOf(said: string, tools: readonly Tool[]): string {
  if (isTool(said, tools)) return said;
  const [name = ""] = said.trim().split("<|", 1);
  const bare = name.replace(PREFIX, "");
  return isTool(bare, tools) ? bare : name.replace(/[^\w-]/g, "_").slice(0, NAME_CHARS_MAX);
}

function hasWordsBehind(text: string): boolean {
  const end = Math.max(...ENDS.map((each) => text.lastIndexOf(each)));
  return end >= 0 && text.slice(text.indexOf(">", end) + 1).trim() !== "";
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray | null {
  sticky.lastIndex = at;
  return sticky.exec(text);
}
