/**
 * Draws diagrams with Mermaid, in a document of its own: a frame without an origin, that can load nothing and run no
 * other script than this one. A diagram may be anyone's text, and a library of this size is not trusted with the page.
 */
import mermaid from "mermaid";
import type { Drawing, DrawingOrder } from "./order.ts";

/** A longer diagram stays text. */
const SOURCE_CHARS_MAX = 20_000;
const EDGES_MAX = 300;

let count = 0;

async function drawn({ source, isDark }: DrawingOrder): Promise<string | undefined> {
  if (source.length > SOURCE_CHARS_MAX) return undefined;
  // A directive that Mermaid has failed on is kept, and would fail every diagram after it.
  mermaid.mermaidAPI.globalReset();
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    // HTML in a picture is drawn by few programs, and measured by none.
    htmlLabels: false,
    // The other way to lay out is not here (`diagram-frame.ts`), whatever a diagram asks for.
    layout: "dagre",
    secure: [
      "secure",
      "securityLevel",
      "startOnLoad",
      "maxTextSize",
      "maxEdges",
      "suppressErrorRendering",
      "htmlLabels",
      "layout",
    ],
    maxTextSize: SOURCE_CHARS_MAX,
    maxEdges: EDGES_MAX,
    suppressErrorRendering: true,
    theme: isDark ? "dark" : "default",
    fontFamily: "system-ui, sans-serif",
  });
  count += 1;
  const { svg } = await mermaid.render(`diagram-${count}`, source);
  // As HTML it may be what no XML is; a picture must be XML, and say how large it is.
  const picture = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  const [, , width, height] = picture?.getAttribute("viewBox")?.split(/[\s,]+/) ?? [];
  if (!picture || width === undefined || height === undefined) return undefined;
  picture.setAttribute("width", width);
  picture.setAttribute("height", height);
  return new XMLSerializer().serializeToString(picture);
}

addEventListener("message", (event: MessageEvent<DrawingOrder>) => {
  if (event.source !== parent) return;
  const answer = (svg: string | undefined) => parent.postMessage({ id: event.data.id, svg } satisfies Drawing, "*");
  // If it throws anything, the text is no diagram that it can draw.
  drawn(event.data).then(answer, () => answer(undefined));
});
