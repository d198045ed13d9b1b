/** Has diagrams drawn by a frame that can do nothing else, and shows them as pictures, in which nothing runs or loads. */
import frameAddress from "virtual:diagram-frame";
import { words } from "../i18n/words.ts";
import { colours } from "../ui/colours.ts";
import type { Drawing, DrawingOrder } from "./order.ts";
import "./diagrams.css";

/** A diagram that is not drawn by then stays text, and the next one gets a new frame. */
const DRAWING_MS_MAX = 20_000;
/** A larger drawing is of no use to a reader. */
const SVG_CHARS_MAX = 2_000_000;

let frame: Promise<HTMLIFrameElement> | undefined;
let count = 0;
/** The frame draws one after the other, each in its own time: one that never ends does not keep others from being drawn. */
let before: Promise<unknown> = Promise.resolve();

/** Shows the diagram that a code block holds above its source. A code block that is no diagram stays code. */
export async function showDiagram(code: HTMLElement): Promise<void> {
  const isDark =
    colours.value === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : colours.value === "dark";
  const svg = await drawing(code.textContent, isDark);
  const block = code.closest(".code-block");
  if (svg === undefined || svg.length > SVG_CHARS_MAX || block === null) return;
  const picture = document.createElement("img");
  picture.alt = words.diagram;
  picture.dataset.colours = isDark ? "dark" : "light";
  picture.src = `data:image/svg+xml,${encodeURIComponent(svg.toWellFormed())}`;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "source";
  button.textContent = words.source;
  button.setAttribute("aria-pressed", "false");
  block.querySelector(".wrap")?.before(button);
  block.querySelector("pre")?.before(picture);
}

function drawing(source: string, isDark: boolean): Promise<string | undefined> {
  const drawn = before.then(() => drawInFrame(source, isDark));
  before = drawn;
  return drawn;
}

async function drawInFrame(source: string, isDark: boolean): Promise<string | undefined> {
  frame ??= opened();
  const element = await frame;
  count += 1;
  const order: DrawingOrder = { id: count, source, isDark };
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const receive = (event: MessageEvent<Drawing>) => {
    if (event.source === element.contentWindow && event.data.id === order.id) resolve(event.data.svg);
  };
  const timer = setTimeout(() => {
    element.remove();
    frame = undefined;
    resolve(undefined);
  }, DRAWING_MS_MAX);
  addEventListener("message", receive);
  // It has no origin that could be named.
  element.contentWindow?.postMessage(order, "*");
  return promise.finally(() => {
    clearTimeout(timer);
    removeEventListener("message", receive);
  });
}

/** Opens the frame, which listens once it is loaded. */
function opened(): Promise<HTMLIFrameElement> {
  const element = document.createElement("iframe");
  element.className = "diagram-frame";
  element.setAttribute("sandbox", "allow-scripts");
  element.setAttribute("aria-hidden", "true");
  element.title = words.diagram;
  element.tabIndex = -1;
  element.src = frameAddress;
  document.body.append(element);
  return new Promise((resolve) => {
    element.addEventListener("load", () => resolve(element), { once: true });
  });
}
