/**
 * Logs in to an MCP server (OAuth with PKCE): a person opens an address in a browser, and the browser comes back to a port of this
 * machine, or is told to the terminal by the address that it ended at.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { VERSION } from "@mimikit/runtime/home/version";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { clientMetadata, type McpLogin, setLogin } from "./files/logins.ts";

const START_MS = 30_000;
const CALLBACK = "/callback";
const STATE_BYTES = 32;
const BACK = "Mimikit: you can close this page.\n";

export interface LoggingIn {
  home: string;
  name: string;
  url: string;
  /** Is told which address to open. */
  show(address: URL): void;
  /** The addresses that a person pastes. */
  pasted?: AsyncIterable<string>;
}

/** @returns whether the server asked for a login at all. Throws an error for people where it came to nothing. */
export async function logIn({ home, name, url, show, pasted }: LoggingIn, signal: AbortSignal): Promise<boolean> {
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import("@modelcontextprotocol/client");
  const state = randomBytes(STATE_BYTES).toString("hex");
  const back = await awaitBrowser(state, signal);
  const made: Partial<McpLogin> = {};
  let verifier = "";
  let discovery: Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;
  const provider: OAuthClientProvider = {
    redirectUrl: back.redirectUrl,
    clientMetadata: clientMetadata(back.redirectUrl),
    state: () => state,
    clientInformation: () => made.client,
    saveClientInformation(client) {
      made.client = client;
    },
    tokens: () => made.tokens,
    saveTokens(tokens) {
      made.tokens = tokens;
    },
    redirectToAuthorization: show,
    saveCodeVerifier(text) {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(found) {
      discovery = found;
    },
    discoveryState: () => discovery,
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const client = new Client({ name: "mimikit", version: VERSION });
  try {
    try {
      await client.connect(transport, { timeout: START_MS });
      return false;
    } catch (error) {
      if (!(error instanceof UnauthorizedError)) throw error;
    }
    await transport.finishAuth(await Promise.race([back.answer, firstAnswer(pasted, state)]));
    const { client: registered, tokens } = made;
    if (registered === undefined || tokens === undefined) throw new Error("the server gave no tokens");
    await setLogin(home, name, { url, client: registered, tokens });
    return true;
  } finally {
    back.close();
    await client.close().catch(() => undefined);
  }
}

interface Back {
  redirectUrl: string;
  /** The answer that the browser came back with. Rejects where the login was refused, or `signal` aborts. */
  answer: Promise<URLSearchParams>;
  close(): void;
}

async function awaitBrowser(state: string, signal: AbortSignal): Promise<Back> {
  const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  // A caller that does not wait for it any more has another error.
  promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const found = answerIn(request.url ?? "", state);
    response
      .writeHead(found === null ? 404 : 200, { "content-type": "text/plain", connection: "close" })
      .end(found === null ? "" : BACK);
    if (found !== null) settle(found, resolve, reject);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return {
    redirectUrl: `http://127.0.0.1:${port}${CALLBACK}`,
    answer: promise,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The browser's answer in the path of a request; null for any other, which every page and program of this machine may send. */
function answerIn(path: string, state: string): URLSearchParams | null {
  const [place = "", query = ""] = path.split("?", 2);
  const found = new URLSearchParams(query);
  return place === CALLBACK && isSame(found.get("state") ?? "", state) ? found : null;
}

/** The first line that is the address of a browser that came back. */
async function firstAnswer(lines: AsyncIterable<string> | undefined, state: string): Promise<URLSearchParams> {
  for await (const line of lines ?? []) {
    if (!URL.canParse(line.trim())) continue;
    const { searchParams } = new URL(line.trim());
    if (!isSame(searchParams.get("state") ?? "", state)) continue;
    return new Promise((resolve, reject) => settle(searchParams, resolve, reject));
  }
  // Nothing was pasted: the browser comes back by itself.
  return new Promise(() => undefined);
}

function settle(
  found: URLSearchParams,
  resolve: (found: URLSearchParams) => void,
  reject: (error: Error) => void,
): void {
  const error = found.get("error");
  if (error === null) resolve(found);
  else reject(new Error(`the login was refused: ${found.get("error_description") ?? error}`));
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
