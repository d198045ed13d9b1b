/** Promises of codex alone, with the real program against a scripted endpoint: its tools, its sandbox, its threads. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Steering } from "@mimikit/agent/steering";
import type { Task } from "@mimikit/protocol/records/task";
import { Config } from "@mimikit/runtime/config/config";
import { findMarked } from "@mimikit/runtime/process/marked-processes";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createCodex } from "../../packages/agent/src/providers/codex/index.ts";
import { codexSettingsOf } from "../../packages/agent/src/providers/codex/settings.ts";
import { messageOf, replyOf, reportOf, run, taskOf, temporaryDirectory, turnOf } from "../agent/fixtures.ts";
import { findAgent } from "../support/agents.ts";
import { ModelServer, type Script } from "../support/model-server.ts";

const KEY = "sk-canary-0123456789";
const found = findAgent("codex");

async function serve(script: Script): Promise<ModelServer> {
  const model = await ModelServer.start(script);
  onTestFinished(() => model.close());
  return model;
}

interface Place {
  workDir: string;
  home: string;
}

/** A workspace, and a state directory where `at` puts it. */
function place(at: (workDir: string) => string = (workDir) => join(workDir, ".mimikit")): Place {
  const workDir = temporaryDirectory();
  const home = at(workDir);
  for (const dir of ["sessions", "runs"]) mkdirSync(join(home, dir), { recursive: true });
  writeFileSync(join(home, "token"), "state-canary");
  return { workDir, home };
}

type Options = Omit<NonNullable<Parameters<typeof run>[1]>, "provider"> &
  Place & { model: ModelServer; network?: boolean };

function ask(task: Task, { model, network = true, ...options }: Options) {
  const env = { MIMIKIT_CODEX_BIN: "bin" in found ? found.bin : "", OPENAI_API_KEY: KEY };
  const config = Config.parse({ model: "scripted", codex: { baseUrl: model.baseUrl, network } });
  const provider = createCodex(codexSettingsOf(task.role, config, { home: options.home, env, keys: {} }));
  return run(task, { provider, ...options });
}

const work = (prompt: string, part: Partial<Task> = {}) =>
  taskOf({ id: "t-000001.0.0", role: "worker", prompt, ...part });
