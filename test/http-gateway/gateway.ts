/** A real gateway on a port of its own, with a state directory of its own; the tests play the supervisor and the pool. */

import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SpendingLimits } from "@mimikit/core/base/budget";
import { byRole } from "@mimikit/protocol/base/kind";
import type { Log } from "@mimikit/runtime/audit/log";
import { prepareHome, readToken } from "@mimikit/runtime/home/home";
import { openDisk } from "@mimikit/store/disk/disk";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { onTestFinished } from "vitest";
import { createGateway, type GatewayOptions } from "../../apps/http-gateway/src/server.ts";

/** A tick that never comes by itself within a test, for those that must not depend on it. */
export const NEVER_MS = 3_600_000;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body as JSON; undefined when it is none. */
  json: unknown;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Send the token? Yes, unless the test says otherwise. */
  signedIn?: boolean;
  /** The address of the loopback that it is sent from: wrong credentials are counted by it. */
  from?: string;
}

/** Where a gateway serves, and what opens it. */
export interface Reached {
  host: string;
  port: number;
  token: string;
}

export interface Started extends Reached {
  home: string;
  fs: FileSystem;
  /** Everything that was logged, one JSON text each. */
  logged: string[];
  ask(path: string, options?: Ask): Promise<Answer>;
  /** `ask` with a JSON body. */
  post(path: string, body: unknown, options?: Ask): Promise<Answer>;
  /** The names in a directory of the home. */
  names(dir: string): string[];
  close(): Promise<void>;
}

/** An empty, complete state directory that is gone when the test ends. */
export function temporaryHome(): string {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-gateway-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const home = join(dir, "home");
  prepareHome(home);
  return home;
}

export interface StartOptions
  extends Partial<Pick<GatewayOptions, "home" | "workDir" | "requestMs" | "helloMs" | "waits" | "pageDir">> {
  config?: Partial<GatewayOptions["config"]>;
  /** The limits of a day and of a month. */
  limits?: SpendingLimits;
  /** Whether the state directory counts as this user's own; it does where nothing is said. */
  adopted?: boolean;
}

export async function startGateway({
  home = temporaryHome(),
  config,
  limits = { day: {}, month: {} },
  adopted = true,
  ...others
}: StartOptions = {}): Promise<Started> {
  const logged: string[] = [];
  const gateway = createGateway({
    home,
    workDir: home,
    config: { host: "127.0.0.1", port: 0, allowedHosts: [], tickMs: 1_000, rereadSec: 30, ...config },
    settings: () => ({
      adopted,
      providers: byRole(() => "offline"),
      models: byRole(() => null),
      passedOver: [],
      problems: [],
      paused: [],
      limits,
      hasChannels: false,
      hasPools: false,
    }),
    log: logInto(logged),
    ...others,
  });
  const url = new URL(await gateway.listen());
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= gateway.close());
  onTestFinished(close);
  const token = readToken(home);
  const port = Number(url.port);
  const ask = (path: string, options: Ask = {}) => askAt({ host: url.hostname, port, token }, path, options);
  return {
    home,
    host: url.hostname,
    port,
    token,
    fs: openDisk(home, `test-${port}`),
    logged,
    ask,
    post: (path, body, options = {}) => ask(path, posting(body, options)),
    names: (dir) => readdirSync(join(home, dir)).sort(),
    close,
  };
}

/** The same seam that the processes use, with lines kept instead of printed. */
function logInto(lines: string[]): Log {
  const keep = (level: string) => (message: string, meta?: Record<string, unknown>) => {
    const plain = (_key: string, value: unknown) => (value instanceof Error ? value.stack : value);
    lines.push(JSON.stringify({ level, message, meta }, plain));
  };
  return {
    audit: (...events) => lines.push(...events.map((event) => JSON.stringify(event))),
    debug: keep("debug"),
    info: keep("info"),
    warn: keep("warn"),
    error: keep("error"),
    flush: async () => undefined,
  };
}

/** A request with a JSON body. */
export function posting(body: unknown, options: Ask = {}): Ask {
  const headers = { "Content-Type": "application/json", ...options.headers };
  return { method: "POST", body: JSON.stringify(body), ...options, headers };
}

export function askAt(at: Reached, path: string, options: Ask = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, signedIn = true, from } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: at.host,
      port: at.port,
      path,
      method,
      agent: false,
      ...(from !== undefined && { localAddress: from }),
      headers: { ...(signedIn && { Authorization: `Bearer ${at.token}` }), ...headers },
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const isJson = /^application\/json/.test(response.headers["content-type"] ?? "");
        const json: unknown = isJson && text !== "" ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    request.end(body);
  });
}
