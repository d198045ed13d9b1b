/** Requests of `fetch` through a real proxy, to servers that are reached in no other way. */
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { proxyErrorIn } from "@mimikit/runtime/network/proxy-error";
import { proxyVariables, useProxy } from "@mimikit/runtime/network/use-proxy";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { HttpProxy, type ProxyOptions } from "../../support/http-proxy.ts";
import { makeCertificate, type PrivateCertificate } from "../../support/private-ca.ts";

const HOST = "api.vendor.test";
const URL_OF_VENDOR = `https://${HOST}/v1`;
const PLAIN_URL = `http://${HOST}/v1`;
const nodesOwn = globalThis.fetch;
const known = getCACertificates("default");

let certificate: PrivateCertificate;
beforeAll(() => {
  certificate = makeCertificate(HOST, "proxy.test");
  setDefaultCACertificates([...known, certificate.cert.toString()]);
});
afterAll(() => {
  setDefaultCACertificates(known);
  certificate.remove();
});
afterEach(() => useProxy({}, {}));

/** The vendor over TLS and without, and a proxy that leads to both. */
async function start(
  options: ProxyOptions = {},
  listener: RequestListener = (_request, response) => response.end("hello"),
) {
  const servers = [
    createSecureServer({ key: certificate.key, cert: certificate.cert }, listener),
    createServer(listener),
  ];
  const [secure, plain] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return (server.address() as AddressInfo).port;
    }),
  );
  const routes = { [`${HOST}:443`]: secure ?? 0, [`${HOST}:80`]: plain ?? 0 };
  const proxy = await HttpProxy.start({ routes, ...options });
  onTestFinished(() => proxy.stop());
  return { proxy, plainPort: plain ?? 0 };
}

const withLogin = (url: string, login: string) => url.replace("://", `://${login}@`);

const failureOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return proxyErrorIn(error);
};

test("without a proxy, fetch is Node's own, and so it is again when a proxy is taken out of the settings", () => {
  useProxy({}, { NO_PROXY: "a.example" });
  expect(globalThis.fetch).toBe(nodesOwn);
  useProxy({ url: "http://proxy.example:3128" }, {});
  expect(globalThis.fetch).not.toBe(nodesOwn);
  useProxy({}, {});
  expect(globalThis.fetch).toBe(nodesOwn);
});

test("an https request goes by CONNECT, and an http request by its whole address, with the body there and back", async () => {
  const { proxy } = await start({}, (request, response) => {
    request.pipe(response.setHeader("x-host", request.headers.host ?? ""));
  });
  useProxy({}, { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url });
  for (const url of [URL_OF_VENDOR, PLAIN_URL]) {
    const response = await fetch(`${url}?q=1`, {
      method: "POST",
      body: "told",
      headers: { "x-mine": "1" },
      redirect: "error",
    });
    expect(await response.text()).toBe("told");
    expect(response.headers.get("x-host")).toBe(HOST);
  }
  expect(proxy.passed).toEqual([
    { method: "CONNECT", target: `${HOST}:443` },
    { method: "POST", target: `${PLAIN_URL}?q=1` },
  ]);
});

test("connections are kept: a second request opens no second tunnel", async () => {
  const { proxy } = await start();
  useProxy({ url: proxy.url }, {});
  for (const _ of [1, 2]) {
    expect(await (await fetch(URL_OF_VENDOR)).text()).toBe("hello");
    // undici takes the connection back in a later turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(proxy.targets).toEqual([`${HOST}:443`]);
});

test("an answer is read while it comes", async () => {
  let go: () => void = () => {};
  const { proxy } = await start({}, (_request, response) => {
    response.write("first ");
    go = () => response.end("second");
  });
  useProxy({ url: proxy.url }, {});
  const reader = (await fetch(URL_OF_VENDOR)).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first ");
  go();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("second");
});

test("this machine and the hosts of NO_PROXY are reached directly, also where a redirect leads there", async () => {
  const here = { port: 0 };
  const { proxy, plainPort } = await start({}, (request, response) => {
    if (request.url === "/v1") response.writeHead(302, { location: `http://127.0.0.1:${here.port}/there` });
    response.end(request.url);
  });
  here.port = plainPort;
  useProxy({ url: proxy.url }, {});
  expect(await (await fetch(`http://127.0.0.1:${plainPort}/x`)).text()).toBe("/x");
  expect(proxy.targets).toEqual([]);
  expect(await (await fetch(URL_OF_VENDOR)).text()).toBe("/there");
  expect(proxy.targets).toEqual([`${HOST}:443`]);
  useProxy({ url: proxy.url, noProxy: [".vendor.test"] }, {});
  await expect(fetch(PLAIN_URL)).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/) },
  });
});

test("the name and password in the address are sent to the proxy, and not to the server", async () => {
  const headers: unknown[] = [];
  const { proxy } = await start({ login: "me:pass word" }, (request, response) => {
    headers.push(request.headers["proxy-authorization"]);
    response.end();
  });
  useProxy({ url: withLogin(proxy.url, "me:pass%20word") }, {});
  for (const url of [URL_OF_VENDOR, PLAIN_URL]) expect((await fetch(url)).status).toBe(200);
  expect(headers).toEqual([undefined, undefined]);
});

