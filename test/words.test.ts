/** How the docs, prompts and printed texts are worded: sentences begin with their subject, and terms are those of the field (docs/glossary.md). */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TEXTS as CODED } from "@mimikit/protocol/texts/table";
import { expect, test } from "vitest";
import { TEXTS as PRINTED } from "../apps/cli/src/i18n/zh/chinese.ts";
import { SENTENCES } from "../apps/cli/src/i18n/zh/sentences.ts";
import { textsIn } from "./i18n/said-texts.ts";

const ROOT = join(import.meta.dirname, "..");

/** Sentences with a relative clause or "nobody" for a subject: where a text, a cell, an item or a sentence begins. Questions are let pass. */
const BACKWARD =
  /(?<=^|[.:;!?|]\**\s+|^\s*(?:[-*]|\d+\.)\s+|\*\*)(?:What|Whatever|Who|Whoever|Nobody|Somebody)\b[^.?!|]*[.?!|]?/gm;

/** Words of our own, each with the term of the field. The words in code stand in code style, which is not looked at. */
const OWN_WORDS: Readonly<Record<string, RegExp>> = {
  command: /\bwish(?:es)?\b/gi,
  "archive index": /\bledgers?\b/gi,
  "state cache": /\bmirror(?:s|ed)?\b/gi,
  trigger: /\bstanding triggers?\b/gi,
  "dependent task": /\blinks? of (?:a|the) chain\b|\bchain's links?\b/gi,
  "apply, commit": /\bsettle(?:s|ment)?\b/gi,
  compact: /\bfolds?\b|\bfolded\b/gi,
  "sign, signature": /\bseals?\b|\bsealed\b/gi,
  fallback: /\bstand-ins?\b/gi,
  "tool-call format": /\bdialects?\b/gi,
  "undo, revert": /\b(?:takes?|took|taken) back\b/gi,
  fix: /\bmend(?:s|ed|ing)?\b/gi,
};

/** Terms that neither a comment nor a name of the code has another word for any more. */
const TERMS_OF_THE_CODE: Readonly<Record<string, RegExp>> = {
  command: /\bwish(?:es)?\b/gi,
  "archive index": /\bledgers?\b/gi,
  "state cache": /\bmirror(?:s|ed)?\b/gi,
  trigger: /\bstanding triggers?\b/gi,
  "dependent task": /\blinks? of (?:a|the) chain\b|\blinks of chains\b|\bchain's links?\b/gi,
  "sign, encrypt": /\b(?:un)?seal(?:s|ed)?\b/gi,
  maintenance: /\bhousekeeping\b/gi,
  "tool-call format": /\bdialects?\b/gi,
};
/** Words in names. On disk and on the wire, and so as a key of a record, a command still is a `wish` (docs/compatibility.md). */
const OLD_NAMES =
  /\b\w*(?:[Ww]ish(?:es)?(?![a-z])|[Ll]edger|[Mm]irror|[Dd]ialect|(?<![A-Za-z])[Hh]ands(?=[A-Z]|\b(?! in\b))|isSealed)\w*/g;
const KEYS_OF_RECORDS = ["wish", "wishes", "wishId"];

/** A longer sentence is read twice. */
const SENTENCE_WORDS_MAX = 40;

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const filesLike = (pattern: RegExp) =>
  execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((name) => pattern.test(name) && existsSync(join(ROOT, name)));

