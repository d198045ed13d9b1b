/**
 * A home in which every feature was used once, by the real processes and the real command line. Each step says in its name what it
 * uses; a feature that leaves something in the state directory gets a step here.
 */
import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { QuestionView, TaskSummary } from "@mimikit/protocol/wire/api";
import { setHookSecret } from "@mimikit/runtime/config/secrets";
import { execa } from "execa";
import { Device } from "./device.ts";
import { chatGptExport } from "./exports.ts";
import { HookReceiver } from "./hook-receiver.ts";
import type { Instance } from "./instance.ts";
import { section } from "./main-job.ts";
import type { ModelRequest, Script } from "./model-server.ts";
import { oldHomeScript } from "./old-home-script.ts";
import { CLI } from "./programs.ts";
import type { PushService } from "./push-service.ts";
import { TelegramServer } from "./telegram-server.ts";

const HOOK_SECRET = "a secret of the sender";
const ONLINE = "npm test";

/** The script of the old homes, with a Worker that wants the network for one command and needs approval for it. */
export function fullHomeScript(): Script {
  const old = oldHomeScript();
  const worker = (request: ModelRequest) => {
    const isOnline = section("task", request).includes(ONLINE);
    if (!isOnline) return (old.worker as (request: ModelRequest) => object)(request);
    const said = request.messages.at(-1)?.content ?? "";
    const isRefused = said.startsWith("The owner") && !said.startsWith("The owner says yes");
    const isDone = request.results.some((result) => !/needs_approval|^cut off/.test(result));
    if (isDone || isRefused) return { say: "Done: it was tested." };
    return { calls: [{ name: "bash", args: { command: ONLINE, network: true } }] };
  };
  return { ...old, worker } as Script;
}

export class FullHome {
  readonly mimikit: Instance;
  private readonly closing: (() => Promise<void>)[] = [];

  private constructor(mimikit: Instance) {
    this.mimikit = mimikit;
  }

  /** Uses every feature of an instance that runs with `fullHomeScript`, and resolves when nothing is open but what must be. */
  static async fill(mimikit: Instance, push: PushService): Promise<FullHome> {
    const home = new FullHome(mimikit);
    await home.says();
    await home.answersAgain();
    await home.works();
    await home.remembers();
    await home.asks();
    await home.schedules();
    await home.speaksWithOthers(push);
    return home;
  }

  async close(): Promise<void> {
    for (const close of this.closing.splice(0)) await close();
  }

  private post<T = { id: string }>(path: string, body: unknown = {}, method = "POST"): Promise<T> {
    return this.mimikit.api<T>(path, { method, body });
  }

  private cli(...words: string[]): Promise<string> {
    return this.cliWith("", ...words);
  }

  private async cliWith(input: string, ...words: string[]): Promise<string> {
    const { home, workDir, port } = this.mimikit;
    const env = { MIMIKIT_HOME: home, MIMIKIT_WORK_DIR: workDir, MIMIKIT_PORT: String(port) };
    return (await execa(process.execPath, [CLI, ...words], { env, input })).stdout;
  }

  private async said(text: string, more: object = {}): Promise<string> {
    const { id } = await this.post("/api/input", { text, ...more });
    await this.mimikit.replyTo(id);
    return id;
  }

  private archived(id: string): Promise<true> {
    const path = join(this.mimikit.home, `archive/${id}.json`);
    return this.mimikit.until(`${id} in the archive`, () => existsSync(path) || undefined);
  }

  private task(what: string, is: (task: TaskSummary) => boolean): Promise<TaskSummary> {
    return this.mimikit.until(what, async () => (await this.mimikit.tasks()).find(is));
  }

  private running(word: string): Promise<TaskSummary> {
    return this.task(
      `"${word}" runs`,
      ({ state, role, title }) => state === "running" && role === "worker" && title.includes(word),
    );
  }

  private question(pattern: RegExp): Promise<QuestionView> {
    return this.mimikit.until(`a question like ${pattern}`, async () => {
      const { questions } = await this.mimikit.api<{ questions: QuestionView[] }>("/api/questions");
      return questions.find(({ question }) => pattern.test(question));
    });
  }

