/** Tools from outside through the real processes: who is given them, what becomes of their servers, and what is said of it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Status } from "@mimikit/protocol/wire/api";
import type { McpList } from "@mimikit/protocol/wire/mcp";
import { homeHash } from "@mimikit/runtime/home/home";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { call, section } from "../support/main-job.ts";
import { odd, published, writeMcpFile } from "../support/mcp-servers.ts";
import type { ModelRequest, Script, Step } from "../support/model-server.ts";
import { startWithModel as start } from "../support/start-with-model.ts";

/** Nothing asks here: which calls do is what autonomy.test.ts is about. */
const startWithModel: typeof start = (script, options = {}) =>
  start(script, { ...options, env: { MIMIKIT_AUTONOMY: "full", ...options.env } });

/** A Teller that delegates what it is asked and repeats what comes back; a Planner that makes one task of it. */
const oneTask = (worker: Step[] | ((request: ModelRequest) => Step)): Script => ({
  teller: (request) => {
    const results = section("results", request);
    if (results !== "") return { say: `This came of it:\n\n${results}` };
    return request.turn === 0 ? call("delegate", { prompt: "Do it." }) : { say: "I am on it." };
  },
  planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "Do it." }) : { say: "" }),
  worker,
});

const logOf = (home: string) => readFileSync(join(home, "log.workers.jsonl"), "utf8");
const startsIn = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : []);
const isThere = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test("a Worker calls the tools of three servers of the registry; each call is in the course, the log and the usage", async () => {
  const { mimikit, model } = await startWithModel(
    oneTask([
      call("everything__echo", { message: "plum" }),
      call("memory__create_entities", {
        entities: [{ name: "plum", entityType: "tree", observations: ["is ill"] }],
      }),
      call("files__list_directory", { path: "." }),
      call("files__read_text_file", { path: "/etc/passwd" }),
      { say: "All was called." },
    ]),
    {
      prepare: async (home) => {
        const work = join(home, "../work");
        writeFileSync(join(work, "in-the-workspace.txt"), "x");
        writeMcpFile(home, {
          everything: { ...published("everything"), mimikit: { tools: ["echo", "get-sum"] } },
          memory: {
            ...published("memory"),
            env: { MEMORY_FILE_PATH: join(work, "memory.jsonl") },
            mimikit: { tools: ["create_entities"] },
          },
          files: {
            ...published("filesystem", [work]),
            mimikit: { level: "read-only", tools: ["list_directory", "read_text_file"] },
          },
        });
      },
    },
  );
  await mimikit.send("Call them.");
  await mimikit.replyWith("All was called.");
  const asked = model.of("worker");
  expect(asked[0]?.tools).toEqual([
    "read_text_file",
    "write_text_file",
    "edit_text_file",
    "bash",
    "read_skill",
    "web_fetch",
    "everything__echo",
    "everything__get-sum",
    "memory__create_entities",
    "files__read_text_file",
    "files__list_directory",
  ]);
  const results = asked.at(-1)?.results ?? [];
  expect(results[0]).toBe("    Echo: plum");
  expect(readFileSync(join(mimikit.workDir, "memory.jsonl"), "utf8")).toContain("is ill");
  expect(results[2]).toContain("in-the-workspace.txt");
  expect(results[3]).toMatch(/"code":"failed"/);
  for (const role of ["teller", "planner"] as const)
    expect(model.of(role)[0]?.tools.filter((name) => name.includes("__"))).toEqual([]);

  const calls = logOf(mimikit.home)
    .split("\n")
    .filter((line) => line.includes('"tool_call"') && line.includes("__"));
  expect(calls).toHaveLength(4);
  expect(calls.filter((line) => line.includes('"ok":false'))).toHaveLength(1);
  const [task] = (await mimikit.tasks()).filter(({ role }) => role === "worker");
  const told = readFileSync(join(mimikit.home, `sessions/${task?.id}.transcript.jsonl`), "utf8");
  expect(told).toContain('"tool":"memory__create_entities"');
  const status = await mimikit.api<Status>("/api/status");
  expect(status.tools).toMatchObject({
    everything__echo: { calls: 1, failed: 0 },
    files__read_text_file: { failed: 1 },
  });

  const listed = await mimikit.api<McpList>("/api/mcp");
  expect(listed.servers.map(({ name, state }) => [name, state])).toEqual([
    ["everything", "running"],
    ["memory", "running"],
    ["files", "running"],
  ]);
  const said = await runCli(mimikit, ["mcp"]);
  expect(said.out).toMatch(/everything +running +worker +2/);
  expect(said.out).toMatch(/files__read_text_file +read-only/);
  expect((await runCli(mimikit, ["doctor"])).out).toContain("no process of a task is left over");
});

