/**
 * An MCP server over streamable HTTP that asks for a login, and the authorization server that gives it: OAuth 2.1 with PKCE,
 * registration of clients and refresh. The browser of a test is `fetch`.
 */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

interface Grant {
  challenge: string;
  redirectUri: string;
  clientId: string;
}

export class LockedMcpServer {
  /** The tokens that open it. */
  readonly valid = new Set<string>();
  /** Requests to the token endpoint, by their grant type. */
  readonly grants: string[] = [];
  /** Whether it refuses at its login page. */
  refuses = false;
  private readonly codes = new Map<string, Grant>();
  private readonly refreshTokens = new Set<string>();
  private readonly server = createServer((request, response) => void this.serve(request, response));

  static async start(): Promise<LockedMcpServer> {
    const locked = new LockedMcpServer();
    locked.server.listen(0, "127.0.0.1");
    await once(locked.server, "listening");
    return locked;
  }

  get origin(): string {
    const address = this.server.address();
    if (address === null || typeof address === "string") throw new Error("it does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, "close");
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.origin);
    const body = await text(request);
    const json = (status: number, data: unknown, headers: Record<string, string> = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(data));
    const { origin } = this;
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return void json(200, { resource: this.url, authorization_servers: [origin], scopes_supported: ["tools"] });
    if (pathname.startsWith("/.well-known/oauth-authorization-server"))
      return void json(200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/register") return void json(201, { ...JSON.parse(body), client_id: randomUUID() });
    if (pathname === "/authorize") return this.authorize(searchParams, response);
    if (pathname === "/token") return this.grant(new URLSearchParams(body), json);
    if (pathname !== "/mcp") return void json(404, {});
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined || !this.valid.has(token))
      return void json(
        401,
        {},
        {
          "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
        },
      );
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = JSON.parse(body) as { id?: number; method: string; params?: { protocolVersion?: string } };
    if (message.id === undefined) return void response.writeHead(202).end();
    json(200, { jsonrpc: "2.0", id: message.id, result: resultOf(message.method, message.params?.protocolVersion) });
  }

  private authorize(asked: URLSearchParams, response: ServerResponse): void {
    const redirectUri = asked.get("redirect_uri") ?? "";
    const back = new URL(redirectUri);
    back.searchParams.set("state", asked.get("state") ?? "");
    if (this.refuses) back.searchParams.set("error", "access_denied");
    else {
      const code = randomUUID();
      const challenge = asked.get("code_challenge_method") === "S256" ? (asked.get("code_challenge") ?? "") : "";
      this.codes.set(code, { challenge, redirectUri, clientId: asked.get("client_id") ?? "" });
      back.searchParams.set("code", code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  private grant(asked: URLSearchParams, json: (status: number, data: unknown) => unknown): void {
    const type = asked.get("grant_type") ?? "";
    this.grants.push(type);
    const code = this.codes.get(asked.get("code") ?? "");
    this.codes.delete(asked.get("code") ?? "");
    const proof = createHash("sha256")
      .update(asked.get("code_verifier") ?? "")
      .digest("base64url");
    const isNew =
      type === "authorization_code" &&
      code?.challenge === proof &&
      code.redirectUri === asked.get("redirect_uri") &&
      code.clientId === asked.get("client_id");
    const isAgain = type === "refresh_token" && this.refreshTokens.delete(asked.get("refresh_token") ?? "");
    if (!isNew && !isAgain) return void json(400, { error: "invalid_grant" });
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.valid.add(access);
    this.refreshTokens.add(refresh);
    json(200, { access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 3_600 });
  }
}

function resultOf(method: string, protocolVersion = ""): unknown {
  if (method === "initialize")
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "locked", version: "1" } };
  if (method === "tools/list")
    return { tools: [{ name: "open", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] };
  return { content: [{ type: "text", text: "it is open" }] };
}
