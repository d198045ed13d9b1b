/** Tables within pages that are written by hand: what is between their marks follows from the code. */

/**
 * The page with each block in its place, between `<!-- name: npm run docs -->` and `<!-- end of name -->`. Throws where one has
 * no place.
 */
export function withBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((text, [name, block]) => {
    const [begin, end] = [`<!-- ${name}: npm run docs -->\n`, `<!-- end of ${name} -->\n`];
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (before === undefined || after === undefined) throw new Error(`the page has no place for its ${name}`);
    return `${before}${begin}${block}${end}${after}`;
  }, page);
}
