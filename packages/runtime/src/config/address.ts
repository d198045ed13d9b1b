/** The addresses of the gateway: as programs of this machine call it, and as other devices do. */
import type { Config } from "./schema.ts";

/** A process that listens on every address is called over the loopback: no program asks for `0.0.0.0`, and the gateway answers to no such name. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Names of a computer that no other one reaches. */
const LOOPBACK = /^(localhost|127\..+|\[::1\])$/;

/** Does this address reach only the computer that it is opened on? */
export function isOnlyHere(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}

/** Where a gateway that listens on `host` and `port` serves. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  const name = LOOPBACK_OF[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** The names beyond the loopback under which the gateway answers, as `name` or `name:port`. */
export function servedNames({ allowedHosts, publicUrl }: Pick<Config, "allowedHosts" | "publicUrl">): string[] {
  return publicUrl === undefined ? allowedHosts : [...allowedHosts, new URL(publicUrl).host];
}

/**
 * The address that signs one browser in.
 * @param url where the gateway serves; it is the address where no `publicUrl` is set.
 * @param code the long one of a pairing.
 */
export function pairingUrl(url: string, { publicUrl }: Pick<Config, "publicUrl">, code: string): string {
  return `${(publicUrl ?? url).replace(/\/$/, "")}/#pair=${code}`;
}
