/** Pages as they are loaded from real servers on loopback: what is not asked for, what is bounded, what is read. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { getPage, NotLoaded, PAGE_BYTES_MAX, REDIRECTS_MAX, type WebReach } from "@mimikit/agent/web/get-page";
import { readInThread } from "@mimikit/agent/web/read-in-thread";
import { describe, expect, onTestFinished, test } from "vitest";

const never = new AbortController().signal;
const HERE: WebReach = { privateHosts: ["127.0.0.1"] };

/** A server on loopback, and the paths that it was asked for. */
async function serve(listener: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, port, url: `http://127.0.0.1:${port}` };
}

const html =
  (text: string): RequestListener =>
  (_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8").end(text);
  };

describe("an address of this machine", () => {
  test.each([
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "127.0.0.2",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
    "LOCALHOST",
  ])("is not connected to as %s", async (host) => {
    const { asked, port } = await serve(html("secret"));
    const page = getPage(`http://${host}:${port}/`, { privateHosts: [] }, never);
    await expect(page).rejects.toThrow(/private network.*web\.privateHosts/);
    expect(asked).toEqual([]);
  });

  test("is not connected to by a name where only the address is allowed, nor the other way round", async () => {
    const { asked, port } = await serve(html("secret"));
    await expect(getPage(`http://localhost:${port}/`, HERE, never)).rejects.toThrow(NotLoaded);
    await expect(getPage(`http://127.0.0.1:${port}/`, { privateHosts: ["localhost"] }, never)).rejects.toThrow(
      NotLoaded,
    );
    expect(asked).toEqual([]);
    expect((await getPage(`http://localhost:${port}/`, { privateHosts: ["localhost"] }, never)).status).toBe(200);
  });

  test.each([
    "http://localhost:PORT/secret",
    "http://127.0.0.2:PORT/secret",
    "//[::1]:PORT/secret",
    "file:///etc/passwd",
    "http://me:word@127.0.0.1:PORT/secret",
  ])("is not reached by a redirect to %s", async (target) => {
    const { asked, port, url } = await serve((_request, response) => {
      response.writeHead(302, { location: target.replace("PORT", String(port)) }).end();
    });
    await expect(getPage(`${url}/start`, HERE, never)).rejects.toThrow(NotLoaded);
    expect(asked).toEqual(["/start"]);
  });
});

test("a host that is not in the list is not asked, nor one that a page of the list leads to", async () => {
  const { asked, port, url } = await serve((_request, response) => {
    response.writeHead(301, { location: `http://localhost:${port}/` }).end();
  });
  const reach = { hosts: ["127.0.0.1"], privateHosts: ["127.0.0.1", "localhost"] };
  await expect(getPage(`http://localhost:${port}/`, reach, never)).rejects.toThrow(/web\.hosts/);
  expect(asked).toEqual([]);
  await expect(getPage(`${url}/a`, reach, never)).rejects.toThrow(/web\.hosts/);
  expect(asked).toEqual(["/a"]);
});

test("redirects are followed, and not for ever", async () => {
  const { asked, url } = await serve((request, response) => {
    if (request.url === "/end") html("<p>here")(request, response);
    else response.writeHead(307, { location: request.url === "/loop" ? "/loop" : "/end" }).end();
  });
  expect(await getPage(`${url}/start`, HERE, never)).toMatchObject({
    url: `${url}/end`,
    status: 200,
    type: "text/html",
  });
  await expect(getPage(`${url}/loop`, HERE, never)).rejects.toThrow("more than");
  expect(asked.filter((path) => path === "/loop")).toHaveLength(REDIRECTS_MAX + 1);
});

