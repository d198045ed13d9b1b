import { urlOf } from "@mimikit/runtime/config/address";
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
