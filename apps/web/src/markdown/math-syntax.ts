/** Maths in Markdown: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` apart. It becomes code that says so; it is drawn later. */
import type { MarkedExtension } from "marked";

/** No blank line is in a formula, or signs of two texts would make one of what is between them. */
const DISPLAY = /^(?:\$\$(?:\\.|(?!\n[ \t]*\n)[^\\$])+?\$\$|\\\[(?:\\[^()[\]]|(?!\n[ \t]*\n)[^\\])+?\\\])/s;
/** No blank inside the signs and no word beside them, or prices and variables of a shell would be formulas. */
const INLINE =
  /^(?:\$(?![\s$])(?:\\.|[^\\$\n`])*?(?:\\.|[^\s\\$`])\$(?![\w$])|\\\((?:\\[^()[\]]|(?!\n[ \t]*\n)[^\\])+?\\\))/s;
const INLINE_START = /(?<![\w\\$])\$|\\[([]/;
const DISPLAY_START = /(?<=^|\n)(?:\$\$|\\\[)/;

/** @param asText escapes what is special in HTML. */
export const mathSyntax = (asText: (text: string) => string): MarkedExtension => ({
  extensions: [
    {
      name: "mathBlock",
      level: "block",
      // Any text that follows in the line makes it a text with a formula in it.
      start: (source) => DISPLAY_START.exec(source)?.index,
      tokenizer: (source) => {
        const raw = DISPLAY.exec(source)?.[0];
        if (raw === undefined || !/^[ \t]*(?:\n|$)/.test(source.slice(raw.length))) return undefined;
        return { type: "mathBlock", raw, text: raw };
      },
      renderer: ({ text }) => `<p>${codeOf("display", asText(text))}</p>`,
    },
    {
      name: "mathInline",
      level: "inline",
      start: (source) => INLINE_START.exec(source)?.index,
      tokenizer: (source) => {
        const display = DISPLAY.exec(source)?.[0];
        const raw = display ?? INLINE.exec(source)?.[0];
        if (raw === undefined) return undefined;
        return { type: "mathInline", raw, text: raw, isDisplay: display !== undefined };
      },
      renderer: ({ text, isDisplay }) => codeOf(isDisplay === true ? "display" : "inline", asText(text)),
    },
  ],
});

const codeOf = (kind: string, html: string) => `<code class="math-${kind}">${html}</code>`;
