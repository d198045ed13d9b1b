/** The estimate of tokens against the tokenizers of OpenAI. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { countTokens, weigh } from "@mimikit/core/memory/weigh";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";

const random = (bytes: number) =>
  Buffer.concat(Array.from({ length: bytes / 32 }, (_, i) => createHash("sha256").update(`seed ${i}`).digest()));
const from = (alphabet: string) => Array.from(random(960), (byte) => alphabet[byte % alphabet.length]).join("");

const ENGLISH =
  "The supervisor reads the folder of tasks and starts the ones that are due. When a task fails, it is tried again after a short while, and the owner is told once about what went wrong and how to repair it.";

const TEXTS = {
  English: ENGLISH,
  Thai: "สวัสดีครับ วันนี้อากาศดีมาก เราจะไปตลาดเพื่อซื้อผลไม้และผักสด แล้วกลับมาทำอาหารเย็นที่บ้าน กรุณาเตือนฉันพรุ่งนี้เช้าเวลาเก้าโมงเรื่องการประชุม",
  Arabic:
    "مرحبا، الطقس جميل اليوم وسوف نذهب إلى السوق لشراء الفواكه والخضروات الطازجة ثم نعود إلى المنزل. ذكرني غدا في الساعة التاسعة بالاجتماع.",
  "Arabic with vowels": "بِسْمِ اللَّهِ الرَّحْمَٰنِ الرَّحِيمِ الْحَمْدُ لِلَّهِ رَبِّ الْعَالَمِينَ",
  Persian:
    "سلام، هوا امروز خیلی خوب است و ما به بازار می‌رویم تا میوه و سبزی تازه بخریم. لطفاً فردا ساعت نه جلسه را به من یادآوری کن.",
  Urdu: "السلام علیکم، آج موسم بہت اچھا ہے اور ہم تازہ پھل خریدنے کے لیے بازار جائیں گے۔ براہ کرم مجھے کل صبح یاد دلائیں۔",
  Hindi:
    "नमस्ते, आज मौसम बहुत अच्छा है और हम ताज़े फल और सब्ज़ियाँ खरीदने के लिए बाज़ार जाएँगे। कृपया मुझे कल सुबह नौ बजे बैठक की याद दिलाएँ।",
  Bengali: "আজ আবহাওয়া খুব ভালো এবং আমরা তাজা ফল কিনতে বাজারে যাব। অনুগ্রহ করে আগামীকাল সকালে আমাকে মনে করিয়ে দিন।",
  Tamil: "இன்று வானிலை மிகவும் நன்றாக உள்ளது, நாங்கள் புதிய பழங்களை வாங்க சந்தைக்குச் செல்வோம்.",
  Hebrew:
    "שלום, מזג האוויר היום נהדר ואנחנו הולכים לשוק לקנות פירות וירקות טריים. אנא הזכר לי מחר בתשע בבוקר על הפגישה.",
  Korean:
    "안녕하세요, 오늘은 날씨가 아주 좋아서 우리는 신선한 과일과 채소를 사러 시장에 갈 것입니다. 내일 아침 아홉 시에 회의를 알려 주세요.",
  Russian:
    "Здравствуйте, сегодня прекрасная погода, и мы пойдём на рынок за свежими фруктами и овощами. Напомните мне завтра о совещании.",
  Ukrainian:
    "Вітаю, сьогодні чудова погода, і ми підемо на ринок по свіжі фрукти й овочі. Нагадайте мені завтра о дев’ятій про нараду.",
  Greek:
    "Γεια σας, σήμερα ο καιρός είναι υπέροχος και θα πάμε στην αγορά για να αγοράσουμε φρέσκα φρούτα και λαχανικά.",
  Georgian: "გამარჯობა, დღეს კარგი ამინდია და ჩვენ ბაზარში წავალთ ახალი ხილის საყიდლად.",
  Armenian: "Բարև, այսօր եղանակը շատ լավն է, և մենք կգնանք շուկա՝ թարմ մրգեր գնելու։",
  Amharic: "ሰላም፣ ዛሬ አየሩ በጣም ጥሩ ነው እና ትኩስ ፍራፍሬዎችን ለመግዛት ወደ ገበያ እንሄዳለን።",
  Vietnamese:
    "Xin chào, hôm nay thời tiết rất đẹp và chúng tôi sẽ đi chợ để mua trái cây và rau tươi. Vui lòng nhắc tôi vào chín giờ sáng mai.",
  Turkish:
    "Merhaba, bugün hava çok güzel ve taze meyve ile sebze almak için pazara gideceğiz. Lütfen yarın sabah toplantıyı hatırlat.",
  Polish:
    "Dzień dobry, dziś jest piękna pogoda, więc pójdziemy na targ po świeże owoce i warzywa. Przypomnij mi jutro o spotkaniu.",
  German:
    "Der Aufseher liest den Ordner der Aufgaben und beginnt die fälligen. Schlägt eine Aufgabe fehl, wird sie wiederholt.",
  Chinese:
    "你好，今天天气很好，我们要去市场买新鲜的水果和蔬菜，然后一起回家做晚饭。请明天早上九点提醒我开会，并把会议纪要发给所有同事。",
  "traditional Chinese":
    "你好，今天天氣很好，我們要去市場買新鮮的水果和蔬菜，然後一起回家做晚飯。請明天早上九點提醒我開會，並寄會議紀錄。",
  Japanese:
    "こんにちは、今日はとても天気が良いので、新鮮な果物と野菜を買いに市場へ行きます。カタカナのテキストも含みます。",
  "several languages": "Meeting 会议 at 15:30 с Иваном — привет! नमस्ते 👋 see https://example.com/a?b=1&c=%E4%BD%A0",
  emoji: "😀🎉🚀👍❤️🔥✨😂🙏💡📅✅⚠️🐛🎂",
  "joined emoji": "👨‍👩‍👧‍👦👩🏽‍💻🏳️‍🌈🧑🏿‍🚀🇩🇪🇯🇵🤷🏻‍♀️",
  base64: random(960).toString("base64"),
  base64url: random(960).toString("base64url"),
  hex: random(960).toString("hex"),
  "upper-case hex": random(960).toString("hex").toUpperCase(),
  base32: from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
  base58: from("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
  digits: from("0123456789"),
  punctuation: from("!@#$%^&*()_+-=[]{}|;:,.<>?/~`"),
  csv: Array.from({ length: 100 }, (_, i) => `${i * 17},${(i * 3.37).toFixed(2)},2026-11-${10 + (i % 20)}`).join("\n"),
  code: readFileSync("packages/core/src/memory/weigh.ts", "utf8"),
  Python:
    "def read(path):\n    with open(path) as f:\n        for i, line in enumerate(f):\n            yield i, json.loads(line)\n",
  JSON: readFileSync("package.json", "utf8"),
  "JSON in one line": JSON.stringify(JSON.parse(readFileSync("package.json", "utf8"))),
  "minified code":
    '!function(e,t){"object"==typeof exports?module.exports=t():e.Z=t()}(this,(function(){var e=1e3,t=6e4,n=36e5,r="millisecond",i="second";return{m:function(t,n){for(var r=0;r<t.length;r++)t[r]^=n[r&7];return t}}}));',
  log: "2026-11-28T19:34:45.123Z INFO  [worker-3] GET /api/v1/tasks/t-000025?limit=50 200 12ms 10.0.0.7\n",
  HTML: '<div class="row"><a href="/x?id=3">Read</a><p style="color:#ff00aa;margin:0 4px">Hi</p></div>',
  "encoded address": encodeURIComponent("你好，今天天气很好，我们要去市场"),
};

describe("the estimate of tokens", () => {
  test.each(Object.entries(TEXTS))("is at least 0.8 of what a tokenizer counts: %s", (_name, text) => {
    expect(countTokens(text) / Math.max(countO200k(text), countCl100k(text))).toBeGreaterThanOrEqual(0.8);
  });

  test.each([
    ["English", ENGLISH],
    ["code", TEXTS.code],
    ["JSON", TEXTS.JSON],
    ["Markdown", readFileSync("README.md", "utf8")],
    ["Chinese", readFileSync("README.zh-CN.md", "utf8")],
  ])("is at most twice what a tokenizer counts: %s", (_name, text) => {
    expect(countTokens(text) / countO200k(text)).toBeLessThanOrEqual(2);
  });

  test("counts each digit, as the tokenizers of Qwen and Gemma do", () => {
    expect(countTokens(TEXTS.digits) / TEXTS.digits.length).toBeGreaterThanOrEqual(0.8);
  });

  test("is the sum of its parts, each counted after what precedes it", () => {
    for (const text of Object.values(TEXTS)) {
      const chars = [...text];
      const sum = chars.reduce((all, char, i) => all + countTokens(char, chars[i - 1] ?? ""), 0);
      expect(sum).toBeCloseTo(countTokens(text), 6);
    }
  });

  test("weighs prose as its characters, and other scripts as the prose that costs as much", () => {
    expect(weigh("plain words")).toBe(11);
    expect(weigh("汉字")).toBeGreaterThan(8);
    expect(weigh("\ud800")).toBeGreaterThan(0);
  });
});
