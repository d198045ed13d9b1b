/** Pages of the web through a proxy: it connects, and what we can see of where it leads is still checked. */
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { getPage } from "@mimikit/agent/web/get-page";
import { searchWeb } from "@mimikit/agent/web/search-web";
import { useProxy } from "@mimikit/runtime/network/use-proxy";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { HttpProxy, type ProxyOptions } from "../../support/http-proxy.ts";
import { makeCertificate, type PrivateCertificate } from "../../support/private-ca.ts";

const never = new AbortController().signal;
const HOST = "page.vendor.test";
const known = getCACertificates("default");
let certificate: PrivateCertificate;
beforeAll(() => {
  certificate = makeCertificate(HOST);
  setDefaultCACertificates([...known, certificate.cert.toString()]);
});
afterAll(() => {
  setDefaultCACertificates(known);
  certificate.remove();
});
afterEach(() => useProxy({}, {}));

/** A site over TLS and without, which answers JSON and leads on as its path says, and a proxy to it. */
async function start(options: ProxyOptions = {}) {
  const servers = [createSecureServer({ key: certificate.key, cert: certificate.cert }), createServer()];
  const ports = await Promise.all(
    servers.map(async (server) => {
      server.on("request", (request, response) => {
        const to = new URL(request.url ?? "", "http://x").searchParams.get("to");
        if (to !== null) response.writeHead(302, { location: to });
        response.end(
          JSON.stringify({ results: [{ title: "t", url: `https://${request.headers.host}`, content: "c" }] }),
        );
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return (server.address() as AddressInfo).port;
    }),
  );
  const routes = { [`${HOST}:443`]: ports[0] ?? 0, [`${HOST}:80`]: ports[1] ?? 0 };
  const proxy = await HttpProxy.start({ routes, ...options });
  onTestFinished(() => proxy.stop());
  return { proxy, plainPort: ports[1] ?? 0 };
}

test("a page is loaded through the proxy, over TLS and without, also where a redirect leads from one to the other", async () => {
  const { proxy } = await start({ login: "me:word" });
  useProxy({ url: proxy.url.replace("://", "://me:word@") }, {});
  const page = await getPage(
    `http://${HOST}/a?to=${encodeURIComponent(`https://${HOST}/b`)}`,
    { privateHosts: [] },
    never,
  );
  expect(page).toMatchObject({ url: `https://${HOST}/b`, status: 200, isCut: false });
  expect(page.bytes.toString()).toContain(`https://${HOST}`);
  expect(proxy.passed.map(({ method, target }) => `${method} ${target.slice(0, 26)}`)).toEqual([
    `GET http://${HOST}/a?`,
    `CONNECT ${HOST}:443`,
  ]);
});

test.each([
  ["an address of a private network", "http://10.0.0.1/"],
  ["an address that machines of a cloud have", "http://169.254.169.254/latest"],
  ["this machine", "http://127.0.0.1/"],
  ["a name for this machine", "http://localhost/"],
  ["a name without a dot, which we cannot look up", "https://intranet/"],
  ["a name of a private network, which we cannot look up", "https://metadata.google.internal/"],
])("%s is not asked for, nor through the proxy", async (_name, url) => {
  const { proxy } = await start();
  useProxy({ url: proxy.url }, {});
  await expect(getPage(url, { privateHosts: [] }, never)).rejects.toThrow(/private network.*web\.privateHosts/);
  const leading = `http://${HOST}/?to=${encodeURIComponent(url)}`;
  await expect(getPage(leading, { privateHosts: [] }, never)).rejects.toThrow(/private network.*web\.privateHosts/);
  expect(proxy.targets).toEqual([leading]);
});

test("a private host that the owner allows is loaded: this machine directly, another through the proxy", async () => {
  const { proxy, plainPort } = await start();
  proxy.options.routes = { "wiki.lan:80": plainPort };
  useProxy({ url: proxy.url }, {});
  const reach = { privateHosts: ["127.0.0.1", "wiki.lan"] };
  expect((await getPage(`http://127.0.0.1:${plainPort}/`, reach, never)).status).toBe(200);
  expect(proxy.targets).toEqual([]);
  expect((await getPage("http://wiki.lan/", reach, never)).status).toBe(200);
  expect(proxy.targets).toEqual(["http://wiki.lan/"]);
});

test.each([
  ["a missing login over TLS", `https://${HOST}/`, { login: "me:word" }, /the proxy .* wants a name and a password/],
  ["a missing login", `http://${HOST}/`, { login: "me:word" }, /the proxy .* wants a name and a password/],
  ["a refusal", `https://${HOST}/`, { refuses: 403 }, /the proxy .* refuses to connect to page\.vendor\.test:443/],
])("%s is told as the proxy's", async (_name, url, options, message) => {
  const { proxy } = await start(options);
  useProxy({ url: proxy.url }, {});
  await expect(getPage(url, { privateHosts: [] }, never)).rejects.toThrow(message);
});

test.each(["http", "https"])("a proxy that is not there is named, for %s", async (scheme) => {
  useProxy({ url: "http://127.0.0.1:1" }, {});
  const page = getPage(`${scheme}://${HOST}/`, { privateHosts: [] }, never);
  await expect(page).rejects.toThrow("the proxy http://127.0.0.1:1 cannot be reached (ECONNREFUSED)");
});

test("a search goes through the proxy", async () => {
  const { proxy } = await start();
  useProxy({ url: proxy.url }, {});
  const hits = await searchWeb({ engine: "searxng", url: `https://${HOST}` }, "words", 3, never);
  expect(hits).toEqual([{ title: "t", url: `https://${HOST}`, text: "c" }]);
  expect(proxy.targets).toEqual([`${HOST}:443`]);
});
