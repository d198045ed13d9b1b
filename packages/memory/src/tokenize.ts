/**
 * Text becomes the words that it can be found by. Latin words are themselves; Chinese has no spaces, so a run of
 * characters counts as the words that the segmenter sees in it and as every pair of neighbours: a query that is cut
 * differently from the text still meets it (SPEC E4).
 */
const RUNS = /\p{Script=Han}+|[[\p{L}\p{N}_]--\p{Script=Han}]+/gv;
const HAN = /\p{Script=Han}/u;

/** Words that say nothing about what a text is about, and the names of our own commands. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and any are as at be been but by can could did do does for from had has have how i if in into is it its just
  me my of on or our out please remember run search should so than that the their them then there these they this those to
  up was we were what when where which who why will with would you your
  的 了 是 在 我 你 他 她 它 们 和 与 或 也 都 就 不 吗 呢 吧 啊 把 被 给 让 要 会 能 有 这 那 个 什么 怎么 为什么 哪个 哪里 多少
  我们 你们 他们 这个 那个 一个 可以 没有 就是 还是 如何 是否 请问 记住 搜索 查找 运行 执行`.split(/\s+/),
);

const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

/** The tokens of `text` in order, lower case, repeats included. */
export function tokenize(text: string): string[] {
  return (text.toLowerCase().match(RUNS) ?? []).flatMap((run) => (HAN.test(run) ? tokensOfHan(run) : [run]));
}

/** The words of a run of Chinese characters as the segmenter cuts them. */
export function wordsOfHan(run: string): string[] {
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

/** Words of two characters are pairs already; a single character counts only where it stands alone. */
function tokensOfHan(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  const pairs = characters.slice(1).map((character, i) => `${characters[i]}${character}`);
  const words = wordsOfHan(run).filter((word) => [...word].length > 2);
  return [...pairs, ...words];
}
