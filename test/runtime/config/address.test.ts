import { pairingUrl, servedNames, urlOf } from "@mimikit/runtime/config/address";
import { expect, test } from "vitest";

test.each([
  ["127.0.0.1", "http://127.0.0.1:8787"],
  ["localhost", "http://localhost:8787"],
  ["::1", "http://[::1]:8787"],
  ["0.0.0.0", "http://127.0.0.1:8787"],
  ["::", "http://[::1]:8787"],
  ["192.0.2.1", "http://192.0.2.1:8787"],
])("a gateway that listens on %s is called at %s", (host, url) => {
  expect(urlOf({ host, port: 8787 })).toBe(url);
});

test("a browser is signed in at the public address where there is one, below its path", () => {
  const at = (publicUrl?: string) => pairingUrl("http://127.0.0.1:8787", { publicUrl }, "CODE");
  expect(at()).toBe("http://127.0.0.1:8787/#pair=CODE");
  expect(at("https://mimi.example")).toBe("https://mimi.example/#pair=CODE");
  expect(at("https://mimi.example/assistant/")).toBe("https://mimi.example/assistant/#pair=CODE");
});

test("the name of the public address is served, with its port", () => {
  expect(servedNames({ allowedHosts: ["box.local"] })).toEqual(["box.local"]);
  const publicUrl = "https://mimi.example:8443/assistant";
  expect(servedNames({ allowedHosts: ["box.local"], publicUrl })).toEqual(["box.local", "mimi.example:8443"]);
});
