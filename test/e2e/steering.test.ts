/**
 * Messages while something runs, through the three real processes: a steer is read by the run or answered as a message,
 * `next` is a turn of its own, a stop ends what runs, and a new conversation knows nothing of the old one.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { startCli } from "../cli/run-cli.ts";
import { Instance, type InstanceOptions, ROLE_NAMES } from "../support/instance.ts";
import { type ModelRequest, ModelServer, type Script, type Step } from "../support/model-server.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(options: InstanceOptions = {}): Promise<Instance> {
  const mimikit = await Instance.start(options);
  opened.unshift(mimikit);
  return mimikit;
}

async function startWithModel(script: Script, options: InstanceOptions = {}) {
  const model = await ModelServer.start(script);
  opened.push({ dispose: () => model.close() });
  const env = {
    MIMIKIT_PROVIDER: "openai",
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: "sk-steering",
    MIMIKIT_MODEL: "scripted",
  };
  return { mimikit: await start({ ...options, env }), model };
}

/** The text between the tags of a section of the prompt; empty when it is not there. */
function section(name: string, { prompt }: ModelRequest): string {
  return new RegExp(`^<M:${name}>\n(.*?)\n^</M:${name}>`, "ms").exec(prompt)?.[1] ?? "";
}

const call = (name: string, args: object): Step => ({ calls: [{ name, args }] });
const bash = (command: string): Step => call("bash", { command });
const WAIT_FOR_GO = "touch started; until [ -e go ]; do sleep 0.05; done; echo went";

/** A Teller that delegates what it is asked, reports what comes back, and says what else it is told. */
const teller: Script["teller"] = (request) => {
  const results = section("results", request);
  if (results !== "") return { say: `This came of it:\n\n${results}` };
  return section("inputs", request).includes("please work") && request.turn === 0
    ? call("delegate", { prompt: "work" })
    : { say: "I am on it." };
};
const planner: Script["planner"] = ({ results }) =>
  results.length === 0 ? call("delegate", { title: "The work", prompt: "work" }) : { say: "" };

const hasFile = (mimikit: Instance, name: string) => () => existsSync(join(mimikit.workDir, name)) || undefined;
const go = (mimikit: Instance) => writeFileSync(join(mimikit.workDir, "go"), "");

async function post(mimikit: Instance, path: string, body: object = {}, key?: string): Promise<string> {
  return (await mimikit.api<{ id: string }>(path, { method: "POST", body, ...(key !== undefined && { key }) })).id;
}

function lineOf(mimikit: Instance, what: string, fits: (message: ChatMessage) => boolean): Promise<ChatMessage> {
  return mimikit.until(what, async () => (await mimikit.messages()).find(fits));
}

function passedOn(mimikit: Instance, id: string): Promise<ChatMessage> {
  return lineOf(mimikit, `${id} to be passed on`, (line) => line.id === id && line.toTaskId !== undefined);
}

