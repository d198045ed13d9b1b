/**
 * Approvals through the three real processes and a real sandbox (docs/autonomy.md): the attempt that asks ends, the
 * owner answers, and the next attempt goes on with the answer, whatever is killed in between.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { platform } from "@mimikit/runtime/platform/this-platform";
import { describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import type { Instance, InstanceOptions, RoleName } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import { odd, writeMcpFile } from "../support/mcp-servers.ts";
import type { ModelRequest, Script, ScriptedCall, Step } from "../support/model-server.ts";
import { startWithModel } from "../support/start-with-model.ts";

/** A Teller that delegates what it is asked and repeats what comes back; a Planner that makes one task of it. */
const oneTask = (worker: (request: ModelRequest) => Step): Script => ({
  teller: (request) => {
    const results = section("results", request);
    if (results !== "") return { say: `This came of it:\n\n${results}` };
    return request.turn === 0 ? call("delegate", { prompt: "Do it." }) : { say: "I am on it." };
  },
  planner: ({ turn }) => (turn === 0 ? call("delegate", { title: "Do it", prompt: "Do it." }) : { say: "" }),
  worker,
});

const isYes = ({ messages }: ModelRequest) => messages.at(-1)?.content.startsWith("The owner says yes") === true;
const isNo = ({ messages }: ModelRequest) => messages.at(-1)?.content.startsWith("The owner") === true;

/** A Worker that makes these calls, one after the other, and a call that was allowed once more; it ends with the answer of each. */
const making =
  (...calls: ScriptedCall[]) =>
  (request: ModelRequest): Step => {
    const made = request.results.filter((result) => !/needs_approval|^cut off/.test(result));
    const next = isNo(request) && !isYes(request) ? undefined : calls[made.length];
    return next === undefined ? { say: `Ended: ${request.results.join(" / ")}` } : { calls: [next] };
  };
const bash = (command: string, more: object = {}): ScriptedCall => ({ name: "bash", args: { command, ...more } });

const start = (worker: (request: ModelRequest) => Step, options: InstanceOptions = {}) =>
  startWithModel(oneTask(worker), options);

/** Neither in the workspace nor among temporary files. */
const atHome = join(homedir(), `.mimikit-autonomy-test-${process.pid}`);

/** The only open question. */
function question(mimikit: Instance): Promise<QuestionView> {
  return mimikit.until("a question", async () => {
    const { questions } = await mimikit.api<{ questions: QuestionView[] }>("/api/questions");
    return questions.length === 1 ? questions[0] : undefined;
  });
}

async function answer(mimikit: Instance, text: string): Promise<QuestionView> {
  const asked = await question(mimikit);
  await mimikit.api(`/api/questions/${asked.id}/answer`, { method: "POST", body: { answer: text } });
  return asked;
}

const linesOf = (mimikit: Instance, name: string) => {
  const path = join(mimikit.workDir, name);
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
};

/** How many questions whether a call is made were asked. */
const askedCount = ({ home }: Instance) =>
  readdirSync(join(home, "archive")).filter((name) => name.endsWith(".approve.json")).length;

/** Adds a line to `seen` if the gateway of this machine can be reached. */
const reaching = ({ port }: Instance) => `(exec 3<>/dev/tcp/127.0.0.1/${port}) && echo reached >> seen`;

const NO_SANDBOX = /^there is no sandbox, so you are asked before each command of a model /;
const problemsOf = async (mimikit: Instance) => (await mimikit.api<{ problems: string[] }>("/api/status")).problems;

const ended = (mimikit: Instance) => mimikit.replyWith("Ended:");