/** The prose of a page: without code, headings, the addresses of links, and what is generated from texts of the code. */
function proseOf(page: string): string {
  if (/^This page is generated/m.test(page)) return "";
  return page
    .replaceAll(/^---\n[\s\S]*?^---$/gm, "")
    .replaceAll(/<!-- (\w+): npm run docs -->[\s\S]*?<!-- end of \1 -->/g, "")
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, "")
    .replaceAll(/``[^\n]*?``|`[^`\n]*`/g, "CODE")
    .replaceAll(/\[[\w.-]+\.ts\]\([^)]*\)/g, "FILE")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/\*[^*\n]+\*(?!\*)/g, "*quoted*")
    .replaceAll(/^#.*$/gm, "");
}

const backwardIn = (prose: string, pattern = BACKWARD) =>
  [...prose.matchAll(pattern)].map(([sentence]) => sentence).filter((sentence) => !sentence.endsWith("?"));

const ownWordsIn = (prose: string) =>
  Object.entries(OWN_WORDS).flatMap(([term, words]) =>
    [...prose.matchAll(words)].map(([word]) => `${word} (say: ${term})`),
  );

/** The sentences between tables, headings and code; an item of a list begins one. */
const sentencesIn = (prose: string) =>
  prose
    .replaceAll(/^\|.*$/gm, "")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .flatMap((text) => text.replaceAll(/\s+/g, " ").split(/(?<=[.!?]) (?=[A-Z*[(])/))
    .map((sentence) => sentence.trim());

const isLong = (sentence: string) => sentence.split(" ").length > SENTENCE_WORDS_MAX;

const commentsOf = (code: string) =>
  [...code.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/ (.*)$/gm)].map(([, block, line]) =>
    (block ?? line ?? "").replaceAll(/^\s*\* ?/gm, "").trim(),
  );

const PAGES = filesLike(
  /^(?:README|CONTRIBUTING|SECURITY|AGENTS)\.md$|^docs\/(?!attacks)[^/]+\.md$|^docs\/(?:page|decisions)\/|^prompts\/README\.md$/,
);
const PROMPTS = filesLike(/^prompts\/.*\.(?:md|yaml)$/);

test("no sentence of the docs begins with What, Whoever, Nobody or the like, but questions", () => {
  expect(PAGES.length).toBeGreaterThan(90);
  expect(PAGES.flatMap((page) => backwardIn(proseOf(read(page))).map((found) => `${page}: ${found}`))).toEqual([]);
});

test("the docs use the terms of the field", () => {
  expect(PAGES.flatMap((page) => ownWordsIn(proseOf(read(page))).map((found) => `${page}: ${found}`))).toEqual([]);
});

test("no sentence of the guides is so long that it is read twice", () => {
  const guides = PAGES.filter((page) => !/decisions|requirements|pools|scale|reliability|versus/.test(page));
  expect(guides.length).toBeGreaterThan(40);
  const long = guides.flatMap((page) =>
    sentencesIn(proseOf(read(page)))
      .filter(isLong)
      .map((found) => `${page}: ${found}`),
  );
  expect(long).toEqual([]);
});

/** Of a recipe each line is a text, without its indentation, its quotes and the mark of a comment. */
const textsOf = (page: string) =>
  page.endsWith(".yaml")
    ? read(page)
        .replaceAll(/"|^[ #]+/gm, "")
        .split("\n")
    : [proseOf(read(page))];

test("prompts have neither", () => {
  expect(PROMPTS.length).toBeGreaterThan(15);
  expect(PROMPTS.flatMap(textsOf).flatMap((text) => [...backwardIn(text), ...ownWordsIn(text)])).toEqual([]);
});

/** A printed text may begin small, and its options and values are no words. */
const printed = (text: string) => text.replaceAll(/--[\w-]+|\{\w*\}|`[^`\n]*`/g, "CODE");
const BACKWARD_PRINTED = new RegExp(BACKWARD.source, "gim");
/** Titles of columns ("what happened"), and "what to do" are good English. */
const PLAIN = /^\S+(?: \S+)?$|^what to\b/i;
const backwardIfPrinted = (text: string) =>
  backwardIn(printed(text), BACKWARD_PRINTED).filter((sentence) => !PLAIN.test(sentence));
const oddIn = (text: string) => [...backwardIfPrinted(text), ...ownWordsIn(printed(text))];

const PRINTED_TEXTS: readonly [string, readonly string[]][] = [
  ["the command line", [...Object.keys(PRINTED), ...Object.keys(SENTENCES)]],
  ["errors and problems", Object.values(CODED)],
  [
    "the page",
    filesLike(/^apps\/web\/src\/i18n\/en\/.*\.ts$/).flatMap((file) => textsIn(read(file)).map(({ text }) => text)),
  ],
];

test.each(PRINTED_TEXTS)("texts of %s have neither", (_, texts) => {
  expect(texts.length).toBeGreaterThan(300);
  expect(texts.flatMap(oddIn)).toEqual([]);
});

test("the notes of the newest release have neither", () => {
  const [notes = ""] = /^## \[\d[\s\S]*?(?=^## )/m.exec(read("CHANGELOG.md")) ?? [];
  expect(notes.length).toBeGreaterThan(1_000);
  expect([...backwardIn(proseOf(notes)), ...ownWordsIn(proseOf(notes))]).toEqual([]);
});

test.each([
  "what you type is kept",
  "{path} is removed; what was joined is kept",
  "Whoever has it can sign in",
  "it was taken back",
])("an odd printed text is found: %s", (text) => {
  expect(oddIn(text)).toHaveLength(1);
});

test.each(["What now?", "who may use it?", "what for", "what to do after a crash", "--settle takes a duration"])(
  "a plain printed text is let pass: %s",
  (text) => {
    expect(oddIn(text)).toEqual([]);
  },
);

/** The table of docs/glossary.md: a Chinese word, and those that say the same. */
const CHINESE_TERMS = [
  ...read("docs/glossary.md").matchAll(/^\| [^|]+ \| (\p{Script=Han}[^|]*|MCP [^|]*) \| ([^|]*) \|$/gmu),
].map(([, term = "", others = ""]) => ({ term, others: others.split("、") }));

const otherTermsIn = (text: string) =>
  CHINESE_TERMS.flatMap(({ term, others }) => {
    const rest = text.replaceAll(term, "");
    return others.filter((other) => rest.includes(other)).map((other) => `${other} (say: ${term})`);
  });

