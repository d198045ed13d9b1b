/**
 * Words that are in very many texts, whatever those are about. That a text shares one of them with a question is no reason
 * to recall it; beside a rarer word it counts.
 */
import { withoutAccents } from "../text/letters.ts";
import { stem } from "../text/stem.ts";

/** Words of courtesy, of assent, and of asking for something: they ask about nothing. */
const PLEASANTRIES = `absolutely alright anyway awesome bye cheers congrats congratulations cool damn exactly excellent fantastic fine
  goodbye great haha hello hey hi hmm hooray indeed kind kindly lol lovely maybe merci nah nice nope ok okay oops perfect
  perhaps please pls right sorry sure super thank thanks thx tomorrow try wonderful wow yay yeah yep yup welcome show tell
  give again go ahead continue proceed retry stop cancel undo redo
  abend bitte danke dankbar dankeschön entschuldigung gern gerne genau gruß grüße guten gute gut hallo juhu klar leider moin nee nein
  mach nochmal okey prima schade servus sorry stimmt super tag tschüss toll vielleicht vielen viele versuch versuche
  versuchs weiter weitermachen wunderbar zeig zeige morgen`;
/** The same in Chinese, which has no spaces: longer phrases first. */
const PHRASES =
  `对不起 没关系 不好意思 没问题 再试一次 再来一次 试一下 试一试 看一下 看一看 辛苦了 太好了 太棒了 谢谢你 谢谢您 谢谢了 多谢了 早上好 晚上好
  下午好 中午好 你好啊 大家好 好的呢 给我看看 帮我一下 请继续 继续吧 不客气 你好 您好 谢谢 多谢 感谢 好的 好吧 好啊 不错 可以 没事 抱歉 再见 拜拜 早安
  晚安 是的 对的 嗯嗯 哈哈 再试 试试 重试 继续 给我 看看 好了 麻烦 行吧 明白 收到 加油 来吧 请你 帮我 帮忙 辛苦`.split(
    /\s+/,
  );
/** Characters that are words of their own, and say nothing about a subject. */
const CHARACTERS = new Set(
  `的了是在我你您他她它们和与或也都就不没吗呢吧啊呀嘛哦嗯把被给让要会能可有这那个其每各某本该好再天点几多少什么很太最更还又先后前去来说看做想用到从对为以当等叫停写查
  找算读念听讲张件次些种条句段篇封份请问帮上下里外中内大小长短快慢高低年月日号时分秒周半一二三四五六七八九十百千万两哪谁怎何如若改换加减放拿打开关行走坐起出进回过完成像比跟向往只样久
  才刚已曾正将并且但而却所得地着过话事人家`,
);
const HAN = /\p{Script=Han}/u;

/** @param character that is a word of its own. */
export function isTellingCharacter(character: string): boolean {
  return HAN.test(character) && !CHARACTERS.has(character);
}

/** A text without phrases of courtesy in simplified Chinese. */
export function withoutPhrases(text: string): string {
  if (!HAN.test(text)) return text;
  let rest = text;
  for (const phrase of PHRASES) rest = rest.replaceAll(phrase, " ");
  return rest;
}

