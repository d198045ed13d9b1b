/** The pictures of docs/page/pictures.md, and the gallery that shows them. `npm run screenshots` takes them. */
import { withBlocks } from "./generated-blocks.ts";

/** Which views the gallery shows, in its order, each with its title. */
const SHOWN = {
  conversation: "The conversation",
  palette: "The palette",
  search: "Search",
  board: "The task board",
  timeline: "The timeline",
  task: "A task",
  triggers: "Schedules",
  condition: "A condition",
  memory: "Memory",
  changes: "Recent changes",
  usage: "Usage",
  settings: "Settings",
} as const;

/** A phone, a tablet, a screen. In pixels. */
export const SIZES = {
  1440: { width: 1440, height: 900 },
  820: { width: 820, height: 1180 },
  390: { width: 390, height: 844 },
} as const;
export const COLOURS = ["light", "dark"] as const;
export const LANGUAGES = ["en", "zh"] as const;

/** Of each view one as most people see it, and three of the others in turn: all twelve kinds occur. */
const FIRST = "1440-light-en";
const IN_TURN = [
  ["1440-dark-zh", "1440-dark-en", "1440-light-zh"],
  ["820-light-en", "820-dark-zh", "820-light-zh", "820-dark-en"],
  ["390-dark-zh", "390-light-en", "390-dark-en", "390-light-zh"],
] as const;

/** How wide the docs show a picture of each width. In pixels. */
const SHOWN_PX = { 1440: 640, 820: 300, 390: 180 } as const;

/** The names of the pictures of a view, without their ending: view, width, colours, language. */
const picturesOf = (view: string, nth: number): string[] =>
  [FIRST, ...IN_TURN.map((some) => some[nth % some.length])].map((kind) => `${view}-${kind}`);

/** All pictures of the gallery: the files of docs/images/page. */
export const PICTURES: readonly string[] = Object.keys(SHOWN).flatMap((view, nth) =>
  picturesOf(view, nth).map((name) => `${name}.webp`),
);

/** docs/page/pictures.md with its gallery. Throws if it has no place for one. */
export function withGallery(page: string): string {
  const views = Object.entries(SHOWN).map(([view, title], nth) => {
    const pictures = picturesOf(view, nth).map((name) => {
      const [, width, colours, language] = name.split("-") as [string, keyof typeof SHOWN_PX, string, string];
      const alt = `${title}, ${width} px, ${colours}, ${language === "en" ? "English" : "Chinese"}`;
      return `<img src="../images/page/${name}.webp" width="${SHOWN_PX[width]}" alt="${alt}">\n`;
    });
    return `<details>\n<summary>${title}</summary>\n\n${pictures.join("")}\n</details>\n`;
  });
  return withBlocks(page, { gallery: views.join("") });
}
