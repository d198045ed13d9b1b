import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createPairing, PAIRING_MS, redeemPairingCode } from "@mimikit/runtime/home/pairing";
import { expect, test } from "vitest";
import { WrongCredentials } from "../../../apps/http-gateway/src/auth/attempts.ts";
import { open } from "../client.ts";
import { type Answer, type Started, startGateway, temporaryHome } from "../gateway.ts";

/** The data that a paired browser sends along. */
interface Browser {
  cookie: string;
  secret: string;
}

const asPage = ({ cookie, secret }: Browser) => ({
  signedIn: false,
  headers: { Cookie: cookie, "X-Mimikit-Secret": secret },
});

function cookieOf(answer: Answer): string {
  return answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

async function pairBrowser(gateway: Started): Promise<Browser> {
  const code = (await createPairing(gateway.home)).code;
  const answer = await gateway.post("/api/pair", { code }, { signedIn: false });
  expect(answer.status).toBe(200);
  return { cookie: cookieOf(answer), secret: (answer.json as { secret: string }).secret };
}

test("a paired page reads and writes with its cookie and its secret", async () => {
  const gateway = await startGateway();
  const browser = await pairBrowser(gateway);
  expect((await gateway.ask("/api/status", asPage(browser))).status).toBe(200);
  const headers = { ...asPage(browser).headers, Origin: `http://127.0.0.1:${gateway.port}` };
  expect((await gateway.post("/api/input", { text: "hi" }, { signedIn: false, headers })).status).toBe(202);
});

test("neither the cookie nor the secret is enough alone, nor the secret of another session", async () => {
  const gateway = await startGateway();
  const mine = await pairBrowser(gateway);
  const other = await pairBrowser(gateway);
  const tries = [
    { Cookie: mine.cookie },
    { "X-Mimikit-Secret": mine.secret },
    { Cookie: mine.cookie, "X-Mimikit-Secret": other.secret },
    { Cookie: `${mine.cookie}x`, "X-Mimikit-Secret": mine.secret },
  ];
  for (const headers of tries) {
    expect((await gateway.ask("/api/status", { signedIn: false, headers })).status).toBe(401);
  }
});

test("31 the cookie is out of the reach of scripts and of other sites, and named after the home", async () => {
  const gateway = await startGateway();
  const code = (await createPairing(gateway.home)).code;
  const answer = await gateway.post("/api/pair", { code }, { signedIn: false });
  const [pair, ...attributes] = (answer.headers["set-cookie"]?.[0] ?? "").split("; ");
  const name = `mimikit_${createHash("sha256").update(gateway.home).digest("hex").slice(0, 12)}`;
  expect(pair).toMatch(new RegExp(`^${name}=[A-Za-z0-9_-]{43}$`));
  expect(attributes).toEqual(expect.arrayContaining(["Path=/", "HttpOnly", "SameSite=Strict"]));
});

test("what is on disk signs nobody in: only hashes are kept", async () => {
  const gateway = await startGateway();
  const { cookie, secret } = await pairBrowser(gateway);
  const value = cookie.slice(cookie.indexOf("=") + 1);
  const everything = readdirSync(gateway.home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "utf8")}`)
    .join("\n");
  expect(everything).toContain(createHash("sha256").update(secret).digest("hex"));
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain(value);
});

test("29 a code that was used is gone", async () => {
  const gateway = await startGateway();
  const code = (await createPairing(gateway.home)).code;
  expect((await gateway.post("/api/pair", { code }, { signedIn: false })).status).toBe(200);
  const again = await gateway.post("/api/pair", { code }, { signedIn: false });
  expect(again).toMatchObject({ status: 410, json: { error: { code: "gone", message: "this code is used" } } });
  expect(again.headers["set-cookie"]).toBeUndefined();
});

test("30 a code is gone after ten minutes", async () => {
  const gateway = await startGateway();
  const code = (await createPairing(gateway.home, Date.now() - PAIRING_MS)).code;
  const answer = await gateway.post("/api/pair", { code }, { signedIn: false });
  expect(answer).toMatchObject({ status: 410, json: { error: { message: "this code is expired" } } });
});

test("a code from the future, left by a clock that was set back, is gone as well", async () => {
  const home = temporaryHome();
  const nowMs = Date.now();
  const code = (await createPairing(home, nowMs + 1)).code;
  expect(await redeemPairingCode(home, code, nowMs)).toBe("expired");
});

test("of many who redeem a code at once, one is paired", async () => {
  const gateway = await startGateway();
  const code = (await createPairing(gateway.home)).code;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => gateway.post("/api/pair", { code }, { signedIn: false })),
  );
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array<number>(19).fill(410)]);
  expect(gateway.names("sessions/web")).toHaveLength(1);
});

test("a code that never existed is a wrong credential", async () => {
  const gateway = await startGateway();
  for (const code of ["x", "../token", "A".repeat(43)]) {
    expect((await gateway.post("/api/pair", { code }, { signedIn: false })).status).toBe(401);
  }
});

test("a code has 256 random bits and is kept as a hash, by a private file that goes away", async () => {
  const home = temporaryHome();
  const { code, typed } = await createPairing(home);
  expect(Buffer.from(code, "base64url")).toHaveLength(32);
  const [hash = "", hashOfTyped = ""] = [code, typed.replace("-", "")].map((each) =>
    createHash("sha256").update(each).digest("hex"),
  );
  expect(readdirSync(join(home, "locks")).sort()).toEqual([`pair-${hash}.json`, `pair-${hashOfTyped}.json`].sort());
  expect(await redeemPairingCode(home, code)).toBe("paired");
  await createPairing(home, Date.now() + 2 * 3_600_000);
  const isOfIt = (name: string) => name.includes(hash) || name.includes(hashOfTyped);
  expect(readdirSync(join(home, "locks")).filter(isOfIt)).toEqual([]);
});

test("eight characters can be typed instead, in either case, with or without the dash, and O for 0 and l for 1", async () => {
  const home = temporaryHome();
  for (const write of [
    (typed: string) => typed,
    (typed: string) => typed.toLowerCase().replace("-", ""),
    (typed: string) => ` ${typed.replace("-", " ")} `,
    (typed: string) => typed.replaceAll("0", "O").replaceAll("1", "l"),
  ]) {
    const { typed } = await createPairing(home);
    expect(typed).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(await redeemPairingCode(home, write(typed))).toBe("paired");
  }
});

test("the two codes of a pairing sign one browser in, whichever of them comes first", async () => {
  const home = temporaryHome();
  for (const order of [
    ["code", "typed"],
    ["typed", "code"],
  ] as const) {
    const pairing = await createPairing(home);
    expect(await redeemPairingCode(home, pairing[order[0]])).toBe("paired");
    for (const each of order) expect(await redeemPairingCode(home, pairing[each])).toBe("used");
  }
  const { code, typed } = await createPairing(home);
  const all = await Promise.all([code, typed, code, typed, typed].map((each) => redeemPairingCode(home, each)));
  expect(all.sort()).toEqual(["paired", "used", "used", "used", "used"]);
});

test("a code that is typed is gone after ten minutes as well", async () => {
  const home = temporaryHome();
  const { typed } = await createPairing(home, Date.now() - PAIRING_MS);
  expect(await redeemPairingCode(home, typed)).toBe("expired");
});

test("where the page came over TLS, its cookie is sent over TLS alone", async () => {
  const gateway = await startGateway({ config: { publicUrl: "https://mimi.example" } });
  const pairAt = async (headers: Record<string, string>) => {
    const { code } = await createPairing(gateway.home);
    const answer = await gateway.post("/api/pair", { code }, { signedIn: false, headers });
    expect(answer.status).toBe(200);
    return answer.headers["set-cookie"]?.[0] ?? "";
  };
  expect(await pairAt({ Host: "mimi.example", Origin: "https://mimi.example" })).toMatch(/; Secure$/);
  expect(await pairAt({ Origin: `http://127.0.0.1:${gateway.port}` })).not.toContain("Secure");
  // Anybody can write it.
  expect(await pairAt({ "X-Forwarded-Proto": "https" })).not.toContain("Secure");
});