const COMMON = `weather joke timer alarm shorter longer tired dollar euro lot helpful german english french chinese translate translation able accord across act action actual add afternoon age ago agree almost alone along already always amaze amount answer anyone
  anything appear area arrive ask away back bad base become begin behind believe beside best better big bit both bring build
  busy buy call came care carry case cause certain chance change check choose clear close come common complete consider cost could
  couple course cover create current cut date day deal decide definitely describe detail different difficult do down each early
  easy either else end enjoy enough entire especially even evening event ever every everyone everything example exciting expect
  experience explain fact fall family far fast favorite favourite feel felt few file fill final find finish first follow forget
  form forward free friend full fun further future gave general get getting glad go goal good group grow guess guy half hand
  happen happy hard hear heard help here high hold home hope hot hour house however hundred idea important improve include inside
  instead interest issue item job join keep kept kid kind know large last late later lead least leave left less let level life
  light like line list little long longer look lose lot love low made main make many matter mean mention message mind
  minute miss moment money month more morning most move much near need never new next night noon normal note nothing
  number offer often old open option order other outside own part party pass past pay people person pick piece place plan play
  point possible prefer present pretty probably problem put question quick quickly quiet quite rather reach ready real reason
  receive recent recently recommend remain remind reminder reply rest result return room save saw second see seem seen
  self send set several share short side simple since single sit size small some someone something sometimes soon sort sound
  special spend stand start state stay step still story stuff suggest support take talk task test thing think third though thought thousand
  time today together told tonight total totally town toward true turn two type understand update use usual usually visit wait
  walk watch way wear week weekend weird went whole wish woman wonder word work world worry worth write wrong wrote year
  yesterday young zero one two three four five six seven eight nine ten eleven twelve once twice o'clock am pm
  monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
  november december spring summer autumn winter
  wetter witz kürzer länger erzähl erzähle übersetze deutsch englisch anders anfang antwort arbeit arbeiten art aufgabe beide beispiel bekommen besser bisschen bleiben brauche brauchen bringen dinge
  einfach einmal ende erste etwas fall fertig finde finden frage fragen frau freund früh ganz geben gefunden gehe gehen geht gemacht
  genug gerade gestern gibt glaube gleich groß haus heute heißt helfen hilfe hilf holen hören immer jahr jahre jeder jemand jetzt kam
  klein komme kommen kommt kosten kostet kurz lange lassen leben leicht leute letzte liegt liste machst macht man mann mehrere meinst
  minute minuten mich mittag monat morgen möchte möglich müssen muss nachmittag nachricht nächste nacht name natürlich neue nie
  niemand nichts nummer oben oft ort plan platz problem sache sachen sagen sage sagt sagte schreib schreiben schreibe schnell
  schlecht schön sehen seit siehe später stelle stunde stunden suche suchen tage teil text tun uhr uhrzeit unten versuchen vergessen verstehe
  vorher weiß welt wenig wichtig wirklich wissen woche wochen wollen wort zahl zeigen zeit ziemlich zurück zusammen zwei drei vier fünf
  montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember
  意思 多久 后呢 天气 笑话 改成 翻译 第一个 第二个 第三个 就这 有哪 再短 再长 短一 长一 今天 明天 昨天 后天 早上 上午 中午 下午 晚上 现在 时间 时候 分钟 小时 星期 周末 今年 明年 去年 这周 下周 每天 每周 每月 每个 月份
  事情 东西 地方 问题 工作 朋友 家里 觉得 知道 告诉 需要 喜欢 开始 结束 完成 准备 打算 提醒 安排 任务 消息 文件 内容 列表
  计划 名字 第一 第二 第三 一点 有点 很多 非常 特别 比较 所有 全部 其他 另外 不要 不用 不能 不会 还要 还有 帮我 一起 找到 看到 听到 出来
  起来 回来 过来 下来 可能 应该 已经 正在 马上 刚才 最近 以后 以前 之前 之后 先把 再把 多少 几点 几号 哪天 哪年 怎么 为什
  一个 两个 三个 几个 这里 那里 上面 下面 里面 外面 左右 大概 还是 或者 如果 因为 所以 但是 而且 然后 不过 只有 只是 真的 一样 简单 重要
  方便 写一 做一 发一 查一 找一 算一 一份 一封 一篇 一段 一句 一张 一份`;

const setOf = (words: string): ReadonlySet<string> =>
  new Set(words.split(/\s+/).flatMap((word) => [word, stem(withoutAccents(word))]));
const pleasantries = setOf(PLEASANTRIES);
const common = setOf(COMMON);

/** @param word a token, as `tokensIn` makes it. */
export function isPleasantry(word: string): boolean {
  return pleasantries.has(word);
}

/** @param word a token, as `tokensIn` makes it. */
export function isCommon(word: string): boolean {
  return common.has(word) || /^\d{1,2}$/.test(word);
}