describe("as it is set up", () => {
  test("a command runs in the workspace unasked, without a network, and changes nothing outside", async () => {
    let instance: Instance | undefined;
    const { mimikit } = await start((request) => {
      return making(
        bash("echo inside > seen"),
        bash(`touch ${atHome} || echo kept`),
        bash(instance === undefined ? "" : `${reaching(instance)} || echo unreached`),
      )(request);
    });
    instance = mimikit;
    await mimikit.send("please");
    const reply = await ended(mimikit);
    expect(reply.text).toContain("unreached");
    expect(reply.text).toContain("kept");
    expect(linesOf(mimikit, "seen")).toEqual(["inside"]);
    expect(existsSync(atHome)).toBe(false);
    expect(askedCount(mimikit)).toBe(0);
    await mimikit.drained();
  });

  test("a command that wants the network asks; a yes is for that call, once, and the attempt that asked is no failure", async () => {
    let instance: Instance | undefined;
    const { mimikit, model } = await start((request) =>
      making(bash(instance === undefined ? "" : reaching(instance), { network: true }))(request),
    );
    instance = mimikit;
    await mimikit.send("please");
    const asked = await question(mimikit);
    expect(asked.question).toContain(reaching(mimikit));
    expect(asked.question).toContain("with the network");
    // It is no simple command: nothing of it can be allowed for good.
    expect(asked).toMatchObject({ options: ["yes, once", "yes, for this task", "no"], default: "no", isChoice: true });
    // Its place is free meanwhile.
    const [waiting] = (await mimikit.tasks()).filter(({ role }) => role === "worker");
    expect(waiting).toMatchObject({ state: "queued" });
    expect(linesOf(mimikit, "seen")).toEqual([]);
    await answer(mimikit, "Yes, once");
    await ended(mimikit);
    expect(linesOf(mimikit, "seen")).toEqual(["reached"]);
    await mimikit.drained();
    const [done] = (await mimikit.tasks()).filter(({ role }) => role === "worker");
    expect(done).toMatchObject({ state: "done" });
    // The second attempt goes on with the session of the first.
    const last = model.of("worker").at(-1);
    expect(last?.messages.filter(({ tool_calls }) => (tool_calls ?? []).length > 0)).toHaveLength(2);
    expect(last?.results[0]).toContain("the owner is asked first");
  });

  test("what a task has left in /tmp is there when it goes on after a yes, and goes with it", async () => {
    const { mimikit } = await start(
      making(bash("echo kept > /tmp/left-by-the-task"), bash("cp /tmp/left-by-the-task found", { network: true })),
    );
    await mimikit.send("please");
    await answer(mimikit, "Yes, once");
    await ended(mimikit);
    expect(linesOf(mimikit, "found")).toEqual(["kept"]);
    await mimikit.drained();
    const left = readdirSync(join(mimikit.home, "runs")).filter((name) =>
      existsSync(join(mimikit.home, "runs", name, "tmp")),
    );
    expect(left).toEqual([]);
  });

  test("a yes for the task is for what asks for the same reasons; a yes that was used asks again", async () => {
    const { mimikit } = await start(
      making(
        bash("echo one >> seen", { network: true }),
        bash("echo two >> seen", { network: true }),
        bash("echo three >> seen", { network: true }),
        bash("echo three >> seen", { network: true, outside: true }),
      ),
    );
    await mimikit.send("please");
    await answer(mimikit, "yes, once");
    await mimikit.until("the first", () => (linesOf(mimikit, "seen").length === 1 ? true : undefined));
    await answer(mimikit, "yes, for this task");
    await mimikit.until("the third", () => (linesOf(mimikit, "seen").length === 3 ? true : undefined));
    const asked = await answer(mimikit, "no");
    expect(asked.question).toContain("with the network and outside the workspace");
    await ended(mimikit);
    expect(linesOf(mimikit, "seen")).toEqual(["one", "two", "three"]);
    expect(askedCount(mimikit)).toBe(3);
  });

  test("the first words of a simple command can be allowed for good, are listed, and ask again when they are removed", async () => {
    const { mimikit } = await start((request) => {
      return making(
        bash("touch one", { network: true }),
        bash("touch two 'three four'", { network: true }),
        bash("touch five; touch six", { network: true }),
      )(request);
    });
    await mimikit.send("please");
    const asked = await question(mimikit);
    expect(asked.options).toEqual(["yes, once", "yes, for this task", "always touch one", "no"]);
    await answer(mimikit, "yes, once");
    // Another file is another subcommand as far as anybody can tell: it asks for itself.
    const second = await question(mimikit);
    expect(second.options).toContain("always touch two");
    await answer(mimikit, "always touch two");
    const third = await question(mimikit);
    expect(third.question).toContain("touch five; touch six");
    expect(third.options).not.toContain("always touch five");
    await answer(mimikit, "no");
    await ended(mimikit);
    expect(readdirSync(mimikit.workDir).sort()).toEqual(["one", "three four", "two"]);

    const listed = await runCli(mimikit, ["approvals", "--json"]);
    const { approvals } = JSON.parse(listed.out) as { approvals: { id: string }[] };
    expect(approvals).toMatchObject([{ tool: "bash", prefix: ["touch", "two"], reaches: ["network"] }]);
    const removed = await runCli(mimikit, ["approvals", "remove", approvals[0]?.id ?? ""]);
    expect(removed.out).toContain("removed: it asks again");
    expect((await mimikit.api<{ approvals: unknown[] }>("/api/approvals")).approvals).toEqual([]);
  });

  test("a no, and no answer in a day, are told to the model, which ends without it", async () => {
    const { mimikit } = await start(making(bash("echo x >> seen", { network: true })), { hasClock: true });
    await mimikit.send("please");
    await answer(mimikit, "no");
    await ended(mimikit);
    await mimikit.drained();
    await mimikit.send("please, again");
    await question(mimikit);
    mimikit.setClock(86_500_000);
    await mimikit.until("a second end", async () =>
      (await mimikit.replies()).filter(({ text }) => text.includes("Ended:")).length === 2 ? true : undefined,
    );
    expect(linesOf(mimikit, "seen")).toEqual([]);
  });

  test("a path outside the workspace asks, with what is written there; the state directory stays closed", async () => {
    let beside = "";
    const { mimikit } = await start((request) =>
      making(
        { name: "write_text_file", args: { path: beside, content: "written outside" } },
        { name: "read_text_file", args: { path: join(beside, "../state/token") } },
      )(request),
    );
    beside = join(mimikit.workDir, "../beside.txt");
    await mimikit.send("please");
    const asked = await answer(mimikit, "yes, once");
    expect(asked.question).toContain("beside.txt");
    expect(asked.question).toContain("written outside");
    const reply = await ended(mimikit);
    expect(readFileSync(beside, "utf8")).toBe("written outside");
    expect(reply.text).toContain("in the state directory");
    expect(askedCount(mimikit)).toBe(1);
  });

  test("a tool of an MCP server that does more than read asks; one that reads does not", async () => {
    const { mimikit } = await start(
      making({ name: "odd__say", args: { text: "plum" } }, { name: "odd__write", args: { text: "plum" } }),
      {
        prepare: async (home) => writeMcpFile(home, { odd: odd() }),
      },
    );
    await mimikit.send("please");
    const asked = await question(mimikit);
    expect(asked.question).toContain("odd__write");
    await answer(mimikit, "yes, once");
    await ended(mimikit);
  });

  test("a command that the owner wrote runs unasked, with all his rights", async () => {
    const { mimikit } = await startWithModel({}, { env: { MIMIKIT_PROVIDER: "offline", MIMIKIT_SANDBOX: "off" } });
    await mimikit.send(`run \`bash -c "${reaching(mimikit)}" && touch ${atHome}\``);
    await mimikit.until("the file", () => (existsSync(atHome) ? true : undefined));
    rmSync(atHome);
    expect(linesOf(mimikit, "seen")).toEqual(["reached"]);
    await mimikit.drained();
    expect(askedCount(mimikit)).toBe(0);
    expect(await problemsOf(mimikit)).toEqual([]);
  });
});

