/** The environment of an agent CLI. Keys are not among it: a provider adds the one that its CLI needs. */
import { networkVariables } from "../../shell/network.ts";
import { ownVariables } from "../../shell/run-child.ts";

/** Where things are, who the user is, which language. */
const ALLOWED = "PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ TMPDIR TERM".split(" ");

/** The allowed variables of our own, those of the network, because a CLI calls its model, and `added`. */
export function cliEnvironment(added: Readonly<Record<string, string>>): Record<string, string> {
  return { ...ownVariables(ALLOWED), ...networkVariables(true), ...added };
}
