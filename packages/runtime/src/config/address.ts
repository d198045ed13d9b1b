/** The address of the gateway, as programs of this machine call it. */

/** Who listens on every address is called over the loopback: no program asks for `0.0.0.0`, and the gateway answers to no such name. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** Where a gateway that listens on `host` and `port` serves. */
export function urlOf({ host, port }: { host: string; port: number }): string {
  const name = LOOPBACK_OF[host] ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