test.each(["initialize", "tools/list"])(
  "a server that hangs in %s holds up no turn and no Worker, and a Worker has its tools in the request after they are listed",
  async (method) => {
    const { mimikit, model } = await startWithModel(
      oneTask([
        { calls: [{ shell: "touch released" }, { name: "late__status", args: {} }] },
        call("late__say", { text: "plum" }),
        { say: "It was said." },
      ]),
      {
        prepare: async (home) => {
          const late = odd({ HANGS_IN: method, RELEASED_BY: join(dirname(home), "work", "released") });
          writeMcpFile(home, { late: { ...late, mimikit: { roles: ["teller", "worker"] } } });
        },
      },
    );
    const stateOf = async () => (await mimikit.api<McpList>("/api/mcp")).servers.map(({ state }) => state);
    await mimikit.replyTo(await mimikit.send("Say it."));
    expect(model.of("teller")[0]?.tools).toContain("late__status");
    await mimikit.replyWith("It was said.");
    const asked = model.of("worker");
    const toolsOfLate = asked.map(({ tools }) => tools.filter((name) => name.startsWith("late__")));
    expect(toolsOfLate).toEqual([
      ["late__status"],
      ["late__say", "late__write", "late__status"],
      ["late__say", "late__write", "late__status"],
    ]);
    expect(asked[1]?.results.join("\n")).toContain("has listed its tools");
    expect(asked[2]?.results.join("\n")).toContain("said plum");
    expect(await stateOf()).toEqual(["running"]);
  },
);

test("with nothing set up nothing of it is loaded, and no process is started", async () => {
  const { mimikit } = await startWithModel(oneTask([{ say: "Done." }]), { countsCalls: true });
  await mimikit.send("Do it.");
  await mimikit.replyWith("Done.");
  const { modules } = await mimikit.calls("workers");
  expect(modules.filter((path) => path.includes("agent/src/mcp/") || path.includes("modelcontextprotocol"))).toEqual(
    [],
  );
  expect(modules.length).toBeGreaterThan(50);
  expect(await findMarked(homeHash(mimikit.home))).toEqual([]);
});

