/** Traditional Chinese is searched as simplified Chinese, so that each finds the other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "@mimikit/runtime/home/programs";

/** A file, because each bundle would have a copy of its own. Its head says where it comes from. */
const TABLE = join(ROOT, "packages/memory/simplified.txt");
const HEAD = /^#.*$/gm;
/** The block of characters from U+4E00 on: nearly all that are in use. Others are as they were. */
const FIRST = 0x4e00;
const COUNT = 0x5200;

/** The simplified character of each of the block, 0 where it has none; read when the first text in Chinese is searched. */
let simplified: Uint16Array | undefined;

/** Each traditional character of `text` as its simplified one; the length stays. Throws what the disk throws. */
export function simplify(text: string): string {
  let result = "";
  let end = 0;
  for (let i = 0; i < text.length; i++) {
    const place = text.charCodeAt(i) - FIRST;
    if (place < 0 || place >= COUNT) continue;
    simplified ??= readTable();
    const to = simplified[place] ?? 0;
    if (to === 0) continue;
    result += text.slice(end, i) + String.fromCharCode(to);
    end = i + 1;
  }
  return end === 0 ? text : result + text.slice(end);
}

function readTable(): Uint16Array {
  const table = new Uint16Array(COUNT);
  const pairs = readFileSync(TABLE, "utf8").replaceAll(HEAD, "").replaceAll(/\s/g, "");
  for (let i = 0; i < pairs.length; i += 2) {
    const place = pairs.charCodeAt(i) - FIRST;
    if (place >= 0 && place < COUNT) table[place] = pairs.charCodeAt(i + 1);
  }
  return table;
}