test("a proxy may speak TLS itself", async () => {
  const proxyCertificate = makeCertificate("localhost");
  onTestFinished(() => proxyCertificate.remove());
  const { proxy } = await start({ tls: proxyCertificate });
  const url = `https://localhost:${proxy.port}`;
  useProxy({ url }, {});
  const refused = await failureOf(fetch(URL_OF_VENDOR));
  expect(refused?.message).toMatch(
    /^the certificate of localhost:\d+ through the proxy .* NODE_EXTRA_CA_CERTS set to it$/,
  );
  setDefaultCACertificates([...known, certificate.cert.toString(), proxyCertificate.cert.toString()]);
  onTestFinished(() => setDefaultCACertificates([...known, certificate.cert.toString()]));
  for (const asked of [URL_OF_VENDOR, PLAIN_URL]) expect(await (await fetch(asked)).text()).toBe("hello");
});

describe("an error of the proxy is told as its own, with what to do", () => {
  test.each([
    ["a missing login", { login: "me:secret-word" }, /wants a name and a password \(HTTP 407\): .*HTTPS?_PROXY/, false],
    ["a refusal", { refuses: 403 }, /refuses to connect to api\.vendor\.test:443 \(HTTP 403\): allow/, false],
    ["no way to the host", { routes: {} }, /cannot reach api\.vendor\.test:443 \(HTTP 502\)/, true],
    [
      "a name that it cannot look up, as squid and tinyproxy answer",
      { refuses: 500 },
      /cannot reach api\.vendor\.test:443 \(HTTP 500\)/,
      true,
    ],
    ["one that is busy", { refuses: 503 }, /cannot reach api\.vendor\.test:443 \(HTTP 503\)/, true],
  ])("%s", async (_name, options, message, isOutage) => {
    const { proxy } = await start(options);
    useProxy({}, { HTTPS_PROXY: withLogin(proxy.url, "me:wrong-word") });
    const error = await failureOf(fetch(URL_OF_VENDOR));
    expect(error).toMatchObject({ message: expect.stringMatching(message), isOutage });
    expect(error?.message).toContain(proxy.url);
    expect(error?.message).not.toMatch(/secret-word|wrong-word/);
  });

  test("a missing login for an http address", async () => {
    const { proxy } = await start({ login: "me:secret" });
    useProxy({}, { HTTP_PROXY: proxy.url });
    expect(await failureOf(fetch(PLAIN_URL))).toMatchObject({
      message: `the proxy ${proxy.url} wants a name and a password (HTTP 407): correct them in its address (HTTP_PROXY)`,
    });
  });

  test.each([URL_OF_VENDOR, PLAIN_URL])("a proxy that is not there, for %s", async (url) => {
    const { proxy } = await start();
    await proxy.stop();
    useProxy({ url: "http://127.0.0.1:1" }, {});
    expect(await failureOf(fetch(url))).toMatchObject({
      message:
        "the proxy http://127.0.0.1:1 cannot be reached (ECONNREFUSED): start it, or correct its address in proxy.url",
      isOutage: true,
    });
  });

  test("one that reads along with a certificate that nobody knows", async () => {
    const { proxy } = await start();
    setDefaultCACertificates(known);
    onTestFinished(() => setDefaultCACertificates([...known, certificate.cert.toString()]));
    useProxy({ url: proxy.url }, {});
    expect(await failureOf(fetch(URL_OF_VENDOR))).toMatchObject({
      message: `the certificate of ${HOST}:443 through the proxy ${proxy.url} is of an unknown authority: save that of the proxy in a file, and start with NODE_EXTRA_CA_CERTS set to it`,
      isOutage: false,
    });
  });

  test("an error of the server is the server's", async () => {
    const { proxy } = await start({}, (request) => request.socket.destroy());
    useProxy({ url: proxy.url }, {});
    expect(await failureOf(fetch(URL_OF_VENDOR))).toBeNull();
    await expect(fetch(URL_OF_VENDOR)).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/) },
    });
  });
});

test("a caller that stops is told so, with its reason", async () => {
  const { proxy } = await start({}, () => {});
  useProxy({ url: proxy.url }, {});
  const stop = new AbortController();
  const asked = fetch(URL_OF_VENDOR, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(asked).rejects.toThrow("enough");
});

test("programs that are started are told of the proxy of the settings, and of its password only where they are trusted", () => {
  useProxy({ url: "http://me:word@proxy.example:3128", noProxy: ["lan.example"] }, { HTTPS_PROXY: "http://b" });
  expect(proxyVariables(true)).toEqual({
    HTTP_PROXY: "http://me:word@proxy.example:3128",
    http_proxy: "http://me:word@proxy.example:3128",
    HTTPS_PROXY: "http://me:word@proxy.example:3128",
    https_proxy: "http://me:word@proxy.example:3128",
    NO_PROXY: "localhost,127.0.0.1,::1,lan.example",
    no_proxy: "localhost,127.0.0.1,::1,lan.example",
  });
  expect(proxyVariables(false)).toEqual({});
  useProxy({ url: "http://proxy.example:3128" }, {});
  expect(proxyVariables(false)).toMatchObject({ HTTPS_PROXY: "http://proxy.example:3128" });
  useProxy({}, { HTTPS_PROXY: "http://b" });
  expect(proxyVariables(true)).toEqual({});
});