test.each(["auto", "off"])(
  "kill -9 of the pool leaves no server behind, however it clings to life (sandbox: %s), and the next one has its own",
  async (sandbox) => {
    const starts: string[] = [];
    const { mimikit, model } = await startWithModel(
      oneTask((request) => {
        // Each attempt goes on where the one before was: what was called is not called again.
        if (request.results.some((result) => result.includes("said second"))) return { say: "It was said twice." };
        if (request.results.length === 0) return call("odd__say", { text: "first" });
        return request.results.length === 1
          ? { calls: [{ shell: "touch ready; until [ -e go ]; do sleep 0.05; done" }] }
          : call("odd__say", { text: "second" });
      }),
      {
        env: { MIMIKIT_SANDBOX: sandbox },
        prepare: async (home) => {
          starts.push(join(home, "../starts"), join(home, "../calls"));
          const [STARTS = "", CALLS = ""] = starts;
          writeMcpFile(home, { odd: odd({ STARTS, CALLS, STUBBORN: "1", GRANDCHILD: "600" }) });
        },
      },
    );
    const [startsPath = "", callsPath = ""] = starts;
    await mimikit.send("Say it twice.");
    await mimikit.until("the first call", () => existsSync(join(mimikit.workDir, "ready")) || undefined);
    const before = await findMarked(homeHash(mimikit.home));
    const servers = before.filter(({ mark }) => mark.includes(":pool-"));
    expect(servers.length).toBeGreaterThanOrEqual(1);
    await mimikit.kill("workers");
    await mimikit.until("the end of its servers", () => servers.every(({ pid }) => !isThere(pid)) || undefined);
    writeFileSync(join(mimikit.workDir, "go"), "");
    await mimikit.replyWith("It was said twice.");
    expect(startsIn(startsPath)).toHaveLength(2);
    expect(startsIn(callsPath)).toEqual(["say first", "say second"]);
    expect(model.unknown).toEqual([]);
    const pids = await findMarked(homeHash(mimikit.home));
    expect(pids.length).toBeGreaterThanOrEqual(1);
    await mimikit.stop();
    expect(await findMarked(homeHash(mimikit.home))).toEqual([]);
  },
);

test("an attempt that dies in mid-call leaves a call that is not made again, and the next one is told so", async () => {
  let made = "";
  const { mimikit, model } = await startWithModel(
    oneTask(({ results }) =>
      results.length === 0 ? call("odd__say", { text: "hang" }) : { say: `I look first: ${results[0]}` },
    ),
    {
      prepare: async (home) => {
        made = join(home, "../calls");
        writeMcpFile(home, { odd: odd({ CALLS: made }) });
      },
    },
  );
  await mimikit.send("Say it.");
  await mimikit.until("the call", () => existsSync(made) || undefined);
  await mimikit.kill("workers");
  await mimikit.replyWith("I look first:");
  expect(model.of("worker").at(-1)?.results[0]).toMatch(/cut off/);
  expect(startsIn(made)).toEqual(["say hang"]);
});

test("a server that dies is absent in words, to the model, in the status, on the command line, and comes back", async () => {
  let starts = "";
  const { mimikit, model } = await startWithModel(
    oneTask([
      call("odd__say", { text: "one" }),
      call("odd__say", { text: "die" }),
      call("odd__say", { text: "two" }),
      call("bad__status", {}),
      { say: "Both were tried." },
    ]),
    {
      prepare: async (home) => {
        starts = join(home, "../starts");
        writeMcpFile(home, {
          odd: odd({ STARTS: starts }),
          bad: odd({ DIES: "at once", SECRET: "hunter2-secret" }, "I lack a licence"),
        });
      },
    },
  );
  await mimikit.send("Try both.");
  await mimikit.replyWith("Both were tried.");
  const results = model.of("worker").at(-1)?.results ?? [];
  expect(results[1]).toMatch(/was lost during the call \(it ended with exit code 7\)/);
  expect(results[2]).toContain("said two");
  expect(results[3]).toMatch(
    /the MCP server "bad" does not run: it ended with exit code 3 \(it said last: I lack a licence\)/,
  );
  expect(startsIn(starts)).toHaveLength(2);
  const { problems } = await mimikit.api<Status>("/api/status");
  expect(problems).toContain("the MCP server bad is not running: it ended with exit code 3");
  const doctor = await runCli(mimikit, ["doctor"]);
  expect(doctor.out).toMatch(/bad: it ended with exit code 3/);
  expect(JSON.stringify(await mimikit.api<McpList>("/api/mcp"))).not.toContain("hunter2-secret");
});

