/** A server that asks for a login: it is made once, in a browser, kept, refreshed, and sent nowhere else. */
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { McpConnection, NotRunning } from "@mimikit/agent/mcp/connection";
import { readLogin, savedLogin, setLogin } from "@mimikit/agent/mcp/files/logins";
import { logIn } from "@mimikit/agent/mcp/log-in";
import { lockDocument } from "@mimikit/runtime/home/document-lock";
import { expect, onTestFinished, test } from "vitest";
import { LockedMcpServer } from "../../support/locked-mcp-server.ts";
import { temporaryDirectory } from "../fixtures.ts";

const NEVER = new AbortController().signal;

async function place() {
  const locked = await LockedMcpServer.start();
  onTestFinished(() => locked.close());
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  mkdirSync(join(home, "locks"), { recursive: true });
  const open = (url = locked.url) => {
    const options = { name: "it", server: { url }, home, workDir, env: {}, sandbox: () => "off" as const };
    const connection = new McpConnection({ ...options, onChange: () => undefined });
    onTestFinished(() => connection.close());
    return connection;
  };
  const browse = (address: URL) => void fetch(address).catch(() => undefined);
  return { locked, home, open, browse };
}

test("without a login the server is absent, and it is said which command makes one", async () => {
  const { open } = await place();
  const connection = open();
  await expect(connection.ready(NEVER)).rejects.toThrow(NotRunning);
  expect(connection.condition).toMatchObject({
    state: "failed",
    needsLogin: true,
    problems: ["it asks for a login: run  mimikit mcp login 'it'"],
  });
});

test("a login is made in a browser that comes back, is kept privately, and opens the server", async () => {
  const { locked, home, open, browse } = await place();
  expect(await logIn({ home, name: "it", url: locked.url, show: browse }, NEVER)).toBe(true);
  expect(statSync(join(home, "mcp-logins.json")).mode & 0o777).toBe(0o600);
  const connection = open();
  expect((await connection.call("open", {}, 10_000, NEVER)).content[0]?.text).toBe("it is open");
});

test("a browser elsewhere is answered by the address that it ended at; addresses of another login are passed over", async () => {
  const { locked, home } = await place();
  const { promise, resolve } = Promise.withResolvers<string>();
  async function* pasted() {
    yield "what?";
    yield "http://127.0.0.1:1/callback?code=forged&state=forged";
    yield await promise;
  }
  const show = async (address: URL) => {
    const answer = await fetch(address, { redirect: "manual" });
    resolve(answer.headers.get("location") ?? "");
  };
  const options = { home, name: "it", url: locked.url, show: (address: URL) => void show(address), pasted: pasted() };
  expect(await logIn(options, NEVER)).toBe(true);
  expect(readLogin(home, "it", locked.url)).toBeDefined();
});

test("no request but the browser's own ends a login, whatever a program of this machine sends to its port", async () => {
  const { locked, home } = await place();
  const state = "x".repeat(63);
  const statuses: (number | undefined)[] = [];
  const show = async (address: URL) => {
    const port = Number(new URL(address.searchParams.get("redirect_uri") ?? "").port);
    const paths = [
      "//",
      "///callback",
      "/callback",
      "/callback?state",
      `/callback?state=${state}%C3%A9&code=1`,
      "/%",
      "/callback?%",
    ];
    for (const path of [...paths, "*", "http://[", `/${"a".repeat(10_000)}`, `/callback?error=no&state=${state}é`]) {
      const sent = request({ port, path: "/" });
      // As the bytes of a path that no client of ours would send.
      Object.assign(sent, { path: Buffer.from(path).toString("latin1") });
      sent.end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      statuses.push(response.resume().statusCode);
    }
    const idle = connect({ port });
    await once(idle, "connect");
    await fetch(address).catch(() => undefined);
  };
  expect(await logIn({ home, name: "it", url: locked.url, show: (address) => void show(address) }, NEVER)).toBe(true);
  expect(statuses.filter((status) => status !== 404 && status !== 400)).toEqual([]);
  expect(statuses).toHaveLength(11);
});

test("a refused login is said in words, and leaves none", async () => {
  const { locked, home, browse } = await place();
  locked.refuses = true;
  await expect(logIn({ home, name: "it", url: locked.url, show: browse }, NEVER)).rejects.toThrow(
    /the login was refused: access_denied/,
  );
  expect(readLogin(home, "it", locked.url)).toBeUndefined();
});

test("a login that has run out is refreshed, and the new one is kept; where that is refused, a person must log in again", async () => {
  const { locked, home, open, browse } = await place();
  await logIn({ home, name: "it", url: locked.url, show: browse }, NEVER);
  const before = readFileSync(join(home, "mcp-logins.json"), "utf8");
  locked.valid.clear();
  const connection = open();
  await connection.ready(NEVER);
  expect(locked.grants).toEqual(["authorization_code", "refresh_token"]);
  expect(readFileSync(join(home, "mcp-logins.json"), "utf8")).not.toBe(before);
  locked.valid.clear();
  const login = readLogin(home, "it", locked.url);
  if (login === undefined) throw new Error("no login");
  await setLogin(home, "it", { ...login, tokens: { ...login.tokens, refresh_token: "stale" } });
  const second = open();
  await expect(second.ready(NEVER)).rejects.toThrow(NotRunning);
  expect(second.condition.problems[0]).toContain("mimikit mcp login");
  expect(JSON.stringify(second.condition)).not.toContain(login.tokens.access_token);
});

test("a login that is renewed while the one before is refused is not forgotten with that", async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, "locks"));
  const [path, url] = [join(home, "mcp-logins.json"), "http://a.example"];
  const loginOf = (access_token: string) => ({
    url,
    client: { client_id: "c" },
    tokens: { access_token, token_type: "Bearer" },
  });
  await setLogin(home, "it", loginOf("old"));
  const used = savedLogin(home, "it", loginOf("old"));
  await used.tokens();
  let forgotten: unknown;
  await lockDocument(home, "mcp-logins.json", async () => {
    forgotten = used.invalidateCredentials?.("all");
    writeFileSync(path, readFileSync(path, "utf8").replace("old", "new"));
  });
  await forgotten;
  expect(readLogin(home, "it", url)).toEqual(loginOf("new"));
  await used.tokens();
  await used.invalidateCredentials?.("all");
  expect(readLogin(home, "it", url)).toBeUndefined();
});

test("a login is sent to no other address than the one that it was made for", async () => {
  const { locked, home, open, browse } = await place();
  await logIn({ home, name: "it", url: locked.url, show: browse }, NEVER);
  const other = await LockedMcpServer.start();
  onTestFinished(() => other.close());
  const connection = open(other.url);
  await expect(connection.ready(NEVER)).rejects.toThrow(NotRunning);
  expect(other.grants).toEqual([]);
});
