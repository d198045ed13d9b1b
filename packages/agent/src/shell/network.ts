/** The variables by which a program that is started reaches the network as we do (docs/proxies.md). */
import { proxyVariables } from "@mimikit/runtime/network/use-proxy";
import { ownVariables } from "./run-child.ts";

const CERTIFICATES = ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"];
const PROXIES = "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy".split(" ");

/** @param isTrusted false: a model reads what the program says, so that an address with a password in it is left out. */
export function networkVariables(isTrusted: boolean): Record<string, string> {
  const proxies = Object.entries(ownVariables(PROXIES)).filter(([, value]) => isTrusted || !value.includes("@"));
  return { ...ownVariables(CERTIFICATES), ...Object.fromEntries(proxies), ...proxyVariables(isTrusted) };
}