  private async answer(pattern: RegExp, answer: string): Promise<void> {
    const { id } = await this.question(pattern);
    await this.post(`/api/questions/${id}/answer`, { answer });
    await this.archived(id);
  }

  /** Messages: plain, in a turn of its own, with a quote, with a file and a document, long, dropped as a file; a new beginning. */
  private async says(): Promise<void> {
    const { mimikit } = this;
    const first = await this.said("hello");
    await this.said("in a turn of its own", { mode: "next", quote: first });
    for (const [name, type, bytes] of [
      ["a.txt", "text/plain", "the harbour is blue"],
      ["b.md", "text/markdown", "# A heading"],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${mimikit.port}/api/attachments`, {
        method: "POST",
        headers: { authorization: `Bearer ${mimikit.token}`, "content-type": type },
        body: bytes,
      });
      const { id } = (await response.json()) as { id: string };
      await this.said(`look at ${name}`, { attachments: [{ id, name }] });
    }
    await this.said(`a long one: ${"word ".repeat(4_000)}`);
    await this.said("by another model", { answerBy: { provider: "openai", model: "another" } });
    writeFileSync(join(mimikit.home, "inbox/dropped.json"), '{"kind":"message","text":"dropped as a file"}');
    writeFileSync(join(mimikit.home, "inbox/broken.json"), '{"kind":"mess');
    await mimikit.until("the dropped message", async () =>
      (await mimikit.messages()).find(({ text, pending }) => text === "dropped as a file" && pending !== true),
    );
    await mimikit.until(
      "the broken file in quarantine",
      () => readdirSync(join(mimikit.home, "quarantine")).length > 0 || undefined,
    );
    await this.archived((await this.post("/api/clear")).id);
  }

  /** Retries: as it was said, in other words, that one again, and one that comes too late. */
  private async answersAgain(): Promise<void> {
    const messageId = await this.said("say something");
    for (const body of [{}, { messageId, text: "say something else" }, {}]) {
      await this.mimikit.drained();
      const { id } = await this.mimikit.until<{ id: string }>("a retry that is accepted", () =>
        this.post("/api/conversation/retry", body),
      );
      await this.archived(id);
    }
    await this.mimikit.drained();
    await this.cli("retry");
    await this.mimikit.drained();
  }

  /** Plans, chains, a failure and what is decided then, work again, steers, stops, cancellations, and an approval of each kind. */
  private async works(): Promise<void> {
    const { mimikit } = this;
    await this.said("run `echo one` and `echo two` then `echo three`");
    const done = await this.task("a task that is done", ({ state, role }) => state === "done" && role === "worker");
    await mimikit.drained();
    await this.archived((await this.post(`/api/tasks/${done.id}/again`, { text: "run `echo again`" })).id);
    await this.said("which of two");
    for (const [order, answer] of [
      ["run `exit 3` then `echo never`", "stop"],
      ["run `exit 4` then `echo anyway`", "go on"],
    ] as const) {
      await this.said(order);
      const { id, options } = await this.question(/exit [34]/);
      const chosen = options.find((option) => option.includes(answer)) ?? options[0];
      await this.post(`/api/questions/${id}/answer`, { answer: chosen });
      await this.archived(id);
    }
    await this.said("run `sleep 300; echo stopped`");
    await this.running("stopped");
    await this.post("/api/steer", { text: "and be quick" });
    await this.archived((await this.post("/api/stop")).id);
    await this.said("run `sleep 300; echo cancelled`");
    const running = await this.running("cancelled");
    await this.post(`/api/tasks/${running.id}/steer`, { text: "with care" });
    await this.post(`/api/tasks/${running.id}/cancel`);
    await mimikit.drained();
    for (const option of [/once/, /^always/, /^no/]) {
      await this.said(`run \`${ONLINE}\``);
      const { id, options } = await this.question(new RegExp(ONLINE));
      const chosen = options.find((each) => option.test(each));
      if (chosen === undefined) throw new Error(`${option} is none of ${options.join(", ")}`);
      await this.post(`/api/questions/${id}/answer`, { answer: chosen });
      await this.archived(id);
      await mimikit.drained();
      const { approvals } = await mimikit.api<{ approvals: { id: string }[] }>("/api/approvals");
      for (const { id: approval } of approvals)
        await this.archived((await this.post(`/api/approvals/${approval}`, {}, "DELETE")).id);
    }
  }

