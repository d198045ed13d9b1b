/** The environment of an agent CLI. Keys are not among it: a provider adds the one that its CLI needs. */
import { ownVariables } from "../../shell/run-child.ts";

/** Where things are, who the user is, which language; and how the network is reached, because a CLI calls its model. */
const ALLOWED = [
  ..."PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ TMPDIR TERM".split(" "),
  ..."HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy".split(" "),
  ..."SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS".split(" "),
];

/** The allowed variables of our own, and `added`. */
export function cliEnvironment(added: Readonly<Record<string, string>>): Record<string, string> {
  return { ...ownVariables(ALLOWED), ...added };
}