describe("a steer", () => {
  test("during the command of a Worker is in the model's very next request, and the calls after it are skipped", async () => {
    const CALLS = 8;
    const { mimikit, model } = await startWithModel({
      teller,
      planner,
      worker: (request) => {
        const commands = Array.from({ length: CALLS }, (_, i) => `touch started; echo ${i} >> done.log; sleep 0.4`);
        if (request.turn === 0) return { calls: commands.map((command) => ({ name: "bash", args: { command } })) };
        return { say: `The last word was: ${request.messages.at(-1)?.content}` };
      },
    });
    await mimikit.send("please work");
    await mimikit.until("the command to run", hasFile(mimikit, "started"));
    const id = await post(mimikit, "/api/steer", { text: "only the German ones" });
    const { toTaskId = "" } = await passedOn(mimikit, id);
    await mimikit.replyWith("This came of it");

    const [, second, ...others] = model.of("worker");
    expect(others).toEqual([]);
    expect(second?.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringContaining("only the German ones"),
    });
    const ran = readFileSync(join(mimikit.workDir, "done.log"), "utf8").trim().split("\n").length;
    const skipped = second?.results.filter((result) => result.includes("skipped")) ?? [];
    expect(ran).toBeLessThan(CALLS);
    expect(skipped).toHaveLength(CALLS - ran);
    expect(second?.results.slice(ran)).toEqual(skipped);

    const lines = await mimikit.messages();
    expect(lines.filter((line) => line.text === "only the German ones")).toEqual([
      { id, role: "user", text: "only the German ones", at: expect.any(String), meanwhile: true },
    ]);
    expect((await mimikit.task(toTaskId)).state).toBe("done");
    await mimikit.drained();
    expect(readdirSync(join(mimikit.home, "signals"))).toEqual([]);
  });

  test("to a reply that is being written is answered by it", async () => {
    const { mimikit, model } = await startWithModel(
      {
        teller: (request) =>
          request.turn === 0 ? call("list_tasks", {}) : { say: `Heard: ${request.messages.at(-1)?.content}` },
      },
      { roles: ["supervisor", "gateway"] },
    );
    await mimikit.until("the gateway answers", () => mimikit.api("/api/status"));
    const message = await mimikit.send("hello");
    await mimikit.until(
      "the turn is open",
      () => readdirSync(join(mimikit.home, "teller/queue")).length > 0 || undefined,
    );
    const id = await post(mimikit, "/api/steer", { text: "in one word" });
    expect((await passedOn(mimikit, id)).toTaskId).toBe("t-000001");
    mimikit.startRole("workers");
    const reply = await mimikit.replyTo(message);
    expect(reply.text).toContain("in one word");
    expect(reply.answers).toEqual([message, id]);
    expect(model.of("teller")).toHaveLength(2);
    expect((await mimikit.messages()).map((line) => line.id)).toEqual([message, id, reply.id]);
    await mimikit.drained();
  });

  test("that nobody hears becomes a message, and is answered: where nothing runs, and where the run ends without it", async () => {
    const mimikit = await start();
    const early = await post(mimikit, "/api/steer", { text: "tasks" });
    const first = await mimikit.replyTo(`m-${early}`);
    expect(first.text).not.toBe("");

    // The offline engine hears nothing while a command runs.
    await mimikit.send(`run \`${WAIT_FOR_GO}\``);
    await mimikit.until("the command to run", hasFile(mimikit, "started"));
    const late = await post(mimikit, "/api/steer", { text: "help" });
    await passedOn(mimikit, late);
    go(mimikit);
    await mimikit.replyTo(`m-${late}`);
    await mimikit.drained();
    const said = (await mimikit.messages()).filter((line) => line.role === "user");
    expect(said.map((line) => line.replaces ?? line.text)).toEqual([early, expect.stringContaining("run"), late]);
  });

  test("to a task that has ended is refused", async () => {
    const mimikit = await start();
    const { taskIds = [] } = await mimikit.replyTo(await mimikit.send("run `true`"));
    await mimikit.replyWith("true");
    await mimikit.drained();
    await expect(post(mimikit, `/api/tasks/${taskIds[0]}/steer`, { text: "hey" })).rejects.toThrow("409");
  });

  test.each(ROLE_NAMES)("is neither lost nor doubled by a kill -9 of the %s", async (role) => {
    const { mimikit } = await startWithModel({
      teller,
      planner,
      worker: (request) => {
        const heard = request.messages.some(({ content }) => content.includes("only the German ones"));
        return heard || request.results.some((result) => result.includes("went"))
          ? { say: "Done." }
          : bash(WAIT_FOR_GO);
      },
    });
    const message = await mimikit.send("please work");
    await mimikit.until("the command to run", hasFile(mimikit, "started"));
    const ask = () => post(mimikit, "/api/steer", { text: "only the German ones" }, "said-once");
    const id = await ask();
    await mimikit.kill(role);
    expect(await mimikit.until("the gateway answers", ask)).toBe(id);
    go(mimikit);
    await mimikit.replyWith("This came of it");
    await mimikit.drained();
    const lines = await mimikit.messages();
    expect(lines.filter((line) => line.text === "only the German ones")).toHaveLength(1);
    expect(lines.filter((line) => line.answers?.includes(message))).toHaveLength(1);
    expect(lines.filter((line) => line.text.includes("This came of it"))).toHaveLength(1);
    expect(lines.some((line) => line.pending)).toBe(false);
    expect(readdirSync(join(mimikit.home, "signals"))).toEqual([]);
    expect(await mimikit.children()).toEqual([]);
  });
});

test("a message for a turn of its own gets one: what came before it and after it is answered by others", async () => {
  const { mimikit, model } = await startWithModel(
    { teller: (request) => ({ say: `Turn ${request.nth}.` }) },
    { roles: ["gateway"] },
  );
  await mimikit.until("the gateway answers", () => mimikit.api("/api/status"));
  const before = [await mimikit.send("one"), await mimikit.send("two")];
  const own = await post(mimikit, "/api/input", { text: "three", mode: "next" });
  const after = [await mimikit.send("four"), await mimikit.send("five")];
  for (const role of ["supervisor", "workers"] as const) mimikit.startRole(role);
  await mimikit.replyTo(after[1] ?? "");
  const answered = (await mimikit.replies()).map((reply) => reply.answers);
  expect(answered).toEqual([before, [own], after]);
  expect(model.of("teller")).toHaveLength(3);
  await mimikit.drained();
});