test("a command that an offline Worker is given by a model is held as the model's", async () => {
  const { mimikit } = await startWithModel(
    {
      ...oneTask(() => ({ say: "" })),
      planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "run `echo x >> seen`" }) : { say: "" }),
    },
    { env: { MIMIKIT_PROVIDER_WORKER: "offline", MIMIKIT_SANDBOX: "off" } },
  );
  await mimikit.until("the lack of a sandbox", async () =>
    (await problemsOf(mimikit)).some((problem) => NO_SANDBOX.test(problem)) ? true : undefined,
  );
  await mimikit.send("please");
  const asked = await answer(mimikit, "yes, once");
  expect(asked.question).toContain("echo x >> seen");
  await mimikit.replyWith("This came of it");
  expect(linesOf(mimikit, "seen")).toEqual(["x"]);
});

test("a task that waits for a yes leaves its place to others: the only one runs a second order to its end meanwhile", async () => {
  let order = "the first";
  const first = making(bash("echo first >> seen", { network: true }));
  const second = making(bash("echo second >> seen"));
  const { mimikit } = await startWithModel(
    {
      ...oneTask((request) => (section("task", request).includes("the first") ? first : second)(request)),
      planner: ({ turn }) => (turn === 0 ? call("delegate", { title: order, prompt: order }) : { say: "" }),
    },
    { env: { MIMIKIT_MAX_CONCURRENCY: "1" } },
  );
  await mimikit.send("please");
  const asked = await question(mimikit);
  order = "the second";
  await mimikit.send("please, another");
  await ended(mimikit);
  expect(linesOf(mimikit, "seen")).toEqual(["second"]);
  expect((await question(mimikit)).id).toBe(asked.id);
  await answer(mimikit, "yes, once");
  await mimikit.until("the other end", async () =>
    (await mimikit.replies()).filter(({ text }) => text.includes("Ended:")).length === 2 ? true : undefined,
  );
  expect(linesOf(mimikit, "seen")).toEqual(["second", "first"]);
  await mimikit.drained();
});

