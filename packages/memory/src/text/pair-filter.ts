/**
 * Says of most texts that a word is not in them, without looking at them: of each text it keeps which pairs of neighbouring
 * characters it has, as one bit of 2,048. It may say "perhaps" where there is nothing, and never "no" where there is
 * something.
 */

/** Rows of a block, one for each value of a hash of a pair; in a text of 100 characters a twentieth of them is set. */
const ROWS_LOG = 11;
/** Texts of a block: its 256 KB stay in the processor's cache while it is filled. */
const BLOCK_TEXTS = 1_024;
const WORD_BITS = 32;
const ROW_WORDS = BLOCK_TEXTS / WORD_BITS;
/** Spreads neighbouring numbers over all of the 32 bits (Knuth's multiplicative hash). */
const SPREAD = 0x9e3779b1;

export class PairFilter {
  private readonly blocks: Uint32Array[] = [];
  private count = 0;

  /** How many texts it knows. */
  get size(): number {
    return this.count;
  }

  /** Adds the next text; the first has the number 0. */
  add(text: string): void {
    const inBlock = this.count % BLOCK_TEXTS;
    if (inBlock === 0) this.blocks.push(new Uint32Array(2 ** ROWS_LOG * ROW_WORDS));
    this.count++;
    const block = this.blocks.at(-1);
    if (block === undefined) return;
    const column = Math.floor(inBlock / WORD_BITS);
    const bit = 1 << (inBlock % WORD_BITS);
    for (let i = 0; i < text.length - 1; i++) {
      const at = rowOf(text, i) * ROW_WORDS + column;
      block[at] = (block[at] ?? 0) | bit;
    }
  }

  /** The numbers of the texts that may hold `word`, in order: all of those that do, and a few more. */
  textsWith(word: string): number[] {
    const rows = Array.from({ length: word.length - 1 }, (_, i) => rowOf(word, i));
    const texts: number[] = [];
    this.blocks.forEach((block, b) => {
      const first = b * BLOCK_TEXTS;
      for (let column = 0; column < ROW_WORDS; column++) {
        let bits = -1;
        for (const row of rows) bits &= block[row * ROW_WORDS + column] ?? 0;
        for (let i = 0; bits !== 0; i++, bits >>>= 1) {
          const text = first + column * WORD_BITS + i;
          if ((bits & 1) === 1 && text < this.count) texts.push(text);
        }
      }
    });
    return texts;
  }
}

/** The row of the pair that begins at `i`. */
function rowOf(text: string, i: number): number {
  return Math.imul((text.charCodeAt(i) << 16) | text.charCodeAt(i + 1), SPREAD) >>> (WORD_BITS - ROWS_LOG);
}
