/** Which addresses of the internet are everybody's, and which are of this machine or of a private network. */
import { BlockList, isIP } from "node:net";

const PRIVATE_V4 = new BlockList();
/** From the registry of special-purpose addresses (RFC 6890 and those after it), multicast and what is reserved. */
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  PRIVATE_V4.addSubnet(net, bits, "ipv4");

/** Of version 6, global unicast alone is everybody's; what stands for an address of version 4 within it is not. */
const GLOBAL_V6 = new BlockList();
GLOBAL_V6.addSubnet("2000::", 3, "ipv6");
const PRIVATE_V6 = new BlockList();
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  PRIVATE_V6.addSubnet(net, bits, "ipv6");

/** Is it an address that everybody on the internet can reach? Any other text is not an address. */
export function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !PRIVATE_V4.check(address, "ipv4");
    case 6:
      return GLOBAL_V6.check(address, "ipv6") && !PRIVATE_V6.check(address, "ipv6");
    default:
      return false;
  }
}

/** The host of an address without the brackets and the last dot that it may be written with. */
export function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
}

/** Is the host in the list? `*.example.org` stands for every host below `example.org`. */
export function isListed(host: string, list: readonly string[]): boolean {
  const plain = plainHost(host);
  return list.some((each) =>
    each.startsWith("*.") ? plain.endsWith(plainHost(each.slice(1))) : plain === plainHost(each),
  );
}