test("more tools than twenty are found by words and used by name, and the call is known by its own name", async () => {
  const { mimikit, model } = await startWithModel(
    oneTask([
      call("find_tool", { query: "way number 17" }),
      call("use_tool", { name: "odd__say17", input: { text: "plum" } }),
      { say: "Found and used." },
    ]),
    { prepare: async (home) => writeMcpFile(home, { odd: odd({ TOOLS: "30" }) }) },
  );
  await mimikit.send("Find it.");
  await mimikit.replyWith("Found and used.");
  const [first, , last] = model.of("worker");
  expect(first?.tools.slice(-2)).toEqual(["find_tool", "use_tool"]);
  expect(last?.results[0]).toContain("odd__say17");
  expect(last?.results[1]).toContain("said plum");
  const { tools } = await mimikit.api<Status>("/api/status");
  expect(tools).toMatchObject({ find_tool: { calls: 1 }, odd__say17: { calls: 1 } });
});

test("the Teller is given what only looks where its owner says so, and nothing else", async () => {
  const { mimikit, model } = await startWithModel(
    { teller: [call("odd__say", { text: "plum" }), { say: "It says plum." }] },
    { prepare: async (home) => writeMcpFile(home, { odd: { ...odd(), mimikit: { roles: ["teller"] } } }) },
  );
  await mimikit.send("Ask it.");
  await mimikit.replyWith("It says plum.");
  const [first, second] = model.of("teller");
  expect(first?.tools.filter((name) => name.includes("__"))).toEqual(["odd__say"]);
  expect(second?.results[0]).toContain("said plum");
});

test("the owner's commands are tools: checked, without a shell, within the sandbox, at their level", async () => {
  const { mimikit, model } = await startWithModel(
    oneTask([
      call("own__greet", { name: "; touch forged" }),
      call("own__greet", {}),
      call("own__count", { lines: ["a", "b"] }),
      call("own__fails", {}),
      { say: "All ran." },
    ]),
    {
      prepare: async (home) => {
        mkdirSync(join(home, "tools"), { recursive: true, mode: 0o700 });
        const write = (name: string, text: string) => writeFileSync(join(home, "tools", name), text);
        write(
          "greet.yaml",
          "description: Greets.\nlevel: read-only\ninput:\n  properties: {name: {type: string}}\n  required: [name]\ncommand: [echo, 'hello {{name}}']\n",
        );
        write("count.yaml", "description: Counts.\ninput:\n  properties: {lines: {type: array}}\ncommand: [cat]\n");
        write("fails.yaml", "description: Fails.\ncommand: [sh, -c, 'echo why >&2; exit 4']\n");
        write("broken.yaml", "description: Has no command.\n");
        write("blank.yaml", "description: x\ncommand: [echo, '{{nothing}}']\n");
      },
    },
  );
  await mimikit.send("Run them.");
  await mimikit.replyWith("All ran.");
  const results = model.of("worker").at(-1)?.results ?? [];
  expect(results[0]).toBe("    hello ; touch forged");
  expect(existsSync(join(mimikit.workDir, "forged"))).toBe(false);
  expect(results[1]).toMatch(/"code":"bad_input".*name/);
  expect(results[2]).toBe('    {"lines":["a","b"]}');
  expect(results[3]).toMatch(/exit code 4[\s\S]*why/);
  const log = logOf(mimikit.home);
  expect(log).toMatch(/tools\/broken\.yaml is not a valid tool: command/);
  const listed = await runCli(mimikit, ["mcp"]);
  expect(listed.out).toMatch(/own__greet +read-only +Greets\./);
  expect(listed.out).toMatch(/! tools\/broken\.yaml is not a valid tool: command/);
  expect(log).toMatch(
    /tools\/blank\.yaml is not a valid tool: its command uses nothing, which its input does not have/,
  );
});

