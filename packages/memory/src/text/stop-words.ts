/** A file of its own, because the page marks what was found as the search finds it, and has no other use for that. */

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
  aber alle als am auch auf aus bei beim bis bist da damit dann das dass dein deine dem denn der des dich diese
  dieser dieses dir doch du durch ein eine einem einen einer eines er es euch euer fuer gegen habe haben hast hatte hier ich
  ihm ihn ihr ihre im ist ja jetzt kann kannst kein keine konnte machen mehr mein meine meinem meinen meiner meines mich
  mir mit nach nicht noch nur ob oder ohne schon sehr sein seine seit sich sie sind soll sollte über uber ueber um und uns unser
  unsere unter viel vom von vor wann warum wegen weil welche welcher welches wem wen wenn wer werden wie wieder will wir wird
  wo wohin wurde zu zum zur zwischen
  是什 什么 么时 是多 是哪 的是 了什 是怎 为什 怎么 么样 一共 为了 还有 我的 你的 用的 说的 有没 没有 用什 用哪 该怎 们的`.split(
    /\s+/,
  ),
);

/** German words that are other words in English: they say nothing beside a German stop word. */
export const GERMAN_ONLY: ReadonlySet<string> = new Set(
  "die hat man war waren bald mag bin den dies mal nun fur".split(" "),
);
const GERMAN =
  /^(?:aber|auch|auf|aus|bei|das|dass|dein|deine|dem|denn|der|du|ein|eine|einen|er|es|fuer|haben|hast|ich|ihr|im|ist|kann|mein|meine|mich|mir|mit|nach|nicht|noch|oder|sie|sind|und|uns|vom|von|wann|warum|welche|wem|wen|wenn|wer|wie|wir|wird|wo|zu|zum|zur)$/;

/** Is one of these words, in small letters, a German one that says nothing? */
export function isGerman(words: readonly string[]): boolean {
  return words.some((word) => GERMAN.test(word));
}
