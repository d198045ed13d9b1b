/** The command line over the real processes, with and without the gateway: it orders, looks, explains and answers. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { Question } from "@mimikit/protocol/records/question";
import { openDisk } from "@mimikit/store/disk/disk";
import { createRecord } from "@mimikit/store/disk/record";
import { archivePath, questionPath, TASKS_PATH } from "@mimikit/store/disk/state";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runCli, type Said } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";
import { section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";
import { CLI } from "../support/programs.ts";

/** Gives a process a terminal. */
const SCRIPT = ["/usr/bin/script", "/bin/script"].find((path) => existsSync(path));
if (SCRIPT === undefined) process.stderr.write("there is no `script`: the chat is not tested in a terminal\n");

/** Asks, as the Teller's turn would have. */
async function askUser(mimikit: Instance, id: string): Promise<void> {
  const at = new Date();
  await createRecord(openDisk(mimikit.home, `test-${id}`), Question, questionPath(id), {
    id,
    at: at.toISOString(),
    expiresAt: new Date(at.getTime() + 3_600_000).toISOString(),
    question: "Which region?",
    options: ["EU", "US"],
    purpose: { type: "teller" },
    traceId: "t-000900",
  });
}

describe("with the gateway stopped", () => {
  let mimikit: Instance;
  beforeAll(async () => {
    mimikit = await Instance.start({ roles: ["supervisor", "workers"] });
    await mimikit.until("the supervisor looks", () => existsSync(join(mimikit.home, TASKS_PATH)) || undefined);
  });
  afterAll(() => mimikit.dispose());

  const cli = (...words: string[]): Promise<Said> => runCli(mimikit, words);

  async function json<T>(...words: string[]): Promise<T> {
    const { code, out, error } = await cli(...words, "--json");
    expect([code, error]).toEqual([0, ""]);
    return JSON.parse(out) as T;
  }

  async function add(...words: string[]): Promise<string> {
    const { triggerId, outcome } = await json<{ triggerId: string; outcome: string }>("triggers", "add", ...words);
    // The order has been carried out when the command ends.
    expect(outcome).toBe(`made: ${triggerId}`);
    return triggerId;
  }

  const show = (id: string) => json("triggers", "show", id);

  const pagePath = () => join(mimikit.home, TASKS_PATH);
  const pageWith = (...texts: string[]) =>
    mimikit.until(`tasks.md with ${texts.join(", ")}`, () => {
      const page = existsSync(pagePath()) ? readFileSync(pagePath(), "utf8") : "";
      return texts.every((text) => page.includes(text)) || undefined;
    });

  test("a trigger that waits for a file is explained before and after, and runs once", async () => {
    // A rest that is over on a slow machine before anybody asks would say something else.
    const when = ["--when-file-exists", "go.txt", "--cooldown", "1h"];
    const id = await add(...when, "--target", "worker", "--title", "On the file", "run: wc -l");
    expect((await cli("triggers", "explain", id)).out).toContain("✗ file_exists  go.txt does not exist");
    writeFileSync(join(mimikit.workDir, "go.txt"), "");
    await mimikit.until("its work", () => existsSync(join(mimikit.home, archivePath(`${id}--1`))) || undefined);
    expect(await show(id)).toMatchObject({ recent: [{ outcome: "fired", id: `${id}--1` }] });
    expect((await cli("triggers", "explain", id)).out).toMatch(
      /is cooling down until .*\n\n✓ file_exists {2}go\.txt exists/,
    );
  });

  test("an order that waits for a task that never was is refused before anything is written; one that was is waited for", async () => {
    const condition = (taskId: string) => JSON.stringify({ type: "task_done", params: { taskId } });
    const never = ["triggers", "add", "--when", condition("t-000777.0"), "run: true"];
    const refused = { code: 2, out: "", error: expect.stringContaining("cannot wait for t-000777.0") };
    expect(await cli(...never)).toMatchObject(refused);
    expect(existsSync(join(mimikit.home, "inbox")) ? readdirSync(join(mimikit.home, "inbox")) : []).toEqual([]);
    const first = await add("--at", "2127-01-01T00:00:00Z", "--target", "worker", "--title", "first", "run: true");
    const { id } = await json<{ id: string }>("triggers", "run", first);
    const taskId = `${first}--run-${id.slice(id.lastIndexOf("-") + 1)}`;
    await mimikit.until("its work", () => existsSync(join(mimikit.home, archivePath(taskId))) || undefined);
    const second = await add("--when", condition(taskId), "--target", "worker", "--title", "second", "run: true");
    await mimikit.until("what follows", () => existsSync(join(mimikit.home, archivePath(`${second}--1`))) || undefined);
    expect(await cli("triggers", "change", second, "--when", condition("t-000777.0"))).toMatchObject(refused);
    await json("triggers", "delete", first);
    await json("triggers", "delete", second);
  });

  test("run, pause, resume, change and delete say what was done, when it is done", async () => {
    const id = await add("--every", "2h", "--target", "worker", "--title", "before", "run: true");
    expect(await json("triggers", "run", id)).toMatchObject({ outcome: "started" });
    expect(await json("triggers", "pause", id)).toMatchObject({ outcome: "changed" });
    expect(await show(id)).toMatchObject({
      paused: true,
      next: null,
      recent: [{ outcome: "fired", id: expect.stringMatching(/--run-[0-9a-f]{32}$/) }],
    });
    await json("triggers", "resume", id);
    await json("triggers", "change", id, "--title", "after");
    expect(await show(id)).toMatchObject({ paused: false, title: "after" });
    expect(await json("triggers", "delete", id)).toMatchObject({ outcome: "deleted" });
    const { code, error } = await cli("triggers", "run", id);
    expect([code, error]).toEqual([1, `mimikit: there is no trigger ${id}:  mimikit triggers  lists them\n`]);
  });

  test("a question is listed, in tasks.md which nobody else writes, and answered by the number of an option", async () => {
    const id = "t-000900.1";
    writeFileSync(pagePath(), "mine\n");
    await askUser(mimikit, id);
    expect((await cli("questions")).out).toContain("2  US");
    await pageWith("**Which region?** EU · US", "done **On the file**");
    expect(await json("questions", "answer", id, "2")).toMatchObject({ questionId: id, answer: "US" });
    const closed = JSON.parse(readFileSync(join(mimikit.home, archivePath(id)), "utf8"));
    expect(closed).toMatchObject({ kind: "question", outcome: "answered", answer: "US" });
  });

  test("tasks.md that was deleted is written anew by a supervisor that has just begun, with all that has ended", async () => {
    await mimikit.kill("supervisor");
    rmSync(pagePath());
    await pageWith("done **On the file**");
  });
});