test("servers are added by the command line, tried before, changed while it runs, and removed", async () => {
  const { mimikit, model } = await startWithModel(oneTask([call("odd__say", { text: "plum" }), { say: "Said." }]));
  const { command = "", args = [] } = odd();
  const add = await runCli(mimikit, ["mcp", "add", "odd", "--level", "read-only", "--", command, ...args], "", {});
  expect(add).toMatchObject({ code: 0, error: expect.stringContaining("starting odd") });
  expect(add.out).toMatch(/odd__say +read-only/);
  expect(add.out).toContain("added odd");
  const bad = await runCli(mimikit, ["mcp", "add", "bad", "--", "/no/such/program", "--flag"]);
  expect(bad).toMatchObject({ code: 1, error: expect.stringMatching(/bad does not work: .*\/no\/such\/program/) });
  const none = await runCli(mimikit, ["mcp", "add", "none"]);
  expect(none).toMatchObject({ code: 2, error: expect.stringContaining("mimikit mcp add none --") });
  const file = JSON.parse(readFileSync(join(mimikit.home, "mcp.json"), "utf8"));
  expect(file).toEqual({ mcpServers: { odd: { command, args, mimikit: { level: "read-only" } } } });

  await mimikit.send("Say it.");
  await mimikit.replyWith("Said.");
  expect(model.of("worker").at(-1)?.results[0]).toContain("said plum");
  expect((await runCli(mimikit, ["mcp", "test", "odd"])).out).toContain("odd__write");
  expect((await runCli(mimikit, ["mcp", "remove", "odd"])).out).toContain("removed odd");
  expect(await runCli(mimikit, ["mcp", "remove", "odd"])).toMatchObject({ code: 1 });
  expect((await runCli(mimikit, ["mcp"])).out).toContain("there are no MCP servers");
});

test("a server is added before anything was ever started", async () => {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-mcp-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const place = { home: join(dir, "state"), workDir: join(dir, "not", "there", "yet") };
  const { command = "", args = [] } = odd();
  const added = await runCli(place, ["mcp", "add", "odd", "--", command, ...args]);
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining("added odd") });
  expect((await runCli(place, ["mcp"])).out).toMatch(/odd +unknown +worker/);
});

test("servers are added, tried and removed over the API, and no value of a variable comes back", async () => {
  const { mimikit } = await startWithModel(oneTask([{ say: "x" }]));
  const server = odd({ SECRET: "hunter2-secret" });
  const added = await mimikit.api<McpList>("/api/mcp", { method: "POST", body: { name: "odd", server } });
  expect(added.servers).toMatchObject([{ name: "odd", state: "unknown", transport: "stdio", roles: ["worker"] }]);
  const tried = await mimikit.api<{ state: string; tools: unknown[] }>("/api/mcp/odd/test", { method: "POST" });
  expect(tried).toMatchObject({ state: "running", problems: [] });
  expect(tried.tools).toHaveLength(2);
  expect(JSON.stringify([added, tried])).not.toContain("hunter2-secret");
  await expect(
    mimikit.api("/api/mcp", { method: "POST", body: { name: "x", server: { type: "sse", url: "http://a.example" } } }),
  ).rejects.toThrow(/400 .*streamable HTTP/);
  await expect(mimikit.api("/api/mcp/gone/test", { method: "POST" })).rejects.toThrow(/404/);
  expect(await mimikit.api<McpList>("/api/mcp/odd", { method: "DELETE" })).toEqual({
    servers: [],
    commands: [],
    problems: [],
  });
});

test("a .mcp.json of the workspace is not read", async () => {
  const { mimikit, model } = await startWithModel(oneTask([{ say: "Done." }]), {
    prepare: async (home) => {
      const { command, args } = odd({});
      const path = join(realpathSync(join(home, "../work")), ".mcp.json");
      writeFileSync(path, JSON.stringify({ mcpServers: { evil: { command, args } } }));
    },
  });
  await mimikit.send("Do it.");
  await mimikit.replyWith("Done.");
  expect(model.of("worker")[0]?.tools.filter((name) => name.includes("__"))).toEqual([]);
});
