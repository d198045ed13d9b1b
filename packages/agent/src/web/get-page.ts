/**
 * Loads one page of the web for a model. The address must not lead to this machine or a private network: the addresses
 * of a name are looked up once, checked, and connected to as they were checked, for each redirect again. Through a proxy they are checked, too,
 * but it is the proxy that connects (docs/proxies.md).
 */
import { lookup as resolve } from "node:dns";
import { lookup as lookUp } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { VERSION } from "@mimikit/runtime/home/version";
import { currentProxyOf } from "@mimikit/runtime/network/use-proxy";
import { isListed, isPublic, plainHost } from "./addresses.ts";

/** From the look-up of the name to the last byte, all redirects together. */
export const PAGE_MS_MAX = 20_000;
/** Of a page, without its compression; the rest is not read. */
export const PAGE_BYTES_MAX = 2 * 1_048_576;
export const REDIRECTS_MAX = 5;
const HEADER_BYTES_MAX = 32_768;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The pages that may be loaded. */
export interface WebReach {
  /** The only hosts; all where not given. */
  hosts?: readonly string[] | undefined;
  /** The only hosts that may be at an address of this machine or of a private network. */
  privateHosts: readonly string[];
}

export interface FetchedPage {
  /** Where the redirects ended. */
  url: string;
  status: number;
  /** Of `Content-Type`, in small letters; empty where it is not said. */
  type: string;
  charset?: string;
  bytes: Buffer;
  /** It is longer than what was read. */
  isCut: boolean;
}

/** A page that is not loaded, with the reason in words for a model. */
export class NotLoaded extends Error {}

/** The address as it will be asked for. Throws `NotLoaded` where it is none that may be. */
export function pageUrl(text: string, reach: WebReach): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new NotLoaded("it is no address that begins with http:// or https://");
  if (url.username !== "" || url.password !== "")
    throw new NotLoaded("an address with a name or a password in it is not loaded");
  const host = plainHost(url.hostname);
  if (reach.hosts !== undefined && !isListed(host, reach.hosts))
    throw new NotLoaded(`${host} is not among the hosts that the owner allows (the setting web.hosts)`);
  // An address in place of a name is not looked up.
  if (isIP(host) !== 0) assertAddress(host, host, reach);
  url.hash = "";
  return url;
}

/** Loads a page. @param msMax for all of it. Throws `NotLoaded`, and the reason of `signal` when that aborts. */
export async function getPage(
  asked: string,
  reach: WebReach,
  signal: AbortSignal,
  msMax = PAGE_MS_MAX,
): Promise<FetchedPage> {
  const limit = AbortSignal.timeout(msMax);
  const either = AbortSignal.any([signal, limit]);
  try {
    let url: URL = pageUrl(asked, reach);
    for (let hops = 0; ; hops++) {
      const response = await request(url, reach, either);
      const { statusCode: status = 0, headers } = response;
      if (headers.location === undefined || !REDIRECTS.has(status)) return await read(url, status, response);
      response.destroy();
      if (hops === REDIRECTS_MAX) throw new NotLoaded(`it leads on more than ${REDIRECTS_MAX} times`);
      const next = URL.parse(headers.location, url.href);
      if (next === null) throw new NotLoaded("it leads to what is no address");
      url = pageUrl(next.href, reach);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NotLoaded) throw error;
    if (limit.aborted) throw new NotLoaded(`it did not come to its end within ${msMax / 1_000} s`);
    throw new NotLoaded(`it cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function assertAddress(address: string, host: string, { privateHosts }: WebReach): void {
  if (isPublic(address) || isListed(host, privateHosts)) return;
  throw new NotLoaded(
    `${host} is at ${address}, an address of this machine or of a private network, which is not loaded unless the owner allows the host (the setting web.privateHosts)`,
  );
}

/** Names that only a private network has: a proxy may know them where we do not. */
const PRIVATE_NAME = /^[^.]+$|\.(?:corp|home|home\.arpa|internal|intranet|lan|local|localdomain|private)$/;

/**
 * Behind a proxy the proxy looks the name up, so that the look-up here only finds out what we can see: a name with a private address is
 * refused, and so is one that we cannot look up but that only a private network has.
 */
async function assertName(host: string, reach: WebReach): Promise<void> {
  if (isIP(host) !== 0 || isListed(host, reach.privateHosts)) return;
  const addresses = await lookUp(host, { all: true }).catch(() => []);
  for (const { address } of addresses) assertAddress(address, host, reach);
  if (addresses.length === 0 && PRIVATE_NAME.test(host))
    throw new NotLoaded(
      `${host} is a name of a private network, which is not loaded unless the owner allows the host (the setting web.privateHosts)`,
    );
}

/** Resolves when the headers are there. */
async function request(url: URL, reach: WebReach, signal: AbortSignal): Promise<http.IncomingMessage> {
  const host = plainHost(url.hostname);
  const headers = {
    "user-agent": `mimikit/${VERSION}`,
    accept: "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
    "accept-encoding": "gzip, br",
  };
  const proxy = currentProxyOf(url);
  if (proxy !== null) {
    await assertName(host, reach);
    const { getThrough } = await import("./get-through.ts");
    return getThrough(proxy, url, { headers, maxHeaderSize: HEADER_BYTES_MAX, signal });
  }
  const lookup: LookupFunction = (name, options, callback) => {
    resolve(name, { family: options.family, hints: options.hints, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      try {
        // All of them: the connection may be made to any.
        for (const { address } of addresses) assertAddress(address, host, reach);
      } catch (refused) {
        return callback(refused as Error, []);
      }
      const [first] = addresses;
      if (options.all === true || first === undefined) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
  return new Promise((resolved, reject) => {
    const { get } = url.protocol === "https:" ? https : http;
    // A connection of its own: not one that was looked up elsewhere.
    get(url, { agent: false, lookup, headers, maxHeaderSize: HEADER_BYTES_MAX, signal }, resolved).on("error", reject);
  });
}

async function read(url: URL, status: number, response: http.IncomingMessage): Promise<FetchedPage> {
  const [type = "", ...parameters] = (response.headers["content-type"] ?? "").split(";").map((part) => part.trim());
  const charset = parameters.map((each) => /^charset="?([^"]+)"?$/i.exec(each)?.[1]).find((each) => each !== undefined);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of decoded(response)) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    // A reader that leaves the loop ends the connection.
    if (bytes > PAGE_BYTES_MAX) break;
  }
  return {
    url: url.href,
    status,
    type: type.toLowerCase(),
    ...(charset !== undefined && { charset }),
    bytes: Buffer.concat(chunks).subarray(0, PAGE_BYTES_MAX),
    isCut: bytes > PAGE_BYTES_MAX,
  };
}

function decoded(response: http.IncomingMessage): Readable {
  const encoding = (response.headers["content-encoding"] ?? "identity").toLowerCase();
  if (encoding === "identity") return response;
  const decoder = encoding === "gzip" ? createGunzip() : encoding === "br" ? createBrotliDecompress() : null;
  if (decoder === null) throw new NotLoaded(`it is compressed as ${encoding}, which was not asked for`);
  // Its error is that of the decoder, which is read.
  return pipeline(response, decoder, () => {});
}