describe("with the gateway", () => {
  let model: ModelServer;
  let mimikit: Instance;
  beforeAll(async () => {
    model = await ModelServer.start({
      teller: (request) =>
        request.turn === 0 && section("inputs", request).includes("deploy it")
          ? { calls: [{ name: "ask_user", args: { question: "Which region?", options: ["EU", "US"], default: "EU" } }] }
          : { say: "That depends on the region." },
    });
    const env = {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "sk-questions",
      MIMIKIT_MODEL: "scripted",
    };
    mimikit = await Instance.start({ env });
  });
  afterAll(async () => {
    await mimikit.dispose();
    await model.close();
  });

  test("ask that ends in a question shows it, and status says what is next and that something is asked", async () => {
    const { code, out, error } = await runCli(mimikit, ["ask", "deploy it"]);
    expect([code, error]).toEqual([5, expect.stringContaining("? Which region?")]);
    expect(out).toMatch(
      /^That depends on the region\.\n\n\? Which region\?\n {2}1 {2}EU\n {2}2 {2}US\n.*left, then EU\)\n/,
    );
    const id = /mimikit questions answer (\S+) /.exec(out)?.[1] ?? "";
    expect(id).toMatch(/^t-000001\.\d+$/);

    await runCli(mimikit, ["triggers", "add", "--at", "2036-12-24T18:00:00Z", "x"]);
    const { out: status } = await runCli(mimikit, ["status"]);
    expect(status).toMatch(
      /next trigger trg-\w+ at 2036-12-24 [\s\S]*\n\? it asks you something: {2}mimikit questions/,
    );
    expect((await runCli(mimikit, ["questions", "answer", id, "1"])).out).toBe(`${id}: EU\n`);
  });

  test.skipIf(SCRIPT === undefined)(
    "in the chat the prompt asks for the answer, a number picks an option, and then a line is a message again",
    async () => {
      const env = { ...process.env, MIMIKIT_HOME: mimikit.home, MIMIKIT_WORK_DIR: mimikit.workDir, TERM: "dumb" };
      const chat = spawn(SCRIPT ?? "", ["-qfec", `'${process.execPath}' '${CLI}' chat`, "/dev/null"], { env });
      onTestFinished(() => void chat.kill("SIGKILL"));
      let shown = "";
      chat.stdout.on("data", (data) => {
        shown += stripVTControlCharacters(String(data));
      });
      const shows = (text: string) => mimikit.until(`"${text}" in the chat`, () => shown.includes(text) || undefined);
      await shows("› ");
      await askUser(mimikit, "t-000900.1");
      await shows("? Which region?");
      await shows("answer › ");
      chat.stdin.write("2\r");
      await mimikit.until("the answer", () => existsSync(join(mimikit.home, archivePath("t-000900.1"))) || undefined);
      const closed = JSON.parse(readFileSync(join(mimikit.home, archivePath("t-000900.1")), "utf8"));
      expect(closed).toMatchObject({ outcome: "answered", answer: "US" });
      // An empty line puts a question aside: what is typed then is a message.
      await askUser(mimikit, "t-000900.2");
      await mimikit.until("the second question", () => shown.split("? Which region?").length === 3 || undefined);
      chat.stdin.write("\r");
      await shows("put aside");
      chat.stdin.write("status\r");
      await mimikit.until("the message", async () =>
        (await mimikit.messages()).find(({ role, text }) => role === "user" && text === "status"),
      );
      expect(existsSync(join(mimikit.home, archivePath("t-000900.2")))).toBe(false);
    },
  );
});
