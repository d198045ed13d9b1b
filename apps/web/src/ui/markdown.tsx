/**
 * Markdown as inert DOM. The text comes from a model, a command's output or a stranger's file: HTML in it is shown as
 * text, images become links, and DOMPurify lets only a short list of elements through (attack list 61).
 */
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useLayoutEffect, useRef } from "preact/hooks";
import { words } from "../i18n/words.ts";
import { COPIED_SHOWN_MS, copy } from "./copy.ts";

const ALLOWED_TAGS =
  "p br hr h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li table thead tbody tr th td a".split(" ");
const ALLOWED_ATTR = ["href", "title", "start", "align"];
/** DOMPurify holds the value of every other attribute to ALLOWED_URI_REGEXP, also where it is a number or a side. */
const URI_SAFE_ATTR = ["start", "align"];

const LANGUAGE_CLASS = /^language-([\w+#-]{1,30})$/;
/** Longer code stays plain: colouring it would be felt. */
const COLOURED_CHARS_MAX = 20_000;

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => asText(text),
    image: ({ href, text }) => `<a href="${asText(href)}">${asText(text || href)}</a>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

// An own instance: its hooks belong to nobody else.
const purify = DOMPurify(window);
// Of all classes only the name of a code block's language is let through.
purify.addHook("uponSanitizeAttribute", (node, attribute) => {
  if (attribute.attrName === "class" && node.nodeName === "CODE" && LANGUAGE_CLASS.test(attribute.attrValue))
    attribute.forceKeepAttr = true;
});
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

interface MarkdownProps {
  text: string;
  /** Text that is still being written is not coloured at each piece. */
  isForming?: boolean;
}

/** Shows Markdown. Every code block gets a button that copies it, and colours if its language is known. */
export function Markdown({ text, isForming = false }: MarkdownProps) {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const content = sanitized(text);
    for (const block of content.querySelectorAll("pre")) addCopyButton(block);
    for (const table of content.querySelectorAll("table")) wrap(table, "table-scroll");
    const blocks = isForming ? [] : [...content.querySelectorAll<HTMLElement>("pre > code[class]")];
    root.current?.replaceChildren(content);
    if (blocks.length > 0) void colour(blocks);
  }, [text, isForming]);
  return <div class="markdown" ref={root} />;
}

function sanitized(text: string): DocumentFragment {
  return purify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS,
    ALLOWED_ATTR,
    ADD_URI_SAFE_ATTR: URI_SAFE_ATTR,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    FORBID_TAGS: ["img", "form", "style"],
    RETURN_DOM_FRAGMENT: true,
  });
}

/** Colours code blocks by the language that they name. Without the library they stay as they are. */
async function colour(blocks: readonly HTMLElement[]): Promise<void> {
  const colours = await import("./code-colours.ts").catch((error: unknown) => {
    console.warn(error);
    return undefined;
  });
  for (const block of blocks) {
    const source = block.textContent;
    const language = LANGUAGE_CLASS.exec(block.className)?.[1];
    if (colours === undefined || language === undefined || source.length > COLOURED_CHARS_MAX) continue;
    const html = colours.colouredHtml(source, language);
    if (html === undefined) continue;
    block.replaceChildren(
      purify.sanitize(html, { ALLOWED_TAGS: ["span"], ALLOWED_ATTR: ["class"], RETURN_DOM_FRAGMENT: true }),
    );
  }
}

function addCopyButton(block: HTMLPreElement): void {
  const source = block.textContent;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = words.copy;
  button.addEventListener("click", () => {
    void copy(source).then((copied) => {
      button.textContent = copied ? words.copied : words.copyFailed;
      setTimeout(() => {
        button.textContent = words.copy;
      }, COPIED_SHOWN_MS);
    });
  });
  wrap(block, "code-block").append(button);
  // A long line scrolls sideways, which the keyboard can only do from a focused element.
  block.tabIndex = 0;
}

function wrap(element: HTMLElement, className: string): HTMLElement {
  const frame = document.createElement("div");
  frame.className = className;
  element.replaceWith(frame);
  frame.append(element);
  return frame;
}

function asText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