test("signing out ends the session and its sockets at once, and tells the browser to forget", async () => {
  const gateway = await startGateway();
  const browser = await pairBrowser(gateway);
  const client = await open(gateway, { headers: { Cookie: browser.cookie } });
  client.send({ type: "hello", token: browser.secret });
  await client.next("snapshot");
  const answer = await gateway.post("/api/sign-out", {}, asPage(browser));
  expect(answer.status).toBe(204);
  expect(answer.headers["set-cookie"]?.[0]).toMatch(/=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/);
  expect(await client.closed).toBe(1008);
  expect((await gateway.ask("/api/status", asPage(browser))).status).toBe(401);
  expect(gateway.names("sessions/web")).toEqual([]);
});

test("a session outlives a restart of the gateway, and ends when its file is removed", async () => {
  const first = await startGateway();
  const browser = await pairBrowser(first);
  await first.close();
  const second = await startGateway({ home: first.home });
  expect((await second.ask("/api/status", asPage(browser))).status).toBe(200);
  for (const name of second.names("sessions/web")) rmSync(join(second.home, "sessions/web", name));
  expect((await second.ask("/api/status", asPage(browser))).status).toBe(401);
});

test("a socket of a page needs the cookie and the secret that belong together", async () => {
  const gateway = await startGateway();
  const browser = await pairBrowser(gateway);
  const without = await open(gateway);
  without.send({ type: "hello", token: browser.secret });
  expect(await without.closed).toBe(1008);
  const alone = await open(gateway, { headers: { Cookie: browser.cookie } });
  alone.send({ type: "hello" });
  expect(await alone.closed).toBe(1008);
});

const WRONG = { signedIn: false, headers: { Authorization: `Bearer ${"0".repeat(64)}` } };

