/** Which requests go through which proxy, by settings and variables. */
import {
  proxyAuthorization,
  proxyOf,
  proxyRules,
  proxySecrets,
  shownProxy,
} from "@mimikit/runtime/network/proxy-rules";
import { expect, test } from "vitest";

const PROXY = "http://proxy.example:3128";
const other = "http://other.example:3128";

const through = (url: string, env: Record<string, string>, settings = {}) => {
  const proxy = proxyOf(new URL(url), proxyRules(settings, env));
  return proxy === null ? null : `${shownProxy(proxy)} ${proxy.from}`;
};

test.each([
  ["https", { HTTPS_PROXY: PROXY }, "HTTPS_PROXY"],
  ["https", { https_proxy: PROXY, HTTPS_PROXY: other }, "https_proxy"],
  ["https", { ALL_PROXY: PROXY }, "ALL_PROXY"],
  ["https", { all_proxy: PROXY, HTTP_PROXY: other }, "all_proxy"],
  ["https", { HTTP_PROXY: PROXY }, "HTTP_PROXY"],
  ["https", { HTTPS_PROXY: "", ALL_PROXY: PROXY }, "ALL_PROXY"],
  ["https", { HTTPS_PROXY: "proxy.example:3128" }, "HTTPS_PROXY"],
  ["http", { HTTP_PROXY: PROXY, HTTPS_PROXY: other }, "HTTP_PROXY"],
  ["http", { http_proxy: PROXY }, "http_proxy"],
  ["http", { ALL_PROXY: PROXY, HTTPS_PROXY: other }, "ALL_PROXY"],
  ["http", { HTTPS_PROXY: other }, null],
  ["https", {}, null],
  ["http", { HTTP_PROXY: " " }, null],
] as const)("an %s request with %o goes through that of %s", (scheme, env, from) => {
  expect(through(`${scheme}://api.vendor.test/v1`, env)).toBe(from === null ? null : `${PROXY} ${from}`);
});

test("proxy.url counts before the variables, and NO_PROXY also for it unless proxy.noProxy is set", () => {
  const env = { HTTPS_PROXY: other, HTTP_PROXY: other, NO_PROXY: "lan.example" };
  expect(through("https://api.vendor.test", env, { url: PROXY })).toBe(`${PROXY} proxy.url`);
  expect(through("http://api.vendor.test", env, { url: PROXY })).toBe(`${PROXY} proxy.url`);
  expect(through("https://lan.example", env, { url: PROXY })).toBeNull();
  expect(through("https://lan.example", env, { url: PROXY, noProxy: ["x.example"] })).toBe(`${PROXY} proxy.url`);
  expect(through("https://x.example", env, { noProxy: ["x.example"] })).toBeNull();
});

test.each([
  "localhost",
  "a.localhost",
  "LOCALHOST.",
  "127.0.0.1",
  "127.9.9.9",
  "2130706433",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
])("a request to %s, this machine, goes through no proxy", (host) => {
  for (const scheme of ["http", "https"]) expect(through(`${scheme}://${host}:8080/`, { ALL_PROXY: PROXY })).toBeNull();
});

test.each([
  ["*", "https://a.example", true],
  ["a.example", "https://a.example", true],
  ["a.example", "https://A.Example.:8443", true],
  ["a.example", "https://b.a.example", true],
  ["a.example", "https://ba.example", false],
  [".a.example", "https://b.a.example", true],
  [".a.example", "https://a.example", true],
  ["*.a.example", "https://b.a.example", true],
  ["a.example:443", "https://a.example", true],
  ["a.example:443", "http://a.example", false],
  ["a.example:8080", "http://a.example:8080", true],
  ["b.example, a.example", "https://a.example", true],
  ["b.example a.example", "https://a.example", true],
  ["192.168.1.5", "http://192.168.1.5:11434", true],
  ["192.168.1.5:11434", "http://192.168.1.5:11434", true],
  ["1.5", "http://192.168.1.5", false],
  ["192.168.0.0/16", "http://192.168.1.5", true],
  ["192.168.0.0/16", "http://192.169.1.5", false],
  ["192.168.0.0/16", "http://name.example", false],
  ["fd00::/8", "http://[fd12::1]:80", true],
  ["fd12::1", "http://[fd12::1]", true],
  ["[fd12::1]:8080", "http://[fd12::1]:8080", true],
  ["[fd12::1]:8080", "http://[fd12::1]:80", false],
  ["10.0.0.0/99", "http://10.0.0.1", false],
  [".", "https://a.example", false],
  [",, ,", "https://a.example", false],
])("NO_PROXY=%s for %s: directly %s", (noProxy, url, isDirect) => {
  expect(through(url, { ALL_PROXY: PROXY, NO_PROXY: noProxy }) === null).toBe(isDirect);
  expect(through(url, { ALL_PROXY: PROXY, no_proxy: noProxy, NO_PROXY: "c.example" }) === null).toBe(isDirect);
});

test("a proxy that cannot be used is named in words without its address, where no other one takes its place", () => {
  const socks = proxyRules({}, { ALL_PROXY: "socks5://me:pass-word@proxy.example:1080" });
  expect(socks).toMatchObject({ http: null, https: null });
  expect(socks.problems).toEqual([
    "ALL_PROXY: a socks5 proxy is not supported, so requests go out directly; name an HTTP proxy, http://host:port",
  ]);
  expect(proxyRules({}, { ALL_PROXY: "socks5://p:1", HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY }).problems).toEqual([]);
  expect(proxyRules({}, { HTTPS_PROXY: "http://me:pass-word@" }).problems).toEqual([
    "HTTPS_PROXY: this is not the address of a proxy, so requests go out directly; write http://host:port",
  ]);
});

test("the name and the password are sent decoded, and are in no address that is shown", () => {
  const rules = proxyRules({}, { HTTPS_PROXY: "http://m%40e:p%C3%A4ss%3Aword%@proxy.example:3128" });
  const { https: proxy } = rules;
  if (proxy === null) throw new Error("no proxy");
  expect(shownProxy(proxy)).toBe(PROXY);
  expect(proxySecrets(rules)).toContain("p%C3%A4ss%3Aword%");
  const named = proxyOf(
    new URL("https://a.example"),
    proxyRules({}, { HTTPS_PROXY: "http://m%40e:p%C3%A4ss@p.example" }),
  );
  expect(named && proxyAuthorization(named)).toBe(`Basic ${Buffer.from("m@e:päss").toString("base64")}`);
  const alone = proxyOf(new URL("https://a.example"), proxyRules({}, { HTTPS_PROXY: "http://me@p.example" }));
  expect(alone && proxyAuthorization(alone)).toBe(`Basic ${Buffer.from("me:").toString("base64")}`);
});
