/**
 * Which names the gateway answers to. A web page anywhere can make the owner's browser call 127.0.0.1, and DNS can
 * point any name there, so every request and every upgrade must name us exactly, and must come from our own page or
 * from no page at all.
 */

import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { coded } from "@mimikit/protocol/texts/coded";
import { HttpProblem } from "../http/problem.ts";

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];
const WILDCARDS = new Set(["0.0.0.0", "::", ""]);
const HTTP_PORT = 80;

/** Does this bind address reach no other machine? */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/**
 * Throws unless the gateway may listen on `host`: an address that other machines reach needs the exact names that
 * they will use.
 */
export function assertBindIsSafe(host: string, allowedHosts: readonly string[]): void {
  if (isLoopback(host) || allowedHosts.length > 0) return;
  throw new Error(
    `refusing to listen on ${host}: other machines could reach it. Set MIMIKIT_ALLOWED_HOSTS to the names they will use, or keep MIMIKIT_HOST=127.0.0.1`,
  );
}

/** The names of one gateway. */
export class HostPolicy {
  private readonly names: readonly string[];
  /** Names with or without a port, as the owner wrote them: they may be served by a proxy, also over TLS. */
  private readonly configured: ReadonlySet<string>;
  /** The origin of the page at its public address: a proxy may name another host than the browser did. */
  private readonly publicOrigin: string | undefined;

  /**
   * @param host the bind address.
   * @param allowedHosts further names, as `name` or `name:port`.
   * @param publicUrl where other devices open the page.
   */
  constructor(host: string, allowedHosts: readonly string[], publicUrl?: string) {
    const bound = host.includes(":") ? `[${host}]` : host.toLowerCase();
    this.names = WILDCARDS.has(host) ? LOOPBACK_NAMES : [...LOOPBACK_NAMES, bound];
    this.configured = new Set(allowedHosts.map((name) => name.toLowerCase()));
    this.publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  }

  /** Throws 421 for a Host that is not ours. Forwarding headers are never read: any client can write them. */
  checkHost(request: IncomingMessage): void {
    if (request.headersDistinct.host?.length !== 1) throw new HttpProblem(421, coded("one_host"));
    const host = (request.headers.host ?? "").toLowerCase();
    if (!this.isOurs(host, request.socket.localPort ?? 0)) {
      throw new HttpProblem(421, coded("host_not_served"), {
        hint: "Use 127.0.0.1 or localhost with the right port, add the name to `allowedHosts`, or set `publicUrl` to the address of the proxy.",
      });
    }
  }

  /** Throws 403 for an Origin that is not our page. */
  checkOrigin(request: IncomingMessage): void {
    const origins = request.headersDistinct.origin;
    if (origins === undefined) return;
    const host = (request.headers.host ?? "").toLowerCase();
    // Only the page that we served ourselves, under this very name or the public one: same scheme, same name, same port.
    const [origin] = origins;
    const isOwnPage = origins.length === 1 && origin !== undefined && this.originsOf(host).includes(origin);
    if (!isOwnPage) {
      throw new HttpProblem(403, coded("origin_refused"), {
        hint: "Where this is the address of your proxy, set `publicUrl` to it.",
      });
    }
  }

  private isOurs(host: string, port: number): boolean {
    if (this.configured.has(host)) return true;
    return this.names
      .concat([...this.configured])
      .some((name) => host === `${name}:${port}` || (port === HTTP_PORT && host === name));
  }

  private originsOf(host: string): string[] {
    const own = this.configured.has(host) ? [`http://${host}`, `https://${host}`] : [`http://${host}`];
    return this.publicOrigin === undefined ? own : [...own, this.publicOrigin];
  }
}