  /** Memory, persona, profile, notes, the backlog and settings; changed, forgotten and undone. */
  private async remembers(): Promise<void> {
    await this.said("keep all of it");
    await this.mimikit.drained();
    await this.archived((await this.post("/api/memory", { content: "I like pnpm", longTerm: true })).id);
    await this.archived((await this.post("/api/memory", { content: "today was windy" })).id);
    const edit = { document: "memory.md", entry: "I like pnpm" };
    await this.archived((await this.post("/api/memory/edit", { ...edit, to: "I like npm" })).id);
    await this.archived((await this.post("/api/memory/edit", { ...edit, entry: "I like npm" })).id);
    await this.archived((await this.post("/api/backlog", { op: "add", item: "paint the boat" })).id);
    await this.archived((await this.post("/api/backlog", { op: "done", item: "paint the boat" })).id);
    await this.post("/api/settings", { changes: [{ name: "maxConcurrency", value: 7 }] }, "PATCH");
    const { changes } = await this.mimikit.api<{ changes: { id: string; state: string }[] }>("/api/changes");
    const open = changes.find(({ state }) => state === "open");
    await this.archived((await this.post("/api/undo", { id: open?.id })).id);
    await this.said("compress it");
    await this.mimikit.drained();
  }

  /** Questions of the Teller: answered, and one of a restart; one stays open. */
  private async asks(): Promise<void> {
    await this.said("ask me");
    await this.answer(/Which port/, "8080");
    await this.said("restart yourself");
    const { id, options } = await this.question(/restart/i);
    await this.post(`/api/questions/${id}/answer`, { answer: options.find((each) => /^no/i.test(each)) ?? "no" });
    await this.archived(id);
    await this.mimikit.drained();
  }

  /** A trigger of each kind: fired, paused, changed, deleted, and one that has ended. */
  private async schedules(): Promise<void> {
    const { mimikit } = this;
    const put = async (more: object) => {
      const { id } = await this.post("/api/triggers", { prompt: "run `echo fired`", ...more });
      await mimikit.until(
        `the trigger ${id}`,
        () => readdirSync(join(mimikit.home, "triggers")).some((name) => name.startsWith(id)) || undefined,
      );
      return id;
    };
    const cron = await put({ title: "cron", cron: "0 0 9 * * *", timezone: "UTC", target: "worker" });
    const interval = await put({ title: "interval", interval: 86_400, target: "worker" });
    await put({ title: "once", runAt: "2099-01-01T00:00:00Z" });
    const changed = { type: "file_changed", params: { path: "watched/*.md" } };
    await put({ title: "changed", target: "worker", condition: changed });
    const exists = { type: "file_exists", params: { path: "flag" } };
    const weekdays = { type: "time", params: { weekdays: ["sat", "sun"] } };
    const rain = { type: "llm_eval", params: { prompt: "Does it rain?" } };
    await put({
      title: "exists",
      target: "worker",
      cooldown: 60,
      condition: { type: "or", conditions: [exists, rain] },
    });
    await put({
      title: "parts",
      condition: { type: "and", conditions: [{ type: "not", condition: exists }, weekdays] },
    });
    const done = (await mimikit.tasks()).find(({ state, role }) => state === "done" && role === "worker");
    await put({ title: "after", condition: { type: "task_done", params: { taskId: done?.id } } });
    const gone = await put({ title: "gone", interval: 3_600 });
    for (const id of [cron, interval]) await this.archived((await this.post(`/api/triggers/${id}/run`)).id);
    await this.archived((await this.post(`/api/triggers/${interval}`, { paused: true }, "PATCH")).id);
    await this.archived((await this.post(`/api/triggers/${cron}`, { cron: "0 30 9 * * *" }, "PATCH")).id);
    await this.archived((await this.post(`/api/triggers/${gone}`, {}, "DELETE")).id);
    writeFileSync(join(mimikit.workDir, "flag"), "");
    await this.task("the work of a trigger", ({ state, id }) => state === "done" && id.startsWith("trg-"));
    rmSync(join(mimikit.workDir, "flag"));
    await this.said("remind me");
    await this.said("every year");
    await mimikit.drained();
  }