test("texts and docs in Chinese have one word for one thing", () => {
  expect(CHINESE_TERMS.length).toBeGreaterThan(6);
  const files = filesLike(/^(?:apps|packages)\/.*\.tsx?$|^docs\/zh\/|^README\.zh-CN\.md$|^prompts\//);
  expect(files.filter((file) => /\p{Script=Han}/u.test(read(file))).length).toBeGreaterThan(60);
  expect(files.flatMap((file) => otherTermsIn(read(file)).map((found) => `${file}: ${found}`))).toEqual([]);
});

test.each(["没有这个提供者", "没有 MCP 服务", "添加模板的触发器", "MCP 服务器和其他 MCP 服务"])(
  "another Chinese word is found: %s",
  (text) => {
    expect(otherTermsIn(text)).toHaveLength(1);
  },
);

test("no sentence of a comment begins with one of these words, but questions", () => {
  const comments = filesLike(/^(?:apps|packages|scripts|test)\/.*\.tsx?$/).flatMap((file) =>
    commentsOf(read(file)).map((comment) => ({ file, comment })),
  );
  expect(comments.length).toBeGreaterThan(10_000);
  expect(comments.flatMap(({ file, comment }) => backwardIn(comment).map((found) => `${file}: ${found}`))).toEqual([]);
});

/** The code without its comments and texts. A bracket of a template is taken for code. */
const namesIn = (code: string) =>
  [
    ...code
      .replaceAll(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm, "")
      .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""')
      .matchAll(OLD_NAMES),
  ]
    .map(([name]) => name)
    .filter((name) => !KEYS_OF_RECORDS.includes(name));

/** This file names the words themselves. */
const SOURCES = filesLike(/^(?:apps|packages|scripts|test)\/(?!words\.test).*\.tsx?$/);

test("comments use the terms of the field", () => {
  const found = SOURCES.flatMap((file) =>
    commentsOf(read(file)).flatMap((comment) =>
      Object.entries(TERMS_OF_THE_CODE).flatMap(([term, words]) =>
        [...comment.replaceAll(/`[^`\n]*`/g, "CODE").matchAll(words)].map(
          ([word]) => `${file}: ${word} (say: ${term})`,
        ),
      ),
    ),
  );
  expect(found).toEqual([]);
});

test("names in the code use the terms of the field", () => {
  expect(SOURCES.length).toBeGreaterThan(1_500);
  expect(SOURCES.flatMap((file) => namesIn(read(file)).map((name) => `${file}: ${name}`))).toEqual([]);
});

test.each(["const wishes_ = 1;", "createWish(said)", "this.ledger.add()", "type A = Mirror;", "hands.audit()"])(
  "a name of before is found: %s",
  (code) => {
    expect(namesIn(code)).toHaveLength(1);
  },
);

test.each(["record.wish", "// a wish", 'say("a wish")', "handshake(task)"])("no name of before: %s", (code) => {
  expect(namesIn(code)).toEqual([]);
});

test.each([
  "What you save is kept.",
  "It is kept. Whoever asks gets it.",
  "| Nobody knows. |",
  "- Somebody has it.",
  "a: **What** it is",
  "What is due? Nobody knows.",
])("a sentence that begins backward is found: %s", (text) => {
  expect(backwardIn(text)).toHaveLength(1);
});

test("each of several backward sentences in a row is found", () => {
  expect(backwardIn("Whoever asks gets it. Nobody else does. What is left is kept.")).toEqual([
    "Whoever asks gets it.",
    "Nobody else does.",
    "What is left is kept.",
  ]);
});

test.each([
  "What is due today?",
  "It says what you save.",
  "Your save is kept.",
  "`What` is code.",
  "## What was missed",
])("a sentence that does not is let pass: %s", (text) => {
  expect(backwardIn(proseOf(text))).toEqual([]);
});

test.each(["A wish is signed.", "It is settlement.", "a standing trigger", "it was taken back"])(
  "a word of our own is found: %s",
  (text) => {
    expect(ownWordsIn(text)).toHaveLength(1);
  },
);

test("a long sentence is found, also across lines, and several short ones are let pass", () => {
  const words = (count: number) => Array.from({ length: count }, () => "word").join("\n");
  expect(sentencesIn(`It is ${words(SENTENCE_WORDS_MAX)}.`).filter(isLong)).toHaveLength(1);
  expect(sentencesIn(`It is ${words(30)}. It is ${words(30)}.\n- ${words(30)}`).filter(isLong)).toEqual([]);
});

test("a page has at most 250 lines, except the table of attacks", () => {
  const long = filesLike(/^docs\/(?!decisions\/|attacks\.md).*\.md$/).filter(
    (page) => read(page).split("\n").length > 251,
  );
  expect(long).toEqual([]);
});
