/** The reach of a command that a model made, and the bounds that it then has. */
import type { Autonomy, Reach } from "@mimikit/protocol/approvals/approval";
import { type Bounds, findSandbox } from "../shell/sandbox.ts";

/** The declared needs. */
export interface Declared {
  network: boolean;
  outside: boolean;
}

/** Why it asks. Where a sandbox is required and there is none, it does not even start, so there is nothing to ask. */
export async function reachesOf(
  { network, outside }: Declared,
  mode: Autonomy,
  sandbox: Bounds["mode"],
): Promise<Reach[]> {
  if (mode === "full") return [];
  if (sandbox === "off" || "missing" in (await findSandbox())) return sandbox === "required" ? [] : ["no-sandbox"];
  return [
    ...(mode === "ask" ? (["command"] as const) : []),
    ...(network ? (["network"] as const) : []),
    ...(outside ? (["outside"] as const) : []),
  ];
}

/** In the sandbox it has no more than what it was declared to need. */
export function boundsFor({ network, outside }: Declared, mode: Autonomy): Pick<Bounds, "isOffline" | "keepsOutside"> {
  return mode === "full" ? {} : { isOffline: !network, keepsOutside: !outside };
}
