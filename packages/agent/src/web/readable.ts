/**
 * Extracts the readable text of a page: of HTML its main content, without its navigation, with the addresses of its
 * links. A page that means harm can keep this busy for minutes, so it runs in a thread (read-in-thread.ts).
 */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import { decodeText } from "@mimikit/store/text/decode-text";
import { compile, type HtmlToTextOptions } from "html-to-text";
import type { FetchedPage } from "./get-page.ts";

/** Elements one inside the other, and beside each other in one, that are looked at. */
const DEPTH_MAX = 256;
const CHILDREN_MAX = 10_000;
/** Where a page may say of itself how it is written. */
const META_BYTES = 1_024;
/** Where its title is looked for. */
const HEAD_CHARS_MAX = 65_536;
const TITLE_CHARS_MAX = 300;
/** Elements that hold the main content of a page, if it has them. */
const MAIN = ["main", "[role=main]", "article"];
const SKIPPED = [
  ...["nav", "footer", "aside", "script", "style", "noscript", "template", "svg", "iframe", "img", "button"],
  ...["[hidden]", '[style*="display:none"]', '[style*="display: none"]'],
];

export interface Readable {
  title: string;
  text: string;
}

/** Null where it is no text. */
export function readableOf({ type, charset, bytes, url }: FetchedPage): Readable | null {
  const isHtml = /^(text\/html|application\/xhtml\+xml)$/.test(type);
  if (!isHtml && !/^text\/|[/+](json|xml|javascript|yaml)$/.test(type)) return null;
  const text = decode(bytes, charset ?? (isHtml ? charsetIn(bytes) : undefined));
  return isHtml ? { title: titleOf(text), text: textOf(text, url) } : { title: "", text };
}

function textOf(html: string, url: string): string {
  const options: HtmlToTextOptions = {
    wordwrap: false,
    baseElements: { selectors: MAIN },
    limits: { maxDepth: DEPTH_MAX, maxChildNodes: CHILDREN_MAX },
    formatters: {
      /** Cells stand beside each other, as the rows below each other. */
      cell: (element, walk, builder) => {
        walk(element.children, builder);
        builder.addInline(" | ", { noWordTransform: true });
      },
    },
    selectors: [
      {
        selector: "a",
        options: {
          hideLinkHrefIfSameAsText: true,
          noAnchorUrl: true,
          pathRewrite: (path: string) => absolute(path, url),
        },
      },
      { selector: "table", format: "block" },
      { selector: "tr", format: "block", options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      ...["td", "th"].map((selector) => ({ selector, format: "cell" })),
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
      ...SKIPPED.map((selector) => ({ selector, format: "skip" })),
    ],
  };
  return compile(options)(html).trim();
}

function absolute(path: string, base: string): string {
  return URL.parse(path, base)?.href ?? path;
}

function titleOf(html: string): string {
  const [, title = ""] = /<title(?:\s[^<>]{0,200})?>([^<]{0,1000})/i.exec(html.slice(0, HEAD_CHARS_MAX)) ?? [];
  return beginningOf(compile({ wordwrap: false })(title).replace(/\s+/g, " ").trim(), TITLE_CHARS_MAX);
}

function charsetIn(bytes: Buffer): string | undefined {
  return /<meta[^<>]+charset\s*=\s*["']?([\w-]+)/i.exec(bytes.toString("latin1", 0, META_BYTES))?.[1];
}

/** A page that names no encoding that is known is read as other texts are. */
function decode(bytes: Buffer, charset: string | undefined): string {
  try {
    if (charset !== undefined) return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return decodeText(bytes)?.text ?? new TextDecoder().decode(bytes);
}
