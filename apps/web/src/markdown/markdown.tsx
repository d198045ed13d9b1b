/** Shows Markdown. While it is written, each of its blocks that is finished stays the DOM that it is. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { htmlOfBlocks, languageOf, loadSpecial, MATH_CLASS, PICTURE_CLASS, readsSpecial, sanitized } from "./blocks.ts";
import { actOnCode, colour, frameCode } from "./code-blocks.ts";
import { loaded } from "./loaded.ts";
import { patchNodes } from "./patch.ts";

interface Block {
  html: string;
  nodes: ChildNode[];
  /** Nothing is added to it any more, and it has all that is loaded later. */
  isFinished: boolean;
}

interface MarkdownProps {
  text: string;
  /** Whether more may come: the last block is not finished then. */
  isForming?: boolean;
}

export function Markdown({ text, isForming = false }: MarkdownProps) {
  const root = useRef<HTMLDivElement>(null);
  const blocks = useRef<Block[]>([]);
  useLayoutEffect(() => {
    if (root.current === null) return;
    // Added once, however often.
    root.current.addEventListener("click", actOnCode);
    const html = htmlOfBlocks(text);
    for (const gone of blocks.current.splice(html.length)) patchNodes(root.current, gone.nodes, []);
    for (const [i, one] of html.entries()) {
      const before = blocks.current[i];
      const isFinished = !isForming || i < html.length - 1;
      blocks.current[i] = shown(root.current, before, one, isFinished);
    }
    void loadSpecial(text);
  }, [text, isForming, readsSpecial.value]);
  return <div class="markdown" ref={root} />;
}

/** Shows a block in the place of what it was before, or as the last one. */
function shown(root: Element, before: Block | undefined, html: string, isFinished: boolean): Block {
  const block = before?.html === html ? before : { html, nodes: drawn(root, before, html), isFinished: false };
  if (isFinished && !block.isFinished) for (const node of block.nodes) if (node instanceof Element) finish(node);
  return { ...block, isFinished: isFinished || block.isFinished };
}

function drawn(root: Element, before: Block | undefined, html: string): ChildNode[] {
  const content = sanitized(html);
  for (const pre of content.querySelectorAll("pre")) frameCode(pre);
  for (const table of content.querySelectorAll("table")) {
    const frame = document.createElement("div");
    frame.className = "table-scroll";
    table.replaceWith(frame);
    frame.append(table);
  }
  return patchNodes(root, before?.nodes ?? [], [...content.childNodes]);
}

/** Loads what a finished block needs, and draws with it. */
function finish(block: Element): void {
  const codes = [...block.querySelectorAll<HTMLElement>("code[class]")];
  const blocks = codes.filter((code) => languageOf(code) !== undefined);
  if (blocks.length > 0) void colour(blocks);
  void each(
    blocks.filter((code) => languageOf(code) === "mermaid"),
    async () => (await import("../diagrams/draw.ts")).showDiagram,
  );
  void each(
    codes.filter((code) => MATH_CLASS.test(code.className)),
    async () => (await import("./formulas.ts")).drawFormula,
  );
  void each(
    codes.filter((code) => PICTURE_CLASS.test(code.className)),
    async () => (await import("./pictures.ts")).showPicture,
  );
}

/** Where there is something to draw, loads what draws it. */
async function each(codes: readonly HTMLElement[], load: () => Promise<(code: HTMLElement) => unknown>): Promise<void> {
  if (codes.length === 0) return;
  const draw = await loaded(load);
  for (const code of codes) draw?.(code);
}