describe("a stop", () => {
  test("ends a reply that is being written with an honest word, and hangs up on the model", async () => {
    const { mimikit, model } = await startWithModel({ teller: [{ hang: "I am about to" }, { say: "Next." }] });
    const message = await mimikit.send("tell me everything");
    const request = await mimikit.until("the model is asked", () => model.of("teller")[0]);
    await post(mimikit, "/api/stop");
    expect((await mimikit.replyTo(message)).text).toMatch(/^(I am about to\n\n)?Stopped\.$/);
    expect(await request.wasAborted).toBe(true);
    expect((await mimikit.replyTo(await mimikit.send("and now?"))).text).toBe("Next.");
    await mimikit.drained();
    expect((await mimikit.replies()).filter((reply) => reply.answers?.includes(message))).toHaveLength(1);
  });

  test.each(["while it speaks", "after a kill -9 of all processes"])(
    "keeps what the reply had said, and says that it was stopped: %s",
    async (when) => {
      const said = "The answer begins like this:\n\n```js\nconst useful = true;";
      const { mimikit } = await startWithModel({ teller: [{ hang: said }, { say: "Next." }] });
      const message = await mimikit.send("tell me everything");
      const stream = join(mimikit.home, "streams/t-000001.jsonl");
      await mimikit.until(
        "the words to be on disk",
        () => (existsSync(stream) && readFileSync(stream, "utf8").includes("useful = true;")) || undefined,
      );
      if (when === "while it speaks") await post(mimikit, "/api/stop");
      else {
        await mimikit.stop("SIGKILL");
        writeFileSync(join(mimikit.home, "inbox/enough.json"), '{"kind":"stop"}');
        for (const role of ["supervisor", "gateway"] as const) mimikit.startRole(role);
      }
      const reply = await mimikit.until("the gateway answers", () => mimikit.replyTo(message));
      expect(reply).toMatchObject({ text: `${said}\n\`\`\`\n\nStopped.`, stopped: true });
      if (when !== "while it speaks") mimikit.startRole("workers");
      await mimikit.replyTo(await mimikit.send("and now?"));
      await mimikit.drained();
      expect((await mimikit.messages()).find(({ id }) => id === reply.id)).toEqual(reply);
    },
  );

  test("ends what was said to the reply, too: nobody begins with that anew", async () => {
    const { mimikit, model } = await startWithModel(
      { teller: (request) => (request.turn === 0 ? call("list_tasks", {}) : { hang: true }) },
      { roles: ["supervisor", "gateway"] },
    );
    const message = await mimikit.until("the gateway answers", () => mimikit.send("tell me everything"));
    await mimikit.until(
      "the turn is open",
      () => readdirSync(join(mimikit.home, "teller/queue")).length > 0 || undefined,
    );
    const id = await post(mimikit, "/api/steer", { text: "in one word" });
    await passedOn(mimikit, id);
    mimikit.startRole("workers");
    await mimikit.until("the model hears it", () => model.of("teller")[1]);
    await post(mimikit, "/api/stop");
    expect(await mimikit.replyTo(message)).toMatchObject({ text: "Stopped.", answers: [message, id] });
    await mimikit.drained();
    expect((await mimikit.messages()).map((line) => line.id)).toEqual([message, id, "t-000001.reply"]);
    expect(model.of("teller")).toHaveLength(2);
  });

  test("ends the command of a Worker as cancelled, with everything that it started", async () => {
    const mimikit = await start();
    await mimikit.replyTo(await mimikit.send("run `touch started; sleep 600 & sleep 600`"));
    await mimikit.until("the command to run", hasFile(mimikit, "started"));
    await post(mimikit, "/api/stop");
    await mimikit.until(
      "the task to end",
      async () => (await mimikit.tasks()).some((task) => task.state === "cancelled") || undefined,
    );
    await mimikit.until("its processes to be gone", async () => (await mimikit.children()).length === 0 || undefined);
    await mimikit.drained();
  });

  test("where nothing runs ends nothing, now or later", async () => {
    const mimikit = await start();
    const id = await post(mimikit, "/api/stop");
    await mimikit.until(
      "the command to be settled",
      () => existsSync(join(mimikit.home, `archive/${id}.json`)) || undefined,
    );
    const reply = await mimikit.replyTo(await mimikit.send("run `echo alive`"));
    await mimikit.replyWith("alive");
    expect(reply.text).not.toBe("Stopped.");
  });

  test.each(ROLE_NAMES)("asked for once ends one thing, also over a kill -9 of the %s", async (role) => {
    const { mimikit } = await startWithModel({
      teller: (request) => (section("inputs", request).includes("everything") ? { hang: true } : { say: "Next." }),
    });
    const message = await mimikit.send("tell me everything");
    await mimikit.until(
      "the turn to run",
      () => readdirSync(join(mimikit.home, "teller/running")).length > 0 || undefined,
    );
    const ask = () => post(mimikit, "/api/stop", {}, "once");
    const id = await ask();
    await mimikit.kill(role);
    expect(await mimikit.until("the gateway answers", ask)).toBe(id);
    expect((await mimikit.replyTo(message)).text).toBe("Stopped.");
    expect(await mimikit.until("the gateway answers", ask)).toBe(id);
    const next = await mimikit.until("the gateway answers", () => mimikit.send("and now?", "next"));
    await mimikit.replyTo(next);
    await mimikit.drained();
    expect((await mimikit.replies()).filter((reply) => reply.text === "Stopped.")).toHaveLength(1);
  });
});

