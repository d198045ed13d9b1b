/** Is the running system well? It is asked before and after a change is merged into what it may be made of (SPEC J2). */
import { isAlive } from "@mimikit/runtime/process/identity";
import { PROCESS_ROLES, readRole } from "@mimikit/runtime/process/role-record";

const PROBE_MS = 3_000;

/** The problem, in one line; null while all three processes live and the gateway answers. */
export async function problemOf(home: string): Promise<string | null> {
  for (const role of PROCESS_ROLES) {
    const record = readRole(home, role);
    if (record === null || !isAlive(record)) return `the ${role} is not running`;
  }
  const url = readRole(home, "gateway")?.url;
  if (url === undefined) return "the gateway does not serve";
  try {
    const response = await fetch(new URL("/healthz", url), {
      signal: AbortSignal.timeout(PROBE_MS),
      redirect: "error",
    });
    await response.body?.cancel();
    return response.ok ? null : `the gateway answers with HTTP ${response.status}`;
  } catch (error) {
    return `the gateway does not answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}
