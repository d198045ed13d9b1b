/**
 * Text becomes the words that it can be found by. Latin words are their stems; a compound (a path, a
 * version, an identifier) is its whole and its parts; Chinese has no spaces, so a run of characters counts as the words
 * that the segmenter sees in it and as every pair of neighbours: a query that is cut differently from the text still
 * meets it (SPEC E4).
 */
import { monthsIn } from "./months.ts";
import { stem } from "./stem.ts";

/** Characters of writing without spaces, or whose words are not cut at them, and the mark of long vowels, U+30FC. */
const CJK = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30FC`;
/** A run of such characters, or words that single marks join: `docs/deploy.md`, `v1.2.3`, `ops@example.com`. */
const RUNS = new RegExp(`[${CJK}]+|[[\\p{L}\\p{N}_]--[${CJK}]]+(?:[.@:\\/+\\-][[\\p{L}\\p{N}_]--[${CJK}]]+)*`, "gv");
const HAS_CJK = new RegExp(`[${CJK}]`, "v");
const JOINTS = /[._@:/+-]+/;
/** Between `deploy` and `Worker`, and between `HTTP` and `Server`. */
const HUMPS = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const VERSION = /^v(\d+(?:\.\d+)+)$/;

/** Words that say nothing about what a text is about, and the names of our own commands. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being both but by can could did do does
  doing don done down during each else every few for from get got had has have having he her here him his how i if in
  into is it its just let like me more most much my no not now of off on once one only or other our out over own please
  really remember run said same say search should shall she so some such than that the their them then there these they
  this those through to too under until up us use used very want was we were what when where whether which while who whom
  whose why will with would yes yet you your
  的 了 是 在 我 你 他 她 它 们 和 与 或 也 都 就 不 吗 呢 吧 啊 把 被 给 让 要 会 能 有 这 那 个 什么 怎么 为什么 哪个 哪里 多少
  我们 你们 他们 她们 它们 咱们 自己 大家 这个 那个 这些 那些 这样 那样 一个 一下 一些 可以 没有 就是 还是 但是 因为 所以 如果
  如何 是否 请问 记住 搜索 查找 运行 执行 哪些 哪儿 几个 怎样 时候 应该 需要 已经 关于 到底 之前 之后 以及 而且 然后 现在 上次
  是什 什么 么时 是多 是哪 的是 了什 是怎 为什 怎么 么样 一共 为了 还有 我的 你的 用的 说的 有没 没有 用什 用哪 该怎 们的`.split(
    /\s+/,
  ),
);

const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

/**
 * The tokens of `text` in order, lower case, repeats included; the months it speaks of come last.
 * @param formOf what becomes of a Latin word that is no stop word
 */
export function tokenize(text: string, formOf: (word: string) => string = stem): string[] {
  const plain = text.normalize("NFKC");
  const words = (plain.match(RUNS) ?? []).flatMap((run) =>
    HAS_CJK.test(run) ? tokensOfCjk(run) : tokensOfLatin(run, formOf),
  );
  return [...words, ...monthsIn(plain.toLowerCase())];
}

/** The words of a run of Chinese characters as the segmenter cuts them. */
export function wordsOfHan(run: string): string[] {
  return [...segmenter.segment(run)].map(({ segment }) => segment);
}

/** The words of two characters are pairs already; a single character counts only where it stands alone. */
function tokensOfCjk(run: string): string[] {
  const characters = [...run.toLowerCase()];
  if (characters.length === 1) return characters;
  const pairs = characters.slice(1).map((character, i) => `${characters[i]}${character}`);
  const words = wordsOfHan(run.toLowerCase()).filter((word) => [...word].length > 2);
  return [...pairs, ...words];
}

/** A part of one character says nothing, and neither does a compound's whole a second time. */
function tokensOfLatin(run: string, formOf: (word: string) => string): string[] {
  const whole = run.toLowerCase();
  const parts = run.split(JOINTS).flatMap((part) => [part, ...part.split(HUMPS)]);
  const number = VERSION.exec(whole)?.[1];
  const telling = parts.filter((part) => part.length > 1).map((part) => part.toLowerCase());
  const form = (word: string) => (STOP_WORDS.has(word) ? word : formOf(word));
  return [...new Set([form(whole), ...(number === undefined ? [] : [number]), ...telling.map(form)])];
}