describe("a new conversation", () => {
  const echo: Script = { teller: (request) => ({ say: `Reply ${request.nth}.` }) };

  test("begins without anything from before, which stays readable", async () => {
    const { mimikit, model } = await startWithModel(echo);
    await mimikit.replyTo(await mimikit.send("my bird is the heron"));
    await mimikit.replyTo(await mimikit.send("what is my bird?"));
    expect(model.of("teller").at(-1)?.prompt).toContain("heron");
    await post(mimikit, "/api/clear");
    await lineOf(mimikit, "the new beginning", (line) => line.marker === "clear");
    await mimikit.replyTo(await mimikit.send("what is my bird now?"));
    const last = model.of("teller").at(-1);
    expect(JSON.stringify(last?.messages)).toContain("what is my bird now?");
    expect(JSON.stringify(last?.messages)).not.toContain("heron");
    expect((await mimikit.messages()).map((line) => line.marker ?? line.role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "clear",
      "user",
      "assistant",
    ]);
    expect(model.of("teller")).toHaveLength(3);
    await mimikit.drained();
  });

  test.each(ROLE_NAMES)("asked for once begins once, also over a kill -9 of the %s", async (role) => {
    const { mimikit, model } = await startWithModel(echo);
    await mimikit.replyTo(await mimikit.send("my bird is the heron"));
    const ask = () => post(mimikit, "/api/clear", {}, "once");
    const id = await ask();
    await mimikit.kill(role);
    expect(await mimikit.until("the gateway answers", ask)).toBe(id);
    await mimikit.replyTo(await mimikit.until("the gateway answers", () => mimikit.send("and now?", "next")));
    expect(JSON.stringify(model.of("teller").at(-1)?.messages)).not.toContain("heron");
    await mimikit.drained();
    expect((await mimikit.messages()).filter((line) => line.marker === "clear")).toHaveLength(1);
  });
});

describe("mimikit chat", () => {
  /** A chat through a pipe that stays open: each line is typed when the test wants it. */
  function openChat(mimikit: Instance) {
    const child = startCli(mimikit, ["chat"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    let shown = "";
    child.stdout.on("data", (data) => {
      shown += data;
    });
    const errors = text(child.stderr);
    return {
      type: (line: string) => child.stdin.write(`${line}\n`),
      shows: (what: string) => mimikit.until(`the chat to show "${what}"`, () => shown.includes(what) || undefined),
      shown: () => shown,
      async end() {
        child.stdin.end();
        await new Promise((resolve) => child.once("close", resolve));
        return { code: child.exitCode, errors: await errors };
      },
    };
  }

  test("takes commands while it waits for an answer, and says what becomes of them", async () => {
    const mimikit = await start();
    const chat = openChat(mimikit);
    chat.type(`run \`${WAIT_FOR_GO}\``);
    await mimikit.until("the command to run", hasFile(mimikit, "started"));
    chat.type("/halt");
    await chat.shows("there is no command /halt");
    chat.type("/help");
    await chat.shows("/steer <text>");
    chat.type("/steer help");
    await chat.shows("sent to the running task");
    await chat.shows("passed on to");
    go(mimikit);
    await chat.shows("the work had ended, so it was sent as a message: help");
    await chat.shows("went");
    chat.type("//stop");
    expect(await chat.end()).toEqual({ code: 0, errors: "" });
    const lines = await mimikit.messages();
    const [last] = lines.filter((line) => line.role === "user").slice(-1);
    expect(last?.text).toBe("/stop");
    for (const reply of await mimikit.replies()) {
      expect(chat.shown().split(reply.text.split("\n")[0] ?? "").length - 1).toBeGreaterThanOrEqual(1);
    }
  });

  test("ends with /stop what it waits for, and begins anew with /clear", async () => {
    const { mimikit } = await startWithModel({ teller: [{ hang: "I am about to" }, { say: "Next." }] });
    const chat = openChat(mimikit);
    chat.type("tell me everything");
    await chat.shows("I am about to");
    chat.type("/stop");
    await chat.shows("Stopped.");
    chat.type("/clear");
    await chat.shows("A new conversation begins here.");
    chat.type("and now?");
    await chat.shows("Next.");
    expect(await chat.end()).toEqual({ code: 0, errors: "" });
  });
});
