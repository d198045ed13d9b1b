/**
 * Browsers and clients that are signed in (docs/security.md#signing-in). A browser's session is a file named by the hash of
 * its cookie that holds the hash of its secret; a client's is named by the hash of its token. So reading the disk is not
 * enough to sign in, and removing the file ends the session. The time of the file says when it was used last.
 */
import { createHash, randomBytes } from "node:crypto";
import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { BadJson } from "@mimikit/protocol/base/json";
import type { Device } from "@mimikit/protocol/wire/api";
import { hasCode } from "@mimikit/store/disk/error-code";
import { directoryOf, type FileSystem } from "@mimikit/store/disk/file-system";
import { createRecord, readRecord } from "@mimikit/store/disk/record";
import { subscriptionPath, WEB_SESSIONS } from "@mimikit/store/disk/state";
import { z } from "zod";
import { isSame } from "./same.ts";

export const SESSION_DAYS = 30;
const SESSIONS_MAX = 100;
/** Clients with a token of their own. None makes room for another: a token counts until it is revoked. */
const CLIENTS_MAX = 100;
const SECRET_BYTES = 32;
const DAY_MS = 86_400_000;
/** How exactly it is known when a browser was seen last, in milliseconds. */
const SEEN_MS = 60_000;
const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/;
/** Some clients take no key that does not begin with `sk-`. */
const TOKEN_PREFIX = "sk-mimikit-";

const Browser = z.strictObject({
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  secretHash: z.string(),
  /** Of the browser, as it calls itself. Sessions of before 0.3 have none. */
  name: z.string().optional(),
});
const Client = z.strictObject({ kind: z.literal("client"), createdAt: z.iso.datetime(), name: z.string() });
type Client = z.infer<typeof Client>;
const Session = z.union([Browser, Client]);
type Session = z.infer<typeof Session>;

/** The credentials of a browser: the cookie alone is not enough, because browsers send it by themselves. */
export interface SignedIn {
  cookie: string;
  secret: string;
}

/** A browser, without what the session alone does not say. */
export type KnownDevice = Omit<Device, "isThis" | "push">;

export class Sessions {
  private readonly home: string;
  private readonly fs: FileSystem;

  constructor(home: string, fs: FileSystem) {
    this.home = home;
    this.fs = fs;
  }

  /** Signs the browser of that name in, durably. Sessions that ended, and the oldest beyond SESSIONS_MAX, are removed on the way. */
  async create(name: string, nowMs: number): Promise<SignedIn> {
    await this.removeOld(nowMs);
    const cookie = randomBytes(SECRET_BYTES).toString("base64url");
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    const session = {
      createdAt: new Date(nowMs).toISOString(),
      expiresAt: new Date(nowMs + SESSION_DAYS * DAY_MS).toISOString(),
      secretHash: hashOf(secret),
      name,
    };
    await createRecord(this.fs, Browser, pathOf(hashOf(cookie)), session);
    return { cookie, secret };
  }

  /** The id of the living session that cookie and secret belong to; null when they are not one. */
  async find({ cookie, secret }: SignedIn, nowMs: number): Promise<string | null> {
    if (!SECRET_PATTERN.test(cookie)) return null;
    const id = hashOf(cookie);
    const session = await this.read(id);
    if (session === null || isClient(session) || !isLiving(session, nowMs)) return null;
    if (!isSame(hashOf(secret), session.secretHash)) return null;
    await this.noteSeen(id, nowMs);
    return id;
  }

  /**
   * Makes a token for one client, durably.
   * @returns the token, which is kept nowhere, and the id of its session; null where there are CLIENTS_MAX already.
   */
  async addClient(name: string, nowMs: number): Promise<{ id: string; token: string } | null> {
    const all = await this.list(nowMs);
    if (all.filter(({ kind }) => kind === "client").length >= CLIENTS_MAX) return null;
    const token = TOKEN_PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
    const id = hashOf(token);
    const session: Client = { kind: "client", createdAt: new Date(nowMs).toISOString(), name };
    await createRecord(this.fs, Client, pathOf(id), session);
    return { id, token };
  }

  /** The id of the session that a client's token belongs to; null for any other text. */
  async findClient(token: string, nowMs: number): Promise<string | null> {
    if (!token.startsWith(TOKEN_PREFIX) || !SECRET_PATTERN.test(token.slice(TOKEN_PREFIX.length))) return null;
    const id = hashOf(token);
    const session = await this.read(id);
    if (session === null || !isClient(session)) return null;
    await this.noteSeen(id, nowMs);
    return id;
  }

