/**
 * A push service of the test's own: real HTTPS with a certificate made for it, which reads what browsers would read. It checks the
 * signature (RFC 8292) and decrypts the content (RFC 8188, RFC 8291) with keys of its browsers, by node:crypto alone, so that nothing
 * of what sends is taken for granted.
 */
import { execFileSync } from "node:child_process";
import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PushAddress } from "@mimikit/protocol/wire/push";
import type { PushPayload } from "../../apps/http-gateway/src/push/payload.ts";

export interface Received {
  /** Which browser it is for: the path of its endpoint. */
  path: string;
  headers: IncomingHttpHeaders;
  payload: PushPayload;
}

/** The answer to a push: a status, or a function of the test. */
export type Answer = number | ((response: ServerResponse, received: Received) => void | Promise<void>);

interface Browser {
  keys: ECDH;
  auth: Buffer;
  /** With which key it subscribed: pushes of others are refused. */
  applicationServerKey: string;
}

const TAKEN = 201;
const DAY_SEC = 86_400;
/** How long a push that must come may take, on a loaded machine. */
const PATIENCE_MS = 120_000;

export class PushService {
  /** For NODE_EXTRA_CA_CERTS. */
  readonly certificate: string;
  /** Everything that came, whatever it was answered, in order. */
  readonly received: Received[] = [];
  /** How the next pushes are answered, one by one; then with `answer`. */
  readonly answers: Answer[] = [];
  answer: Answer = TAKEN;
  /** Faults that it has found in pushes. */
  readonly mistakes: string[] = [];
  private readonly directory: string;
  private readonly browsers = new Map<string, Browser>();
  private readonly arrivals = new EventEmitter();
  private server: Server | undefined;
  private port = 0;
  private taken = 0;

  private constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "mimikit-push-"));
    this.certificate = join(this.directory, "cert.pem");
    const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const files = ["-keyout", join(this.directory, "key.pem"), "-out", this.certificate];
    const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    execFileSync("openssl", ["req", "-x509", ...curve, ...files, "-days", "2", ...names], { stdio: "pipe" });
  }

  static async start(): Promise<PushService> {
    const service = new PushService();
    await service.listen();
    return service;
  }

  get origin(): string {
    return `https://localhost:${this.port}`;
  }

  /** Listens; after `stop` on the same port again. */
  async listen(): Promise<void> {
    const [key, cert] = [readFileSync(join(this.directory, "key.pem")), readFileSync(this.certificate)];
    const server = createServer({ key, cert }, async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      await this.take(request.url ?? "", request.headers, Buffer.concat(chunks), response);
    });
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Closes its port: nobody answers any more. */
  async stop(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** The subscription of a browser that subscribes here. */
  subscribe(applicationServerKey: string): PushAddress {
    const keys = createECDH("prime256v1");
    const p256dh = keys.generateKeys("base64url");
    const auth = randomBytes(16);
    const path = `/push/${randomBytes(8).toString("hex")}`;
    this.browsers.set(path, { keys, auth, applicationServerKey });
    return { endpoint: `${this.origin}${path}`, keys: { p256dh, auth: auth.toString("base64url") } };
  }

  /** The next push that was not returned yet, now or when it comes. @throws where none comes. */
  async next(): Promise<Received> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (this.received.length <= this.taken) await once(this.arrivals, "push", { signal });
    return this.received[this.taken++] as Received;
  }

  private async take(
    path: string,
    headers: IncomingHttpHeaders,
    body: Buffer,
    response: ServerResponse,
  ): Promise<void> {
    const browser = this.browsers.get(path);
    if (browser === undefined) return void response.writeHead(404).end();
    let payload: PushPayload;
    try {
      this.assertSigned(browser, headers);
      payload = JSON.parse(decrypt(browser, headers, body).toString("utf8")) as PushPayload;
    } catch (error) {
      this.mistakes.push(String(error));
      return void response.writeHead(400).end();
    }
    const received = { path, headers, payload };
    const answer = this.answers.shift() ?? this.answer;
    this.received.push(received);
    this.arrivals.emit("push");
    if (typeof answer === "number") response.writeHead(answer).end();
    else await answer(response, received);
  }

  private assertSigned({ applicationServerKey }: Browser, headers: IncomingHttpHeaders): void {
    const [, token = "", key = ""] = /^vapid t=([^,]+), k=(\S+)$/.exec(headers.authorization ?? "") ?? [];
    if (key !== applicationServerKey) throw new Error("signed with another key than it was subscribed with");
    const [header = "", claims = "", signature = ""] = token.split(".");
    const point = Buffer.from(key, "base64url");
    const [x, y] = [point.subarray(1, 33).toString("base64url"), point.subarray(33).toString("base64url")];
    const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
    const signed = Buffer.from(`${header}.${claims}`);
    const how = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
    if (!verify("sha256", signed, how, Buffer.from(signature, "base64url"))) throw new Error("a wrong signature");
    const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>;
    const inSec = Number(exp) - Date.now() / 1_000;
    if (aud !== this.origin) throw new Error(`signed for ${aud}`);
    if (!(inSec > 0 && inSec <= DAY_SEC)) throw new Error(`signed for ${inSec} s`);
    if (!/^(?:https|mailto):/.test(String(sub))) throw new Error(`signed as ${sub}`);
  }
}

/** RFC 8188 (aes128gcm) with the key that RFC 8291 derives. @throws where it is not for this browser, or was changed. */
function decrypt({ keys, auth }: Browser, headers: IncomingHttpHeaders, body: Buffer): Buffer {
  if (headers["content-encoding"] !== "aes128gcm") throw new Error(`content encoding ${headers["content-encoding"]}`);
  if (body.length > 4_096) throw new Error(`${body.length} bytes`);
  const salt = body.subarray(0, 16);
  const senderKey = body.subarray(21, 21 + body.readUInt8(20));
  const sealed = body.subarray(21 + senderKey.length);
  const info = (text: string, ...more: Buffer[]) => Buffer.concat([Buffer.from(`${text}\0`), ...more]);
  const derive = (key: Buffer, from: Buffer, about: Buffer, bytes: number) =>
    Buffer.from(hkdfSync("sha256", key, from, about, bytes));
  const shared = keys.computeSecret(senderKey);
  const ikm = derive(shared, auth, info("WebPush: info", keys.getPublicKey(), senderKey), 32);
  const key = derive(ikm, salt, info("Content-Encoding: aes128gcm"), 16);
  const nonce = derive(ikm, salt, info("Content-Encoding: nonce"), 12);
  const decipher = createDecipheriv("aes-128-gcm", key, nonce).setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error("wrong padding");
  return padded.subarray(0, end);
}
