/** The tools from outside that a run is given, while their servers start as they please. */
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ExternalTools } from "@mimikit/agent/mcp/external-tools";
import type { External } from "@mimikit/agent/tools/external";
import type { Task } from "@mimikit/protocol/records/task";
import type { McpServer } from "@mimikit/protocol/wire/mcp";
import { expect, onTestFinished, test } from "vitest";
import { odd, writeMcpFile } from "../../support/mcp-servers.ts";
import { contextOf, messageOf, taskOf, temporaryDirectory, turnOf } from "../fixtures.ts";

const NEVER = new AbortController().signal;
const WORKER = taskOf({ id: "t-000007.0.0", role: "worker", prompt: "say it" });
const TURN = turnOf({ messages: [messageOf("say it")] });

function open(servers: Record<string, McpServer>) {
  const workDir = realpathSync(temporaryDirectory());
  const home = join(workDir, ".mimikit");
  mkdirSync(join(home, "runs"), { recursive: true });
  writeMcpFile(home, servers);
  const heard = new Set<() => void>();
  const tools = new ExternalTools({
    home,
    workDir,
    env: {},
    sandbox: () => "off",
    onChange: () => {
      for (const hear of heard) hear();
    },
    onProblem: (problem) => expect.fail(problem),
  });
  onTestFinished(() => tools.close());
  const stateOf = (name: string) => tools.conditions[name]?.state;
  return {
    of: (task: Task) =>
      tools.of({ task, home, workDir, runDir: join(home, "runs"), sandbox: "off", environment: {} }, NEVER),
    stateOf,
    until: (name: string, state: string) =>
      new Promise<void>((resolve) => {
        const hear = () => stateOf(name) === state && resolve();
        heard.add(hear);
        hear();
      }),
  };
}

const namesOf = ({ offered }: External) => offered.map(({ name }) => name);
const statusOf = async ({ tools }: External) => {
  const status = tools.find(({ name }) => name === "late__status");
  const scene = { task: TURN, reads: contextOf(), effects: [], use: () => undefined, show: () => undefined };
  return JSON.stringify(await status?.apply({}, scene));
};

test.each(["initialize", "tools/list"])(
  "a server that hangs in %s is waited for once; runs have the tools of the others and its status, and its own as soon as it lists them",
  async (method) => {
    const release = join(temporaryDirectory(), "released");
    const roles = ["teller" as const, "worker" as const];
    const { of, stateOf, until } = open({
      late: { ...odd({ HANGS_IN: method, RELEASED_BY: release }), mimikit: { roles } },
      quick: { ...odd(), mimikit: { roles } },
    });
    const first = await of(TURN);
    expect(stateOf("late")).toBe("starting");
    expect(namesOf(first)).toEqual(["quick__say", "late__status"]);
    expect(await statusOf(first)).toMatch(/\\"late\\" is still starting, for \d+ s now/);
    const next = await of(WORKER);
    expect(stateOf("late")).toBe("starting");
    expect(namesOf(next)).toEqual(["quick__say", "quick__write", "late__status"]);

    writeFileSync(release, "");
    await until("late", "running");
    expect(namesOf(first)).toEqual(["late__say", "quick__say", "late__status"]);
    expect(await statusOf(first)).toMatch(/\\"late\\" has listed its tools/);
    expect(namesOf(next)).toEqual(["late__say", "late__write", "quick__say", "quick__write", "late__status"]);
    expect(namesOf(await of(WORKER))).toEqual(["late__say", "late__write", "quick__say", "quick__write"]);
  },
);
