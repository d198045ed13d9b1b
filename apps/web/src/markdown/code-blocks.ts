/** Code blocks: their language and its colours, and what can be done with them. */
import { words } from "../i18n/words.ts";
import { COPIED_SHOWN_MS, copy } from "../ui/copy.ts";
import { languageOf, sanitizedSpans } from "./blocks.ts";
import { loaded } from "./loaded.ts";
import "./code-blocks.css";

/** Longer code stays plain: colouring it would be felt. */
const COLOURED_CHARS_MAX = 20_000;

/** Puts a code block into a frame with its language and what can be done with it. */
export function frameCode(pre: HTMLPreElement): void {
  const bar = made("div", "code-bar");
  const language = made("span", "code-language");
  language.textContent = languageOf(pre.querySelector("code")) ?? "";
  bar.append(language, made("button", "wrap"), made("button", "save"), made("button", "copy"));
  const labels = [words.wrapLines, words.download, words.copy];
  for (const [i, button] of bar.querySelectorAll("button").entries()) {
    button.type = "button";
    button.textContent = labels[i] ?? "";
  }
  bar.querySelector(".wrap")?.setAttribute("aria-pressed", "false");
  const frame = made("div", "code-block");
  pre.replaceWith(frame);
  frame.append(bar, pre);
  // A long line scrolls sideways, which the keyboard can only do from a focused element.
  pre.tabIndex = 0;
}

function made(name: string, className: string): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  return element;
}

/** Handles the buttons of all code blocks. Listens above them, because a block is drawn again while it is written. */
export function actOnCode({ target }: Event): void {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>(".code-bar button") : null;
  const code = button?.closest(".code-block")?.querySelector("code");
  if (button === null || code === null || code === undefined) return;
  const source = code.textContent;
  if (button.className === "copy") void copyBy(button, source);
  if (button.className === "save")
    void loaded(() => import("./save-code.ts")).then((saving) => saving?.saveCode(source, languageOf(code) ?? ""));
  // The style shows wrapped lines, and the source of a diagram.
  const isPressed = button.getAttribute("aria-pressed");
  if (isPressed !== null) button.setAttribute("aria-pressed", String(isPressed === "false"));
}

async function copyBy(button: HTMLButtonElement, source: string): Promise<void> {
  button.textContent = (await copy(source)) ? words.copied : words.copyFailed;
  setTimeout(() => {
    button.textContent = words.copy;
  }, COPIED_SHOWN_MS);
}

/** Colours code blocks by the language that they name. Without the library they stay as they are. */
export async function colour(blocks: readonly HTMLElement[]): Promise<void> {
  const colours = await loaded(() => import("./code-colours.ts"));
  for (const block of blocks) {
    const source = block.textContent;
    const language = languageOf(block);
    if (colours === undefined || language === undefined || source.length > COLOURED_CHARS_MAX) continue;
    const html = colours.colouredHtml(source, language);
    if (html !== undefined) block.replaceChildren(sanitizedSpans(html));
  }
}
