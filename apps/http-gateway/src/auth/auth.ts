/**
 * Decides who may use the gateway: the holder of the home's token, every browser that was paired and, under /v1 alone,
 * every client with a token of its own (docs/security.md#signing-in). The origin of a request earns no trust, the own
 * machine included.
 */

import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { coded } from "@mimikit/protocol/texts/coded";
import type { Log } from "@mimikit/runtime/audit/log";
import { HttpProblem } from "../http/problem.ts";
import { WrongCredentials } from "./attempts.ts";
import { clientAddress } from "./client-address.ts";
import { isSame } from "./same.ts";
import { SESSION_DAYS, type Sessions } from "./sessions.ts";

/** A script has the token; a page has a session that can be ended. */
export type Caller = { kind: "script" } | { kind: "page"; session: string };

export const SECRET_HEADER = "x-mimikit-secret";
const BEARER = /^Bearer ([A-Za-z0-9._~+/-]+=*)$/;
const HINT =
  "Send Authorization: Bearer with the content of the token file, or open the page with the link of `mimikit pair`.";
const CLIENT_HINT = "Send Authorization: Bearer with the token that `mimikit devices add <name>` has printed.";
const COOKIE_MAX_AGE_SEC = SESSION_DAYS * 86_400;

/** The cookie of one home. Browsers send a cookie to every port of a host, so its name tells two instances apart. */
export function cookieName(home: string): string {
  return `mimikit_${createHash("sha256").update(realpathSync(home)).digest("hex").slice(0, 12)}`;
}

/** The token of an Authorization header, if it has one that can be right. */
function bearerOf({ headers }: IncomingMessage): string | undefined {
  return BEARER.exec(headers.authorization ?? "")?.[1];
}

export class Auth {
  private readonly token: string;
  private readonly cookie: string;
  private readonly sessions: Sessions;
  private readonly log: Log;
  private readonly isProxied: boolean;
  private readonly attempts = new WrongCredentials();

  /** @param isProxied whether a proxy of this machine may say whose request it passes on. */
  constructor(home: string, token: string, sessions: Sessions, log: Log, isProxied: boolean) {
    this.token = token;
    this.cookie = cookieName(home);
    this.sessions = sessions;
    this.log = log;
    this.isProxied = isProxied;
  }

  /**
   * The caller of this request: by its Authorization header if it has one, else by cookie and secret.
   * @throws HttpProblem 401, 403 for a client's token, or 429 after too many wrong credentials from the same address.
   */
  async identify(request: IncomingMessage): Promise<Caller> {
    const { authorization } = request.headers;
    const secret = request.headers[SECRET_HEADER];
    if (authorization !== undefined) {
      const token = bearerOf(request);
      const caller = this.scriptOf(token);
      // A right credential at a wrong place is no guess, so it is not counted as one.
      if (caller === null && (await this.clientOf(token)) !== null)
        throw new HttpProblem(403, coded("client_elsewhere"), {
          code: "clients_only_v1",
          hint: "Use it with addresses that begin with /v1, or the token of the instance here.",
        });
      return this.decide(request, caller, true);
    }
    if (typeof secret !== "string") return this.decide(request, null, false);
    return this.decide(request, await this.pageOf(request, secret), true);
  }

  /**
   * The client that sent this request to /v1, by its bearer token: the id of its session, or `instance` for the token of the
   * home. No cookie counts, so that no page of another site can make a browser ask.
   * @throws HttpProblem 401, or 429 after too many wrong credentials from the same address.
   */
  async identifyClient(request: IncomingMessage): Promise<string> {
    const token = bearerOf(request);
    if (this.scriptOf(token) !== null) return "instance";
    const client = await this.clientOf(token);
    if (client !== null) return client;
    return this.turnAway(request, request.headers.authorization !== undefined, CLIENT_HINT);
  }

  /** The caller of this socket: its hello carries the token, or the secret that belongs to the cookie of its upgrade. */
  async identifySocket(upgrade: IncomingMessage, credential: string | undefined): Promise<Caller> {
    if (credential === undefined) return this.decide(upgrade, null, false);
    const caller = this.scriptOf(credential) ?? (await this.pageOf(upgrade, credential));
    return this.decide(upgrade, caller, true);
  }

  /** Turns a wrong credential away: throws `problem`, or 429 after too many of them from the same address. */
  refuse(request: IncomingMessage, problem: HttpProblem): never {
    this.throwIfLocked(request);
    const address = clientAddress(request, this.isProxied);
    const nowMs = performance.now();
    if (this.attempts.noteWrong(address, nowMs)) this.log.warn("too many wrong credentials", { address });
    throw problem;
  }

  /**
   * Set-Cookie for a new session: out of the reach of scripts, and never sent along from another site, nor in the clear where the page
   * came over TLS.
   */
  setCookie(value: string, request: IncomingMessage): string {
    // The page's own address, which HostPolicy has checked; forwarding headers may come from anywhere.
    const isOverTls = request.headers.origin?.startsWith("https:") === true;
    const secure = isOverTls ? "; Secure" : "";
    return `${this.cookie}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${COOKIE_MAX_AGE_SEC}${secure}`;
  }

  /** Set-Cookie that makes the browser forget. */
  clearCookie(): string {
    return `${this.cookie}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /** The value of our cookie in this request; empty when it has none. */
  cookieOf(request: IncomingMessage): string {
    for (const pair of (request.headers.cookie ?? "").split(";")) {
      const [name, value] = pair.trim().split("=", 2);
      if (name === this.cookie) return value ?? "";
    }
    return "";
  }

  private scriptOf(token: string | undefined): Caller | null {
    return token !== undefined && isSame(token, this.token) ? { kind: "script" } : null;
  }

  private async clientOf(token: string | undefined): Promise<string | null> {
    return token === undefined ? null : this.sessions.findClient(token, Date.now());
  }

  private async pageOf(request: IncomingMessage, secret: string): Promise<Caller | null> {
    const session = await this.sessions.find({ cookie: this.cookieOf(request), secret }, Date.now());
    return session === null ? null : { kind: "page", session };
  }

  /** The right credential always passes; a wrong one counts; both wrong and missing ones wait while the address is locked. */
  private decide(request: IncomingMessage, caller: Caller | null, tried: boolean): Caller {
    return caller ?? this.turnAway(request, tried, HINT);
  }

  private turnAway(request: IncomingMessage, tried: boolean, hint: string): never {
    const problem = new HttpProblem(401, coded(tried ? "credential_wrong" : "credential_needed"), { hint });
    if (tried) return this.refuse(request, problem);
    this.throwIfLocked(request);
    throw problem;
  }

  /** @throws HttpProblem 429 while the address of this request is locked out. */
  throwIfLocked(request: IncomingMessage): void {
    const waitSec = this.attempts.waitSec(clientAddress(request, this.isProxied), performance.now());
    if (waitSec === 0) return;
    throw new HttpProblem(429, coded("credentials_too_many"), {
      hint: `Try again in ${waitSec} s.`,
      headers: { "Retry-After": String(waitSec) },
    });
  }
}
