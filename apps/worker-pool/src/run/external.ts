/** The tools of the world outside. Their code is loaded when there is something to give: without it, nothing of it is here. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { ExternalOptions, ExternalTools } from "@mimikit/agent/mcp/external-tools";
import { type External, NO_EXTERNAL } from "@mimikit/agent/tools/external";
import { MCP_PATH, OWN_TOOLS } from "@mimikit/store/disk/state";

/** More different ones are told again. */
const TOLD_MAX = 1_000;

export interface OutsideOptions extends Omit<ExternalOptions, "onChange"> {
  /** Hears of errors while the state of the servers is noted: they hold nothing up. */
  onError(error: unknown): void;
}

export interface ExternalServers {
  /** Throws what the disk throws. A run that is stopped meanwhile has none. */
  of(run: Parameters<ExternalTools["of"]>[0], signal: AbortSignal): Promise<External>;
  /** Resolves when every server has ended. */
  close(): Promise<void>;
}

export function outside(options: OutsideOptions): ExternalServers {
  let loaded: Promise<ExternalTools> | undefined;
  const told = new Set<string>();
  const onProblem = (problem: string) => {
    if (told.has(problem)) return;
    if (told.size >= TOLD_MAX) told.clear();
    told.add(problem);
    options.onProblem(problem);
  };
  const load = async () => {
    const { ExternalTools } = await import("@mimikit/agent/mcp/external-tools");
    const { writeMcpRecord } = await import("@mimikit/runtime/process/mcp-record");
    const onChange: ExternalOptions["onChange"] = (servers) => {
      try {
        writeMcpRecord(options.home, servers);
      } catch (error) {
        options.onError(error);
      }
    };
    return new ExternalTools({ ...options, onProblem, onChange });
  };
  return {
    async of(run, signal) {
      if (loaded === undefined && ![MCP_PATH, OWN_TOOLS].some((name) => isThere(join(options.home, name))))
        return NO_EXTERNAL;
      loaded ??= load();
      return (await loaded).of(run, signal);
    },
    async close() {
      await (await loaded)?.close();
    },
  };
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}
