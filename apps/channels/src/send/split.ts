/** Cuts a text into messages of a vendor's length: at a paragraph, else a line, else a word, and never within a character as people see it. */

/** A cut further to the front than this part of the room wastes more than it is worth. */
const ROOM_USED_MIN = 0.5;
const CHARACTERS = new Intl.Segmenter();
/** Characters that no vendor takes, and no person sees: control characters but the tab and the new line, and halves of characters. */
const UNSAYABLE = /[[\p{Cc}\p{Cs}]--[\n\t]]/gv;

/**
 * The same text is always cut in the same way. No part is empty; of a text that has nothing to say, there is none.
 * @param unitsMax of a part, in UTF-16 units.
 */
export function split(text: string, unitsMax: number): string[] {
  const parts: string[] = [];
  let rest = text.replaceAll("\r\n", "\n").replace(UNSAYABLE, "").trim();
  while (rest.length > unitsMax) {
    const at = cutIn(rest, unitsMax);
    const part = rest.slice(0, at).trimEnd();
    if (part !== "") parts.push(part);
    rest = rest.slice(at).replace(/^\s+/, "");
  }
  return rest === "" ? parts : [...parts, rest];
}

function cutIn(text: string, unitsMax: number): number {
  const room = text.slice(0, unitsMax + 1);
  for (const boundary of ["\n\n", "\n", " "]) {
    const at = room.lastIndexOf(boundary);
    if (at >= unitsMax * ROOM_USED_MIN) return at;
  }
  return wholeCharacters(text, unitsMax);
}

/** How many units of whole characters fit; all of the room, less half a pair, where one character alone is longer. */
function wholeCharacters(text: string, unitsMax: number): number {
  let fits = 0;
  for (const { index, segment } of CHARACTERS.segment(text.slice(0, unitsMax + 1))) {
    if (index + segment.length > unitsMax) break;
    fits = index + segment.length;
  }
  if (fits > 0) return fits;
  return /[\ud800-\udbff]/.test(text.charAt(unitsMax - 1)) ? unitsMax - 1 : unitsMax;
}
