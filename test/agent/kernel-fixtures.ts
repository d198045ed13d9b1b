/** Runs of the kernel with a scripted model, in a workspace that holds its own state directory, as in real life. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Task } from "@mimikit/protocol/records/task";
import { sessionPath } from "@mimikit/store/disk/state";
import type { Endpoint } from "../../packages/agent/src/providers/openai/endpoint.ts";
import { createOpenai } from "../../packages/agent/src/providers/openai/index.ts";
import { readTurns, type SessionLine } from "../../packages/agent/src/session/session.ts";
import type { ModelServer, Script } from "../support/model-server.ts";
import { type Ran, run, temporaryDirectory } from "./fixtures.ts";

export interface KernelRun extends Ran {
  workDir: string;
  home: string;
  /** The session of the task afterwards. */
  turns: SessionLine[];
}

/** `workDir` is given where an earlier attempt has run there. */
export async function runKernelTask(
  model: ModelServer,
  script: Script,
  task: Task,
  { endpoint = {}, ...options }: Parameters<typeof run>[1] & { endpoint?: Partial<Endpoint> } = {},
): Promise<KernelRun> {
  const { workDir = temporaryDirectory() } = options;
  const home = join(workDir, ".mimikit");
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "token"), "secret");
  model.script = script;
  const provider = createOpenai({
    id: "openai",
    baseUrl: model.baseUrl,
    model: "scripted",
    tokensMax: 14_336,
    firstByteMs: 20_000,
    idleMs: 20_000,
    retryDelaysMs: [1],
    ...endpoint,
  });
  const ran = await run(task, { provider, ...options, workDir, home });
  const { turns } = readTurns(readFileSync(join(home, sessionPath(task.id)), "utf8"));
  return { ...ran, workDir, home, turns };
}