test("without a sandbox every command of a model asks", async () => {
  const { mimikit } = await start(making(bash("echo one >> seen"), bash("echo two >> seen")), {
    env: { MIMIKIT_SANDBOX: "off" },
  });
  await mimikit.send("please");
  const asked = await answer(mimikit, "yes, once");
  expect(asked.question).toContain("without a sandbox");
  await answer(mimikit, "yes, once");
  await ended(mimikit);
  expect(linesOf(mimikit, "seen")).toEqual(["one", "two"]);
});

test.runIf(platform.sandbox?.name === "bubblewrap")(
  "a sandbox that is installed and does not work is said, by status, the settings and doctor, with what mends it",
  async () => {
    const tools = mkdtempSync(join(tmpdir(), "mimikit-broken-bwrap-"));
    const bwrap = join(tools, "bwrap");
    writeFileSync(bwrap, "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n", {
      mode: 0o755,
    });
    const env = { PATH: `${tools}:${process.env.PATH}` };
    const { mimikit } = await start(making(bash("true")), { env });
    const says =
      /^bubblewrap does not work here: there is no sandbox, so you are asked before each command of a model; let bubblewrap make user namespaces: .+ \(bwrap: setting up uid map: Permission denied\)$/;
    const problem = await mimikit.until("the problem", async () => {
      const { problems } = await mimikit.api<{ problems: string[] }>("/api/status");
      return problems.find((each) => says.test(each));
    });
    expect((await mimikit.api<{ missing: string[] }>("/api/settings")).missing).toContain(problem);
    const doctor = await runCli(mimikit, ["doctor"], "", env);
    expect(doctor.out).toContain("bubblewrap does not work here: bwrap: setting up uid map: Permission denied");
    rmSync(tools, { recursive: true });
  },
);

test("`ask` asks before each command, `full` before none", async () => {
  const commands = making(bash("echo one >> seen"));
  const careful = await start(commands, { env: { MIMIKIT_AUTONOMY: "ask" } });
  await careful.mimikit.send("please");
  const asked = await answer(careful.mimikit, "yes, once");
  expect(asked.question).toContain('"Do it" wants to use bash:');
  await ended(careful.mimikit);

  const free = await start(making(bash(`touch ${atHome}`)), {
    env: { MIMIKIT_AUTONOMY: "full", MIMIKIT_SANDBOX: "off" },
  });
  await free.mimikit.send("please");
  await ended(free.mimikit);
  expect(existsSync(atHome)).toBe(true);
  rmSync(atHome);
});

describe("killed at any moment", () => {
  test.each<[when: string, role: RoleName]>([
    ["while it waits", "supervisor"],
    ["while it waits", "workers"],
    ["while it waits", "gateway"],
    ["after the answer", "supervisor"],
    ["after the answer", "workers"],
    ["after the answer", "gateway"],
  ])("%s, the %s: the command runs once for one yes", async (when, role) => {
    const { mimikit } = await start(making(bash("echo x >> seen", { network: true })));
    await mimikit.send("please");
    await question(mimikit);
    if (when === "while it waits") {
      await mimikit.kill(role);
      await mimikit.ready();
    }
    await answer(mimikit, "yes, once");
    if (when === "after the answer") await mimikit.kill(role);
    await ended(mimikit);
    expect(linesOf(mimikit, "seen")).toEqual(["x"]);
    expect(askedCount(mimikit)).toBe(1);
    await mimikit.drained();
  });

  test("the pool, while the command runs: it is not run again for the same yes, but asks", async () => {
    const { mimikit } = await start(
      making(bash("echo begun >> seen; until test -e go; do sleep 0.05; done; echo ended >> seen", { network: true })),
    );
    await mimikit.send("please");
    await answer(mimikit, "yes, once");
    await mimikit.until("the command", () => (linesOf(mimikit, "seen").length === 1 ? true : undefined));
    await mimikit.kill("workers");
    // The model is told that it was cut off, and the script wants it once more.
    await question(mimikit);
    expect(linesOf(mimikit, "seen")).toEqual(["begun"]);
    writeFileSync(join(mimikit.workDir, "go"), "");
    await answer(mimikit, "yes, once");
    await ended(mimikit);
    expect(linesOf(mimikit, "seen")).toEqual(["begun", "begun", "ended"]);
  });
});
