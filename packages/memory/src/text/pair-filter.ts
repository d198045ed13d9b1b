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
/** Spreads neighbouring numbers over all of the 32 bits (Knuth's multiplicative hash). */
const SPREAD = 0x9e3779b1;

/** The bits of some texts. */
export class PairBlock {
  /** Row after row; a row has a bit for each text. */
  readonly bits: Uint32Array<ArrayBuffer>;
  private readonly textsMax: number;
  private readonly rowWords: number;
  private count: number;

  /**
   * @param textsMax so many texts have room in it.
   * @param bits of a block that was full; without them it is empty.
   */
  constructor(textsMax: number, bits?: Uint32Array<ArrayBuffer>) {
    this.textsMax = textsMax;
    this.rowWords = Math.ceil(textsMax / WORD_BITS);
    this.bits = bits ?? new Uint32Array(2 ** ROWS_LOG * this.rowWords);
    this.count = bits === undefined ? 0 : textsMax;
  }

  /** How many texts it knows. */
  get size(): number {
    return this.count;
  }

  get isFull(): boolean {
    return this.count === this.textsMax;
  }

  /** Adds the next text; the first has the number 0. The block is not full. */
  add(text: string): void {
    const { bits, rowWords } = this;
    const column = Math.floor(this.count / WORD_BITS);
    const bit = 1 << (this.count % WORD_BITS);
    this.count++;
    for (let i = 0; i < text.length - 1; i++) {
      const at = rowOf(text, i) * rowWords + column;
      bits[at] = (bits[at] ?? 0) | bit;
    }
  }

  /** Appends to `texts` the numbers of its own that may hold a word with these pairs, counted from `first`. */
  find(rows: readonly number[], first: number, texts: number[]): void {
    for (let column = 0; column * WORD_BITS < this.count; column++) {
      let bits = -1;
      for (const row of rows) bits &= this.bits[row * this.rowWords + column] ?? 0;
      for (let i = 0; bits !== 0; i++, bits >>>= 1) {
        const text = column * WORD_BITS + i;
        if ((bits & 1) === 1 && text < this.count) texts.push(first + text);
      }
    }
  }
}

export class PairFilter {
  private readonly blocks: PairBlock[] = [];
  private count = 0;

  /** How many texts it knows. */
  get size(): number {
    return this.count;
  }

  /** Adds the next text; the first has the number 0. */
  add(text: string): void {
    let block = this.blocks.at(-1);
    if (block === undefined || block.isFull) {
      block = new PairBlock(BLOCK_TEXTS);
      this.blocks.push(block);
    }
    block.add(text);
    this.count++;
  }

  /** Adds the texts of a block that is full. */
  addBlock(block: PairBlock): void {
    this.blocks.push(block);
    this.count += block.size;
  }

  /** The numbers of the texts that may hold `word`, in order: all of those that do, and a few more. */
  textsWith(word: string): number[] {
    const rows = Array.from({ length: word.length - 1 }, (_, i) => rowOf(word, i));
    const texts: number[] = [];
    let first = 0;
    for (const block of this.blocks) {
      block.find(rows, first, texts);
      first += block.size;
    }
    return texts;
  }
}

/** The row of the pair that begins at `i`. */
function rowOf(text: string, i: number): number {
  return Math.imul((text.charCodeAt(i) << 16) | text.charCodeAt(i + 1), SPREAD) >>> (WORD_BITS - ROWS_LOG);
}
