/** The page's few pictograms, drawn in the colour of the text around them. */
import type { ComponentChildren } from "preact";

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M8 22V11.5l8 7 8-7V22" />
    </svg>
  );
}

/** @param path its lines, in a square of 24. */
const drawn = (path: string) => () => (
  <Icon>
    <path d={path} />
  </Icon>
);

export const Bell = drawn("M6 9a6 6 0 0 1 12 0v5l2 3H4l2-3zM10 21h4");
export const ArrowUp = drawn("M12 19V5M5 12l7-7 7 7");
export const Bend = drawn("M5 5v6a4 4 0 0 0 4 4h10M14 10l5 5-5 5");
export const Clip = drawn(
  "m20 11.5-8.2 8.2a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7l-8.5 8.5a1.7 1.7 0 0 1-2.4-2.4l7.8-7.7",
);
export const Sheet = drawn("M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5");
export const Square = () => (
  <Icon>
    <rect x="7" y="7" width="10" height="10" rx="1.5" fill="currentColor" />
  </Icon>
);

export const ArrowDown = drawn("M12 5v14M5 12l7 7 7-7");
export const Cross = drawn("M18 6 6 18M6 6l12 12");
export const List = drawn("M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01");
export const Clock = drawn("M12 7v5l3 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z");
export const Back = drawn("M4 9h11a5 5 0 0 1 0 10H8M8 5 4 9l4 4");
export const Door = drawn("M14 4h4a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2h-4M10 8l-4 4 4 4M6 12h10");
export const Warning = drawn(
  "M12 9v4M12 17h.01M10.3 4 2.5 18a2 2 0 0 0 1.7 3h15.6a2 2 0 0 0 1.7-3L13.7 4a2 2 0 0 0-3.4 0z",
);
export const Check = drawn("m5 12.5 4.5 4.5L19 7.5");
export const ArrowLeft = drawn("M19 12H5M12 5l-7 7 7 7");
export const Lens = drawn("m20 20-4-4M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0z");
export const Bubble = drawn("M21 12a8 8 0 0 1-8 8H4l2-3.4A8 8 0 1 1 21 12z");
export const Book = drawn("M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11M9 8h6");
export const Wand = drawn("m4 20 11-11M14 4v3M20 10h-3M18.5 5.5l-2 2M9 5v2M5 9h2");
export const Pulse = drawn("M3 12h4l3-8 4 16 3-8h4");
export const Sliders = drawn(
  "M18.5 7a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM10.5 17a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM4 7h9.5M18.5 7H20M4 17h1.5M10.5 17H20",
);
export const Dots = drawn("M5 12h.01M12 12h.01M19 12h.01");
export const Reply = drawn("M10 7 4 12l6 5M4 12h9a7 7 0 0 1 7 7");
export const Redo = drawn("M20 11a8 8 0 1 0-2.3 6M20 4v7h-7");
export const Pen = drawn("m4 20 1-4L16 5l3 3L8 19zM14 7l3 3");
export const Copy = drawn("M9 9h11v11H9zM5 15H4V4h11v1");