  /** All browsers and clients that are signed in, the one that was seen last first. */
  async list(nowMs: number): Promise<KnownDevice[]> {
    const devices: KnownDevice[] = [];
    for (const name of await this.fs.list(WEB_SESSIONS)) {
      const id = name.replace(/\.json$/, "");
      const session = await this.read(id);
      const info = await this.fs.info(pathOf(id));
      if (session === null || info === null || !isLiving(session, nowMs)) continue;
      const { createdAt, name: called = null } = session;
      const common = { id, name: called, pairedAt: createdAt, seenAt: new Date(info.mtimeMs).toISOString() };
      if (isClient(session)) devices.push({ ...common, kind: "client", expiresAt: null });
      else devices.push({ ...common, kind: "browser", expiresAt: session.expiresAt });
    }
    return devices.sort((a, b) => (a.seenAt < b.seenAt ? 1 : -1));
  }

  /** Ends this session, of a browser or of a client. @returns false where there is no such session. */
  async end(id: string): Promise<boolean> {
    if ((await this.read(id)) === null) return false;
    await this.remove(id);
    return true;
  }

  /** Is this session still signed in? */
  async isSignedIn(id: string, nowMs: number): Promise<boolean> {
    const session = await this.read(id);
    return session !== null && isLiving(session, nowMs);
  }

  /** The id of the living session with this cookie; null where there is none. It proves less than `find`: browsers send it by themselves. */
  async ofCookie(cookie: string, nowMs: number): Promise<string | null> {
    if (!SECRET_PATTERN.test(cookie)) return null;
    const id = hashOf(cookie);
    return (await this.isSignedIn(id, nowMs)) ? id : null;
  }

  /** Signs the browser with this cookie out. Returns the id of its session; null when there was none. */
  async revoke(cookie: string): Promise<string | null> {
    if (!SECRET_PATTERN.test(cookie)) return null;
    const id = hashOf(cookie);
    if (!(await this.fs.exists(pathOf(id)))) return null;
    await this.remove(id);
    return id;
  }

  /** By the time of the file alone: a file that is removed meanwhile does not come back. */
  private async noteSeen(id: string, nowMs: number): Promise<void> {
    const info = await this.fs.info(pathOf(id));
    if (info === null || Math.abs(nowMs - info.mtimeMs) < SEEN_MS) return;
    try {
      await utimes(join(this.home, pathOf(id)), nowMs / 1_000, nowMs / 1_000);
    } catch (error) {
      // It was signed out just now, or the disk is read-only: the browser may go on until it is told otherwise.
      if (!hasCode(error, "ENOENT", "EROFS")) throw error;
    }
  }

  /** A file that is no session signs no browser in. */
  private async read(id: string): Promise<Session | null> {
    try {
      return await readRecord(this.fs, Session, pathOf(id));
    } catch (error) {
      if (error instanceof BadJson) return null;
      throw error;
    }
  }

  /** The subscription of the browser goes first: a session that is still there can be ended again. */
  private async remove(id: string): Promise<void> {
    await this.fs.unlink(subscriptionPath(id));
    await this.fs.unlink(pathOf(id));
    await this.fs.syncDir(directoryOf(pathOf(id)));
  }

  /** A directory in its place signs no browser in, and keeps none from it. */
  private async removeIfFile(id: string): Promise<void> {
    try {
      await this.remove(id);
    } catch (error) {
      // Linux says the first of a directory, others the second.
      if (!hasCode(error, "EISDIR", "EPERM")) throw error;
    }
  }

  private async removeOld(nowMs: number): Promise<void> {
    const living: { id: string; createdAt: string }[] = [];
    for (const name of await this.fs.list(WEB_SESSIONS)) {
      const id = name.replace(/\.json$/, "");
      const session = await this.read(id);
      if (session !== null && isClient(session)) continue;
      if (session !== null && isLiving(session, nowMs)) living.push({ id, createdAt: session.createdAt });
      else await this.removeIfFile(id);
    }
    const oldestFirst = living.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    for (const { id } of oldestFirst.slice(0, Math.max(0, living.length + 1 - SESSIONS_MAX))) await this.remove(id);
  }
}

function isClient(session: Session): session is Client {
  return "kind" in session;
}

/** A client's token counts until it is revoked. */
function isLiving(session: Session, nowMs: number): boolean {
  return isClient(session) || nowMs < Date.parse(session.expiresAt);
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function pathOf(id: string): string {
  return `${WEB_SESSIONS}/${id}.json`;
}
