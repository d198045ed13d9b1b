/** The used part of html-to-text, which has no types of its own. */
declare module "html-to-text" {
  interface Builder {
    addInline(text: string, options?: { noWordTransform?: boolean }): void;
  }
  interface Element {
    children: readonly unknown[];
  }
  type Formatter = (
    element: Element,
    walk: (children: readonly unknown[], builder: Builder) => void,
    builder: Builder,
  ) => void;

  export interface HtmlToTextOptions {
    wordwrap?: false;
    baseElements?: { selectors: string[] };
    limits?: { maxDepth?: number; maxChildNodes?: number };
    formatters?: Record<string, Formatter>;
    selectors?: { selector: string; format?: string; options?: Record<string, unknown> }[];
  }

  export function compile(options?: HtmlToTextOptions): (html: string) => string;
}