  /** Hooks in and out, a channel, `/v1`, MCP, notifications, a skill, a recipe, an import, and an improvement. */
  private async speaksWithOthers(push: PushService): Promise<void> {
    const { mimikit } = this;
    const receiver = await HookReceiver.start();
    this.closing.push(() => receiver.close());
    mkdirSync(join(mimikit.home, "hooks"), { recursive: true });
    writeFileSync(join(mimikit.home, "hooks/out.yaml"), `on: [task_done]\nurl: ${receiver.url}\nsecret: false\n`);
    writeFileSync(join(mimikit.home, "hooks/noted.yaml"), "on: task_done\nrun: [/bin/sh, -c, cat > hooked.json]\n");
    const { id: called } = await this.post("/api/triggers", { prompt: "run `cat`", title: "called", interval: 86_400 });
    writeFileSync(join(mimikit.home, "hooks/in.yaml"), `receive: ${called}\n`);
    await setHookSecret(mimikit.home, "in", HOOK_SECRET);
    for (const name of ["out", "noted"])
      await mimikit.until(
        `the hook ${name}`,
        () => existsSync(join(mimikit.home, `deliveries/hook-${name}.json`)) || undefined,
      );
    const body = '{"ring": 1}';
    const signature = `sha256=${createHmac("sha256", HOOK_SECRET).update(body).digest("hex")}`;
    await mimikit.until("the delivery", async () => {
      const headers = { "x-hub-signature-256": signature, "content-type": "application/json" };
      const sent = await fetch(`http://127.0.0.1:${mimikit.port}/hooks/in`, { method: "POST", headers, body });
      return sent.ok || undefined;
    });
    await this.said("run `echo hooked`");
    await mimikit.until("the call of the hook", () => receiver.received.length > 0 || undefined);

    const telegram = await TelegramServer.start();
    this.closing.push(() => telegram.dispose());
    await this.cliWith(telegram.token, "channels", "add", "telegram", "--set", `server=${telegram.url}`);
    mimikit.startRole("channels");
    const { code } = JSON.parse(await this.cli("channels", "pair", "telegram", "--json")) as { code: string };
    const owner = { id: 4_711, first_name: "Ada", username: "ada" };
    telegram.say(owner, code);
    await mimikit.until("the greeting", () => telegram.sent.length > 0 || undefined);
    telegram.say(owner, "hello from a channel");
    const heard = await mimikit.until("the words of the channel", async () =>
      (await mimikit.messages()).find(({ text, pending }) => text === "hello from a channel" && pending !== true),
    );
    await mimikit.replyTo(heard.id);

    const { token } = await this.post<{ token: string }>("/api/devices", { name: "a client" });
    for (const [path, words] of [
      ["chat/completions", { messages: [{ role: "user", content: "hello from a client" }] }],
      ["responses", { input: "hello from another" }],
    ] as const) {
      const response = await fetch(`http://127.0.0.1:${mimikit.port}/v1/${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "mimikit", ...words }),
      });
      if (!response.ok) throw new Error(`/v1/${path}: ${response.status} ${await response.text()}`);
    }
    await this.post("/api/mcp", { name: "files", server: { command: "false", env: { KEY: "a-key-of-a-server" } } });
    const device = await Device.pair(mimikit);
    await device.subscribe(push);
    mkdirSync(join(mimikit.home, "skills/release-notes"), { recursive: true });
    const skill = "---\nname: release-notes\ndescription: how to write release notes\n---\nBriefly.\n";
    writeFileSync(join(mimikit.home, "skills/release-notes/SKILL.md"), skill);
    await this.said("run `echo skilled`");
    await this.cli("recipe", "add", "birthday", "--set", "who=Alex", "--set", "day=04-17", "--yes");
    const exported = join(mimikit.workDir, "../export.zip");
    writeFileSync(exported, chatGptExport());
    await this.cli("import", "chatgpt", exported, "--yes");
    await this.cli("improve", "now");
    await this.task("the look for an improvement", ({ id }) => id.startsWith("imp-"));
    await mimikit.drained();
  }
}