const tell = (text: string) => turnOf({ messages: [messageOf(text)] });
const codexHome = ({ home }: Place) => join(home, "codex");
const rolloutsIn = (at: Place) =>
  readdirSync(join(codexHome(at), "sessions"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );

describe.skipIf("missing" in found)("the Teller on the real codex", () => {
  test("has the tools of its role and no shell, and its calls are its effects", async () => {
    const model = await serve({
      teller: [
        {
          calls: [
            { name: "delegate", args: { prompt: "count the files" } },
            { name: "delegate", args: {} },
          ],
        },
        { say: "I am on it." },
      ],
    });
    const at = place();
    const ran = await ask(tell("How many files are there?"), { ...at, model });
    expect(ran).toMatchObject({ status: "done", provider: "codex" });
    expect(ran.effects).toMatchObject([
      { type: "delegate", prompt: "count the files" },
      { type: "reply", text: "I am on it." },
    ]);
    const [first, second] = model.requests;
    const tools = first?.tools ?? [];
    for (const name of [
      "reply",
      "delegate",
      "remember",
      "update_backlog",
      "cancel_task",
      "list_tasks",
      "query_history",
      "summarize_task_result",
      "compress_context",
    ])
      expect(tools).toContain(name);
    for (const name of ["shell", "exec_command", "write_stdin", "view_image", "web_search", "spawn_agent"])
      expect(tools).not.toContain(name);
    expect(second?.results).toEqual([
      expect.stringContaining('{"id":"t-000007.0"}'),
      expect.stringContaining("bad_input"),
    ]);
    expect(ran.calls).toMatchObject(
      [
        { tool: "delegate", ok: true },
        { tool: "delegate", ok: false, errorCode: "bad_input" },
      ].toSorted((a, b) => Number(a.ok) - Number(b.ok)),
    );
    expect(first?.headers.authorization).toBe(`Bearer ${KEY}`);
    // A thread that is not continued is not kept.
    expect(rolloutsIn(at)).toEqual([]);
  });

  test("is told what we tell it: no rules of codex, of the workspace or of the user", async () => {
    const model = await serve({ teller: [{ say: "Nothing." }] });
    const at = place();
    writeFileSync(join(at.workDir, "AGENTS.md"), "canary-of-the-workspace");
    await ask(tell("What is new?"), { ...at, model });
    const sent = JSON.stringify(model.requests[0]?.messages);
    expect(model.requests[0]?.system.trim()).toMatch(/^You are the Mimikit runtime teller\./);
    expect(sent).not.toMatch(/canary-of-the-workspace|coding agent|Codex/);
    expect(model.requests[0]?.bytes).toBeLessThan(20_000);
  });

  test.each(["teller", "worker"] as const)(
    "the %s takes no orders from the workspace, where every Worker may write",
    async (role) => {
      const at = place();
      const [seen, script] = [join(at.home, "seen"), join(at.workDir, "script.sh")];
      writeFileSync(script, `#!/bin/sh\necho "$@" >> '${seen}'\n`, { mode: 0o755 });
      const git = (...args: string[]) => execFileSync("git", args, { cwd: at.workDir });
      git("init", "-q");
      for (const key of ["core.fsmonitor", "core.sshCommand", "diff.external", "filter.planted.clean"])
        git("config", key, `${script} ${key}`);
      writeFileSync(join(at.workDir, ".gitattributes"), "* filter=planted");
      mkdirSync(join(at.workDir, ".codex"));
      writeFileSync(
        join(at.workDir, ".codex/config.toml"),
        `notify = ["${script}", "notify"]\n[mcp_servers.planted]\ncommand = "${script}"\nargs = ["mcp"]\n`,
      );
      const hooks = { SessionStart: [{ hooks: [{ type: "command", command: `${script} hook` }] }] };
      writeFileSync(join(at.workDir, ".codex/hooks.json"), JSON.stringify({ hooks }));
      symlinkSync(join(at.home, "token"), join(at.workDir, "AGENTS.md"));
      const model = await serve({ teller: [{ say: "Done." }], worker: [{ say: "Done." }] });
      const task = role === "teller" ? tell("go on") : work("go on");
      expect(await ask(task, { ...at, model })).toMatchObject({ status: "done" });
      expect(existsSync(seen)).toBe(false);
      expect(JSON.stringify(model.requests)).not.toContain("state-canary");
    },
  );

  test("cannot run a command, however its model calls for it", async () => {
    const calls = [
      { name: "exec_command", args: { cmd: "touch made" } },
      { name: "shell", args: { command: ["touch", "made"] } },
      { name: "apply_patch", args: { input: "*** Begin Patch\n*** Add File: made\n+x\n*** End Patch" } },
    ];
    const model = await serve({ teller: [{ calls }, { say: "I cannot." }] });
    const at = place();
    const ran = await ask(tell("make a file"), { ...at, model });
    expect(replyOf(ran)).toBe("I cannot.");
    expect(existsSync(join(at.workDir, "made")) || existsSync(join(ran.runDir, "made"))).toBe(false);
  });

  test("hears the user meanwhile, in the same thread; ids go on where they were", async () => {
    const steering = new Steering();
    const model = await serve({
      teller: ({ nth, prompt }) => {
        if (nth === 1) return { calls: [{ name: "remember", args: { content: "a" } }] };
        if (nth === 2) {
          steering.offer({ id: "s-1", at: "2026-11-22T02:00:00.000Z", text: "also b" });
          return { hang: true };
        }
        expect(prompt).toContain("what is new");
        return nth === 3 ? { calls: [{ name: "remember", args: { content: "b" } }] } : { say: "Both." };
      },
    });
    const ran = await ask(tell("what is new?"), { ...place(), model, steering });
    expect(ran.effects).toMatchObject([
      { type: "remember", content: "a" },
      { type: "remember", content: "b" },
      { type: "reply", text: "Both." },
    ]);
    expect(model.requests.at(-1)?.results.at(-1)).toContain('{"id":"t-000007.1"}');
    expect(JSON.stringify(model.requests[2]?.messages)).toContain("also b");
  });
});

describe.skipIf("missing" in found)("a Worker on the real codex", () => {
  /** Runs one command in its shell, and gives what the model was shown of it. */
  async function shell(command: string, at: Place, task = work("do it"), options: Partial<Options> = {}) {
    const model = await serve({ worker: [{ calls: [{ shell: command }] }, { say: "Done." }] });
    const ran = await ask(task, { ...at, model, ...options });
    expect(ran.error).toBeUndefined();
    expect(ran).toMatchObject({ status: "done", result: { text: "Done." } });
    return { ...ran, output: model.requests.at(-1)?.results.at(-1) ?? "", model };
  }

  test("works in the workspace, under our rules beside its own, and leaves nothing there that it did not make", async () => {
    const at = place();
    const { output, model, calls } = await shell(
      "pwd && echo made > file.txt && echo tmp > /tmp/codex-$$ && rm /tmp/codex-$$",
      at,
    );
    expect(output).toContain(at.workDir);
    expect(readFileSync(join(at.workDir, "file.txt"), "utf8")).toBe("made\n");
    expect(readdirSync(at.workDir).toSorted()).toEqual([".mimikit", "file.txt"]);
    expect(calls).toMatchObject([{ tool: "shell", ok: true }]);
    expect(model.requests[0]?.system).toContain("You are the Mimikit runtime worker.");
    // Its work is done, so nobody goes on with its thread.
    expect(rolloutsIn(at)).toEqual([]);
  });

  test.each<[string, (workDir: string) => string]>([
    ["in the workspace", (workDir) => join(workDir, ".mimikit")],
    ["in the workspace, by another name", (workDir) => join(workDir, "state")],
    ["elsewhere", () => temporaryDirectory()],
    [
      "behind a symbolic link",
      (workDir) => {
        const link = join(workDir, "linked");
        symlinkSync(temporaryDirectory(), link);
        return link;
      },
    ],
  ])("cannot see or change a state directory that is %s", async (_, where) => {
    const at = place(where);
    mkdirSync(codexHome(at));
    writeFileSync(join(codexHome(at), "auth.json"), '{"OPENAI_API_KEY":"login-canary"}');
    const { output } = await shell(
      `cat '${at.home}/token' '${at.home}/codex/auth.json'; echo forged > '${at.home}/token'; echo forged > '${at.home}/runs/x';
       for link in '${at.home}'/codex/tmp/arg0-linux '${at.home}'/codex/tmp/arg0-linux/*; do touch "$link/x"; ln -sf /bin/true "$link/codex-linux-sandbox"; done;
       mv '${at.home}' '${at.home}.moved'; rm -rf '${at.home}'; ls -A '${at.home}'; echo end`,
      at,
    );
    expect(output).toContain("end");
    expect(output).not.toMatch(/canary/);
    expect(readFileSync(join(at.home, "token"), "utf8")).toBe("state-canary");
    expect(existsSync(join(at.home, "runs/x"))).toBe(false);
    const links = readdirSync(join(codexHome(at), "tmp/arg0-linux"), { recursive: true, encoding: "utf8" });
    expect(links.filter((name) => name.endsWith("x") && !name.endsWith("linux-sandbox"))).toEqual([]);
  });

  test("sees nothing of PM2", async () => {
    const pm2 = temporaryDirectory();
    writeFileSync(join(pm2, "dump.pm2"), "pm2-canary");
    vi.stubEnv("PM2_HOME", pm2);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { output } = await shell(`cat '${pm2}/dump.pm2'; echo mine > '${pm2}/pub.sock'; echo end`, place());
    expect(output).toContain("end");
    expect(output).not.toContain("canary");
    expect(existsSync(join(pm2, "pub.sock"))).toBe(false);
  });

  test("sees no key and no other process, but the mark by which it is found", async () => {
    const { output, mark } = await shell(
      "env; cat /proc/*/environ | tr '\\0' '\\n' | sort -u; ls -d /proc/[0-9]*",
      place(),
    );
    expect(output).toContain(`MIMIKIT_RUN=${mark}`);
    expect(output).not.toContain(KEY);
    expect(output).not.toContain("OPENAI_API_KEY");
    expect(output).not.toContain(`/proc/${process.pid}\n`);
  });

  test("may read the output of the task before it, and not change it", async () => {
    const at = place();
    const dir = join(at.home, "runs/t-000001.0.1.a1");
    mkdirSync(dir, { recursive: true });
    const artifact = join(dir, "output.txt");
    writeFileSync(artifact, "all of the output\n");
    const upstream = [reportOf({ id: "t-000001.0.1", result: { text: "output", artifact } })];
    const { output } = await shell(
      `cat '${artifact}'; echo forged > '${artifact}'; rm '${artifact}'; echo end`,
      at,
      work("go on", { upstream }),
    );
    expect(output).toContain("all of the output");
    expect(readFileSync(artifact, "utf8")).toBe("all of the output\n");
  });

  test("may read the user's long messages in the folder of its run, and nothing else there", async () => {
    const at = place();
    const dir = join(at.home, "runs/t-000001.0.0.a1");
    mkdirSync(join(dir, "inputs"), { recursive: true });
    const path = join(dir, "inputs/5e.txt");
    writeFileSync(path, "all of the paste\n");
    writeFileSync(join(dir, "other.txt"), "state-canary");
    const { output } = await shell(
      `cat '${path}' '${dir}/other.txt'; echo forged > '${path}'; echo x > '${dir}/other.txt'; echo end`,
      at,
      work("go on"),
      { context: { longTexts: { "m-1": path } } },
    );
    expect(output).toContain("all of the paste");
    expect(output).toContain("end");
    expect(output).not.toContain("state-canary");
    expect(readFileSync(path, "utf8")).toBe("all of the paste\n");
    expect(readFileSync(join(dir, "other.txt"), "utf8")).toBe("state-canary");
  });

  test("may read that output whatever lies beside it", async () => {
    const at = place();
    const dir = join(at.home, "runs/t-000001.0.1.a1/tmp");
    mkdirSync(dir, { recursive: true });
    const artifact = join(dir, "output.txt");
    writeFileSync(artifact, "all of the output\n");
    symlinkSync(join(at.home, "token"), join(dir, "link"));
    for (let k = 0; k < 3_000; k++) writeFileSync(join(dir, `a-file-of-an-earlier-task-${k}`), "");
    const upstream = [reportOf({ id: "t-000001.0.1", result: { text: "output", artifact } })];
    const { output } = await shell(`cat '${artifact}' '${dir}/link'; echo end`, at, work("go on", { upstream }));
    expect(output).toContain("all of the output");
    expect(output).not.toContain("state-canary");
  });

  test("works beside others in the same workspace", async () => {
    const at = place();
    const orders = [1, 2, 3, 4].map((n) => ({ n, task: work(`write ${n}`, { id: `t-000001.0.${n}` }) }));
    await Promise.all(orders.map(({ n, task }) => shell(`echo ${n} > made-by-${n}`, at, task)));
    expect(readdirSync(at.workDir).sort()).toEqual([".mimikit", ...orders.map(({ n }) => `made-by-${n}`)]);
  });

  test("gets no right to write where a result of a task before it says that its output is", async () => {
    // Every Worker may write in /tmp, so this is shown with a folder elsewhere.
    const dir = mkdtempSync("/var/tmp/mimikit-agents-");
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(join(dir, "output.txt"), "output");
    const result = { text: "output", artifact: join(dir, "output.txt") };
    const upstream = [reportOf({ id: "t-000001.0.1", result })];
    const { output } = await shell(`touch '${dir}/made-by-a-worker'; echo end`, place(), work("go on", { upstream }));
    expect(output).toContain("Read-only file system");
    expect(existsSync(join(dir, "made-by-a-worker"))).toBe(false);
  });

  test("reaches the network only where it may", async () => {
    const at = place();
    const model = await serve({ teller: [{ say: "hello" }] });
    const connect = `exec 3<>/dev/tcp/127.0.0.1/${new URL(model.url).port} && echo reached`;
    expect((await shell(connect, at)).output).toContain("reached");
    expect((await shell(connect, at, work("again", { id: "t-000001.0.2" }), { network: false })).output).not.toContain(
      "\nreached",
    );
  });

  test("hears the user while a command runs: it is cut off, and the model is told so", async () => {
    const steering = new Steering();
    const model = await serve({
      worker: ({ nth }) => (nth === 1 ? { calls: [{ shell: "echo begun; sleep 600" }] } : { say: "Only the front." }),
    });
    const ran = await ask(work("sweep the yard"), {
      ...place(),
      model,
      steering,
      onStream: (line) => {
        if (line.type === "progress" && line.step.includes("sleep 600"))
          steering.offer({ id: "s-1", at: "2026-11-22T02:00:00.000Z", text: "only the front" });
      },
    });
    expect(ran).toMatchObject({ status: "done", result: { text: "Only the front." }, steers: [{ id: "s-1" }] });
    const heard = JSON.stringify(model.requests[1]?.messages);
    expect(heard).toContain("only the front");
    expect(heard).toContain("Cut off by this");
    expect(await findMarked(ran.mark)).toEqual([]);
  });

  test("goes on with the thread of an attempt that was cut off, and counts only what it adds", async () => {
    const at = place();
    const stop = new AbortController();
    const model = await serve({
      worker: ({ nth }) => {
        if (nth === 1) return { calls: [{ shell: "echo first-step" }] };
        if (nth === 2) {
          setImmediate(() => stop.abort("interrupted"));
          return { hang: true };
        }
        return { say: "Done after all." };
      },
    });
    const task = work("two steps");
    const cut = await ask(task, { ...at, model, signal: stop.signal });
    expect(cut).toMatchObject({ status: "failed", failureReason: "interrupted" });
    const ran = await ask(task, { ...at, model, attempt: 2 });
    expect(ran).toMatchObject({ status: "done", result: { text: "Done after all." } });
    const shown = JSON.stringify(model.requests[2]?.messages);
    expect(shown).toContain("first-step");
    expect(shown).toContain("An earlier attempt of this task was cut off");
    expect(model.requests).toHaveLength(3);
    expect(ran.usage.inputTokens).toBeLessThanOrEqual(300);
    expect(ran.usage.inputTokens).toBeGreaterThan(0);
  });

  test("leaves no process behind, whether it ends or is stopped", async () => {
    const at = place();
    const ended = await shell("(sleep 600 &) ; (setsid sleep 600 &) ; echo started", at);
    expect(await findMarked(ended.mark)).toEqual([]);
    const stop = new AbortController();
    const model = await serve({ worker: [{ calls: [{ shell: "(setsid sleep 600 &) ; sleep 600" }] }] });
    const stopped = await ask(work("wait", { id: "t-000001.0.3" }), {
      ...at,
      model,
      signal: stop.signal,
      onStream: () => stop.abort("cancelled"),
    });
    expect(stopped).toMatchObject({ failureReason: "cancelled" });
    expect(await findMarked(stopped.mark)).toEqual([]);
    expect(readdirSync(at.workDir)).toEqual([".mimikit"]);
  });
});
