/**
 * Markdown as HTML of its blocks, and that as inert DOM. The text comes from a model, a command's output or a stranger's
 * file: HTML in it is shown as text, pictures from elsewhere become links, and DOMPurify lets only a short list of elements through
 * (attack list 61).
 */
import { signal } from "@preact/signals";
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { loaded } from "./loaded.ts";

const ALLOWED_TAGS =
  "p br hr h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li table thead tbody tr th td a".split(" ");
const ALLOWED_ATTR = ["href", "title", "start", "align"];
/** Addresses elsewhere, and of what the page itself can show. */
const ALLOWED_ADDRESS = /^(?:(?:https?|mailto):|#\/(?:memory|tasks|said)\/)/i;
/** DOMPurify holds the value of every other attribute to ALLOWED_URI_REGEXP, also where it is a number or a side. */
const URI_SAFE_ATTR = ["start", "align"];

const LANGUAGE_CLASS = /^language-([\w+#-]{1,30})$/;
/** Code of this class holds a formula with its signs. */
export const MATH_CLASS = /^math-(?:inline|display)$/;
/** Code of this class says a picture that is here: its title is the path or the name, its text what it shows. */
export const PICTURE_CLASS = /^picture$/;
/** A picture with such an address is a link: looking at a reply tells no server anything. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|[/\\#])/i;
const LET_THROUGH = [LANGUAGE_CLASS, MATH_CLASS, PICTURE_CLASS];

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => asText(text),
    image: ({ href, text }) =>
      ELSEWHERE.test(href)
        ? `<a href="${asText(href)}">${asText(text || href)}</a>`
        : `<code class="picture" title="${asText(href)}">${asText(text || href)}</code>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

/** Characters that may begin a formula or a citation: a conversation without them never loads the code that reads them. */
const SPECIAL = /[$]|\\[([]|\.md|[tm]-[0-9a-f]{6}/;
/** Whether formulas and citations are read: a text that was shown before is shown again. */
export const readsSpecial = signal(false);

/** Loads how formulas and citations are read, where a text may have some. */
export async function loadSpecial(text: string): Promise<void> {
  if (readsSpecial.peek() || !SPECIAL.test(text)) return;
  const [math, cited] = (await loaded(() => Promise.all([import("./math-syntax.ts"), import("./citations.ts")]))) ?? [];
  if (readsSpecial.peek() || math === undefined || cited === undefined) return;
  marked.use(math.mathSyntax(asText), cited.citations(asText));
  readsSpecial.value = true;
}

// An own instance: its hooks are not shared.
const purify = DOMPurify(window);
// Of all classes only those are let through that say which language code is of, or what is drawn in its place.
purify.addHook("uponSanitizeAttribute", (node, attribute) => {
  const { attrName, attrValue } = attribute;
  if (attrName === "class" && node.nodeName === "CODE" && LET_THROUGH.some((one) => one.test(attrValue)))
    attribute.forceKeepAttr = true;
});
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "A" || node.getAttribute("href")?.startsWith("#")) return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

/** The HTML of each block of a text (a paragraph, a list, …), in order. It is not safe yet. */
export function htmlOfBlocks(text: string): string[] {
  return marked
    .lexer(text)
    .map((token) => marked.parser([token]))
    .filter((html) => html !== "");
}

/** The DOM of a block, in which nothing runs and nothing loads. */
export function sanitized(html: string): DocumentFragment {
  return purify.sanitize(html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR,
    ADD_URI_SAFE_ATTR: URI_SAFE_ATTR,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: ALLOWED_ADDRESS,
    FORBID_TAGS: ["img", "form", "style"],
    RETURN_DOM_FRAGMENT: true,
  });
}

/** The DOM of coloured code: text and spans, no more. */
export function sanitizedSpans(html: string): DocumentFragment {
  return purify.sanitize(html, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], RETURN_DOM_FRAGMENT: true });
}

/** The language that a code block names. */
export function languageOf(code: Element | null): string | undefined {
  return LANGUAGE_CLASS.exec(code?.className ?? "")?.[1];
}

function asText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
