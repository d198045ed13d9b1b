import { wordsToFind } from "@mimikit/memory/sources/memory-query";
import { fold } from "@mimikit/memory/text/fold";
import { simplify } from "@mimikit/memory/text/simplify";
import { spellingsOf, tokenize } from "@mimikit/memory/text/tokenize";
import { expect, test } from "vitest";

test("tokens are words, and pairs and words of Chinese", () => {
  expect(tokenize("Use it, не npm!")).toEqual(["use", "it", "не", "npm"]);
  expect(tokenize("用pnpm管理")).toEqual(["用", "pnpm", "管理"]);
  expect(tokenize("包管理器").slice(0, 3)).toEqual(["包管", "管理", "理器"]);
  expect(tokenize("ｐｎｐｍ")).toEqual(["pnpm"]);
});

test.each([
  ["deployCloudflareWorker", ["deploycloudflareworker", "deploy", "cloudflar", "worker"]],
  ["HTTPServer", ["httpserver", "http", "server"]],
  ["user_id", ["user_id", "user", "id"]],
  ["docs/deploy.md", ["docs/deploy.md", "doc", "deploy", "md"]],
  ["ops@example.com", ["ops@example.com", "ops", "exampl", "com"]],
  ["v1.2.3", ["v1.2.3", "1.2.3", "v1"]],
  ["t-000042", ["t-000042", "000042"]],
])("%s is found whole and by its parts", (text, tokens) => {
  expect(tokenize(text)).toEqual(tokens);
});

test.each([
  ["note", "notes", "noted", "noting"],
  ["decide", "decides", "decided", "deciding"],
  ["plan", "plans", "planned", "planning"],
  ["copy", "copies", "copied", "copying"],
  ["price", "prices", "priced", "pricing"],
  ["fill", "fills", "filled", "filling"],
  ["add", "adds", "added", "adding"],
  ["agree", "agrees", "agreed", "agreeing"],
  ["box", "boxes"],
  ["branch", "branches"],
])("the forms of %s are one word", (...forms) => {
  expect(new Set(forms.flatMap((form) => tokenize(form))).size).toBe(1);
});

test.each([["status"], ["class"], ["analysis"], ["bus"], ["string"], ["speed"], ["red"], ["does"], ["used"]])(
  "%s has no other form",
  (word) => expect(tokenize(word)).toEqual([word]),
);

test.each([
  ["note", "not"],
  ["plane", "plan"],
  ["file", "fill"],
  ["hoped", "hopped"],
])("%s and %s are two words", (one, other) => expect(tokenize(one)).not.toEqual(tokenize(other)));

test.each(["in March", "decided in mar", "三月份", "3月14日", "2026-03", "2026-03-14.md", "mar 14"])(
  "%s speaks of the third month",
  (text) => expect(tokenize(text)).toContain("month-03"),
);

test.each(["may I come", "the marching band", "2026-13-01", "13月", "12026-031"])("%s speaks of no month", (text) =>
  expect(tokenize(text).filter((token) => token.startsWith("month-"))).toEqual([]),
);

test("traditional Chinese is searched as simplified Chinese, character by character, and nothing else changes", () => {
  const traditional = "這個問題應該怎麼處理：請幫我訂週四飛往臺灣的機票，並預約醫院的門診，還要買麵條、雞蛋與藥。";
  const simplified = "这个问题应该怎么处理：请帮我订周四飞往台湾的机票，并预约医院的门诊，还要买面条、鸡蛋与药。";
  expect(simplify(traditional)).toBe(simplified);
  expect(tokenize(traditional)).toEqual(tokenize(simplified));
  expect(fold("臺北 ＴＡＩＰＥＩ 𠮷")).toBe("台北 taipei 𠮷");
  for (const text of ["", "plain", simplified, "タワー 서울 ①"]) expect(simplify(text)).toBe(text);
});

test.each([
  ["café", "cafe"],
  ["Crème brûlée", "creme brulee"],
  ["Łódź, Straße", "lodz, strasse"],
  ["Ελλάδα", "ελλαδα"],
  ["İstanbul", "istanbul"],
  ["שָׁלוֹם", "שלום"],
  ["がっこう", "がっこう"],
  ["йод", "йод"],
  ["한국어", "한국어"],
  ["हिन्दी", "हिन्दी"],
])("%s is searched as %s, in whatever form its letters come", (text, folded) => {
  expect(fold(text.normalize("NFC"))).toBe(folded);
  expect(fold(text.normalize("NFD"))).toBe(folded);
});

test("German letters are also found as they are written without dots", () => {
  for (const text of ["Müller", "MÜLLER", "Mu\u0308ller"]) expect(tokenize(text)).toEqual(["muller", "mueller"]);
  expect(spellingsOf("mueller")).toEqual(["mueller", "muller"]);
  expect(spellingsOf("zebra")).toEqual(["zebra"]);
});

test("writing without spaces is cut into its words, and marks are a part of their words", () => {
  expect(tokenize("การประชุมวันจันทร์")).toContain("ประชุม");
  expect(tokenize("हिन्दी में")).toEqual(["हिन्दी", "में"]);
});

test.each([
  ["Wie viel Uhr ist es?", ["uhr"]],
  ["Wann war die Wartung?", ["wartung"]],
  ["the war and the hat", ["war", "hat"]],
])("%j is about %j", (text, words) => {
  expect(wordsToFind(text)).toEqual(words);
});
