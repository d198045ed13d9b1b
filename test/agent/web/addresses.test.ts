/** Which addresses are everybody's, and which hosts a list means. */
import { isListed, isPublic, plainHost } from "@mimikit/agent/web/addresses";
import { expect, test } from "vitest";

test.each([
  ...[
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.9.9",
  ],
  ...[
    "192.0.0.8",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.1.1.1",
    "255.255.255.255",
  ],
  ...[
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "fc00::1",
    "fd12::1",
    "fe80::1",
  ],
  ...["fe80::1%lo", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "100::1"],
  ...["localhost", "", "127.1", "8.8.8"],
])("%s is not everybody's", (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "172.15.0.1",
  "172.32.0.1",
  "192.169.0.1",
  "223.255.255.254",
  "2606:4700::1111",
  "2a00:1450::1",
])("%s is everybody's", (address) => {
  expect(isPublic(address)).toBe(true);
});

test("a host is meant by its own name, and by the star above it", () => {
  const list = ["docs.example.org", "*.example.com", "[::1]"];
  const listed = ["docs.example.org", "DOCS.example.org.", "a.example.com", "a.b.example.com", "::1", "[::1]"];
  const others = [
    "example.org",
    "a.docs.example.org",
    "example.com",
    "badexample.com",
    "example.com.evil.example",
    "::2",
  ];
  expect(listed.filter((host) => !isListed(host, list))).toEqual([]);
  expect(others.filter((host) => isListed(host, list))).toEqual([]);
  expect(plainHost("[::1]")).toBe("::1");
});