test("26 after 10 wrong tokens further wrong or missing ones get 429, also from the loopback; the right one passes", async () => {
  const gateway = await startGateway();
  for (let i = 0; i < 10; i++) expect((await gateway.ask("/api/status", WRONG)).status).toBe(401);
  const locked = await gateway.ask("/api/status", WRONG);
  expect(locked).toMatchObject({ status: 429, json: { error: { code: "slow_down" } } });
  expect(Number(locked.headers["retry-after"])).toBeGreaterThan(0);
  expect((await gateway.ask("/api/status", { signedIn: false })).status).toBe(429);
  expect((await gateway.post("/api/pair", { code: "x" }, { signedIn: false })).status).toBe(429);
  expect((await gateway.ask("/api/status")).status).toBe(200);
});

test("26 while an address is locked its typed codes wait, which could be guessed, and an address that signs in still does", async () => {
  const gateway = await startGateway();
  const { code, typed } = await createPairing(gateway.home);
  const pair = async (given: string) => (await gateway.post("/api/pair", { code: given }, { signedIn: false })).status;
  for (let i = 0; i < 10; i++) expect(await pair("AAAA-AAAA")).toBe(401);
  expect(await pair(typed)).toBe(429);
  expect(await pair(code)).toBe(200);
});

test("26 behind a proxy the client that the proxy has named last is locked out, and no other", async () => {
  const gateway = await startGateway({ config: { publicUrl: "https://mimi.example" } });
  const guess = async (forwardedFor: string) =>
    (await gateway.ask("/api/status", { ...WRONG, headers: { ...WRONG.headers, "X-Forwarded-For": forwardedFor } }))
      .status;
  // The entries before the last one are the client's own words.
  for (let i = 0; i < 10; i++) expect(await guess(`192.0.2.${i}, 198.51.100.7`)).toBe(401);
  expect(await guess("198.51.100.7")).toBe(429);
  expect(await guess("198.51.100.8")).toBe(401);
  for (let i = 0; i < 10; i++) await guess("no address");
  expect(await guess("another")).toBe(429);
});

test("26 without a public address nobody names another client than itself", async () => {
  const gateway = await startGateway();
  for (let i = 0; i < 10; i++) {
    const headers = { ...WRONG.headers, "X-Forwarded-For": `192.0.2.${i}` };
    expect((await gateway.ask("/api/status", { signedIn: false, headers })).status).toBe(401);
  }
  expect((await gateway.ask("/api/status", WRONG)).status).toBe(429);
});

test("26 a wrong hello counts like any other wrong credential", async () => {
  const gateway = await startGateway();
  for (let i = 0; i < 10; i++) {
    const client = await open(gateway);
    client.send({ type: "hello", token: "wrong" });
    expect(await client.closed).toBe(1008);
  }
  expect((await gateway.ask("/api/status", WRONG)).status).toBe(429);
});

test("27 a second, bogus credential neither helps nor hides a wrong one", async () => {
  const gateway = await startGateway();
  const browser = await pairBrowser(gateway);
  const headers = { ...WRONG.headers, Cookie: browser.cookie, "X-Mimikit-Secret": browser.secret };
  for (let i = 0; i < 10; i++) {
    expect((await gateway.ask("/api/status", { signedIn: false, headers })).status).toBe(401);
  }
  expect((await gateway.ask("/api/status", { signedIn: false, headers })).status).toBe(429);
  expect((await gateway.ask("/api/status", asPage(browser))).status).toBe(200);
});

test("credentials that are merely missing never lock an address", async () => {
  const gateway = await startGateway();
  for (let i = 0; i < 20; i++) expect((await gateway.ask("/api/status", { signedIn: false })).status).toBe(401);
});

test("an address is locked for 5 minutes by 10 wrong credentials within 60 s, and only by those", () => {
  const attempts = new WrongCredentials();
  for (let i = 0; i < 9; i++) attempts.noteWrong("a", i * 1_000);
  expect(attempts.noteWrong("a", 60_500)).toBe(false);
  expect(attempts.waitSec("a", 60_500)).toBe(0);
  for (let i = 0; i < 9; i++) expect(attempts.noteWrong("b", i)).toBe(false);
  expect(attempts.noteWrong("b", 9)).toBe(true);
  expect(attempts.waitSec("b", 9)).toBe(300);
  expect(attempts.waitSec("b", 300_008)).toBe(1);
  expect(attempts.waitSec("b", 300_009)).toBe(0);
  expect(attempts.waitSec("a", 9)).toBe(0);
});

test("a flood of addresses does not grow the memory of them without end, and forgets the oldest first", () => {
  const attempts = new WrongCredentials();
  for (let i = 0; i < 10; i++) attempts.noteWrong("first", 0);
  expect(attempts.waitSec("first", 0)).toBe(300);
  for (let i = 0; i < 9_999; i++) attempts.noteWrong(`address ${i}`, 0);
  expect(attempts.waitSec("first", 0)).toBe(300);
  attempts.noteWrong("one more", 0);
  expect(attempts.waitSec("first", 0)).toBe(0);
});

test("a directory among the sessions, whatever its name, costs nobody a sign-in", async () => {
  const gateway = await startGateway();
  for (const name of ["x.json", "y", `${"0".repeat(64)}.json`]) mkdirSync(join(gateway.home, "sessions/web", name));
  const browser = await pairBrowser(gateway);
  expect((await gateway.ask("/api/status", asPage(browser))).status).toBe(200);
});
