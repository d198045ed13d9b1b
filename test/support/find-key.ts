/** Looks for a key wherever it could have got to, byte by byte. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listProcesses } from "@mimikit/runtime/process/process-table";
import { hasCode } from "@mimikit/store/disk/error-code";
import type { Instance } from "./instance.ts";

/**
 * Every place that holds the key and is not `secrets.json`: files of the state directory and of the workspace, what the roles
 * and the commands printed, every answer of the API that needs no name, command lines of all processes, and the environments
 * of those of the instance.
 * @param said what the commands printed.
 */
export async function findKey(key: string, mimikit: Instance, said: readonly string[]): Promise<string[]> {
  const holds = (text: string) => text.includes(key);
  const files = [mimikit.home, mimikit.workDir].flatMap((dir) => filesIn(dir));
  const inFiles = files.filter((path) => path !== join(mimikit.home, "secrets.json") && bytesOf(path).includes(key));
  const { paths } = await mimikit.api<{ paths: Record<string, object> }>("/api/openapi.json");
  const inAnswers: string[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    if (!("get" in methods) || path.includes("{")) continue;
    const response = await fetch(`http://127.0.0.1:${mimikit.port}${path}`, {
      headers: { authorization: `Bearer ${mimikit.token}` },
    });
    if (holds(await response.text())) inAnswers.push(`GET ${path}`);
  }
  const inProcesses = (await listProcesses()).flatMap(({ pid, args, environment }) => {
    const isOurs = [...environment.values()].includes(mimikit.home);
    return [
      ...(args.some(holds) ? [`the command line of ${pid}`] : []),
      ...(isOurs && [...environment.values()].some(holds) ? [`the environment of ${pid}: ${args.join(" ")}`] : []),
    ];
  });
  const printed = [mimikit.output, ...said].flatMap((text, i) => (holds(text) ? [`what was printed, ${i}`] : []));
  return [...inFiles, ...inAnswers, ...inProcesses, ...printed];
}

/** Empty where the file is gone since it was listed: the processes go on. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return Buffer.alloc(0);
    throw error;
  }
}

function filesIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