test("no cookie, no login and no address of an earlier page goes along", async () => {
  const heads: object[] = [];
  const { url } = await serve((request, response) => {
    heads.push(request.headers);
    response.writeHead(request.url === "/" ? 302 : 200, { location: "/next", "set-cookie": "a=b" }).end();
  });
  await getPage(url, HERE, never);
  expect(heads).toHaveLength(2);
  for (const head of heads)
    expect(Object.keys(head).sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
});

describe("what is bounded", () => {
  const zeros = Buffer.alloc(64 * 1_048_576);
  test.each<[string, RequestListener]>([
    ["a page without an end", (_request, response) => void writeForEver(response)],
    [
      "a bomb of gzip",
      (_request, response) => void response.setHeader("content-encoding", "gzip").end(gzipSync(zeros)),
    ],
    [
      "a bomb of brotli",
      (_request, response) => void response.setHeader("content-encoding", "br").end(brotliCompressSync(zeros)),
    ],
  ])("%s is read up to its bound, and the connection is closed", async (_, listener) => {
    let closed: Promise<void> | undefined;
    const { url } = await serve((request, response) => {
      closed = new Promise((resolve) => request.socket.once("close", () => resolve()));
      listener(request, response);
    });
    const page = await getPage(url, HERE, never);
    expect(page.isCut).toBe(true);
    expect(page.bytes).toHaveLength(PAGE_BYTES_MAX);
    await closed;
  });

  test("a server that does not come to its end is left, with words", async () => {
    const { url } = await serve((_request, response) => void response.write("a"));
    await expect(getPage(url, HERE, never, 300)).rejects.toThrow("within 0.3 s");
  });

  test("a run that is stopped waits for nothing", async () => {
    const stop = new AbortController();
    const { url } = await serve(() => stop.abort("cancelled"));
    await expect(getPage(url, HERE, stop.signal)).rejects.toBe("cancelled");
  });

  test("a page that would keep a parser busy for minutes is given up, while all else goes on", async () => {
    const { url } = await serve(html("<div>".repeat(400_000)));
    const page = await getPage(url, HERE, never);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await expect(readInThread(page, never)).rejects.toThrow("to read");
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });
});

describe("what is read", () => {
  const read = async (listener: RequestListener) =>
    readInThread(await getPage((await serve(listener)).url, HERE, never), never);

  test("is what the page is about, with the addresses of its links, and no navigation and no script", async () => {
    const { url } = await serve(
      html(`<html><head><title>Tea &amp; more</title></head><body><nav><a href="/n">menu</a></nav><main><h1>Tea</h1>
<p>Green <b>tea</b> and <a href="../black">black</a>.<script>evil()</script></p><table><tr><th>Leaf<th>Minutes<tr><td>green<td>2</table>
<ul><li>one<li>two</ul><pre>a\n  b</pre></main><footer>imprint</footer></body></html>`),
    );
    const page = await readInThread(await getPage(`${url}/a/b`, HERE, never), never);
    expect(page?.title).toBe("Tea & more");
    expect(page?.text).toBe(
      `Tea\n\nGreen tea and black [${url}/black].\n\nLeaf | Minutes |\ngreen | 2 |\n\n * one\n * two\n\na\n  b`,
    );
  });

  test.each<[string, string, Buffer]>([
    ["as its header says", "text/html; charset=gbk", Buffer.from([0xd6, 0xd0, 0xce, 0xc4])],
    [
      "as it says itself",
      "text/html",
      Buffer.concat([Buffer.from("<meta charset=gbk>"), Buffer.from([0xd6, 0xd0, 0xce, 0xc4])]),
    ],
    ["as UTF-8 where its name is unknown", "text/plain; charset=klingon", Buffer.from("中文")],
  ])("is decoded %s", async (_, type, bytes) => {
    expect((await read((_request, response) => void response.setHeader("content-type", type).end(bytes)))?.text).toBe(
      "中文",
    );
  });

  test("is JSON and other text as it is, and nothing of what is no text", async () => {
    const as = (type: string, text: string) =>
      read((_request, response) => void response.setHeader("content-type", type).end(text));
    expect((await as("application/json", '{"a": 1}'))?.text).toBe('{"a": 1}');
    expect((await as("text/plain", "<b>"))?.text).toBe("<b>");
    expect(await as("image/png", "x")).toBeNull();
  });
});

/** Until nobody listens. */
function writeForEver(response: Parameters<RequestListener>[1]): void {
  const chunk = Buffer.alloc(65_536, "a");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
}
