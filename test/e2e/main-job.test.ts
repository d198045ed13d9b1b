/** The main job through the three real processes: message → Teller → Planner → Workers → one report. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Instance } from "../support/instance.ts";

let mimikit: Instance;
beforeAll(async () => {
  mimikit = await Instance.start();
});
afterAll(() => mimikit.dispose());

describe("a message", () => {
  test("gets exactly one reply", async () => {
    const id = await mimikit.send("help");
    expect((await mimikit.replyTo(id)).text).toContain("run `");
    expect((await mimikit.replies()).filter((reply) => reply.answers?.includes(id))).toHaveLength(1);
  });

  test("is answered in the language it was written in", async () => {
    const id = await mimikit.send("你好");
    expect((await mimikit.replyTo(id)).text).toMatch(/\p{Script=Han}/u);
  });

  test("that is sent twice with one idempotency key is one message with one reply", async () => {
    const first = await mimikit.send("status", "the same key");
    const second = await mimikit.send("status", "the same key");
    expect(second).toBe(first);
    await mimikit.replyTo(first);
    const third = await mimikit.send("status", "the same key");
    expect(third).toBe(first);
    const last = await mimikit.send("status");
    await mimikit.replyTo(last);
    expect((await mimikit.messages()).filter((message) => message.id === first)).toHaveLength(1);
    expect((await mimikit.replies()).filter((reply) => reply.answers?.includes(first))).toHaveLength(1);
  });

  test("may be a file that somebody drops into inbox/, under any name and with nothing but a text", async () => {
    writeFileSync(join(mimikit.home, "inbox", "From Me.json"), '{"kind":"message","text":"search 钢琴 dropped"}');
    const message = await mimikit.until("the dropped message", async () =>
      (await mimikit.messages()).find((each) => each.text === "search 钢琴 dropped"),
    );
    await mimikit.replyTo(message.id);
    expect(existsSync(join(mimikit.home, "inbox", "From Me.json"))).toBe(false);
  });
});

describe("an order", () => {
  test("of two chained commands is answered at once, planned as two tasks, and reported once with both outputs", async () => {
    const id = await mimikit.send("run `printf 'one\\ntwo\\n'` then `wc -l`");
    const interim = await mimikit.replyTo(id);
    const plan = interim.taskIds?.[0] ?? "";
    const report = await mimikit.until("the report", async () =>
      (await mimikit.replies()).find((reply) => reply.taskIds?.includes(`${plan}.1`)),
    );
    expect(report.text).toContain("one\ntwo");
    expect(report.text).toMatch(/^2$/m);
    expect(report.taskIds).toEqual([`${plan}.0`, `${plan}.1`]);
    const second = await mimikit.task(`${plan}.1`);
    expect(second.upstream.map((each) => each.id)).toEqual([`${plan}.0`]);
    expect(second.state).toBe("done");
  });

  test("of two commands that wait for each other runs them side by side", async () => {
    const meet = (mine: string, other: string) =>
      `touch ${mine}; until [ -e ${other} ]; do sleep 0.05; done; echo met ${other}`;
    await mimikit.send(`run \`${meet("left", "right")}\` and \`${meet("right", "left")}\``);
    const report = await mimikit.replyWith("met right");
    expect(report.text).toContain("met left");
  });

  describe("whose first command fails says so at once, and asks whether to run the second", () => {
    const reportOf = (id: string) =>
      mimikit.until(`the report of ${id}`, async () =>
        (await mimikit.replies()).find((reply) => reply.taskIds?.includes(id)),
      );

    async function untilAsked(second: string) {
      const id = await mimikit.send(`run \`echo broken >&2; exit 3\` then \`touch "${second}"\``);
      const plan = (await mimikit.replyTo(id)).taskIds?.[0] ?? "";
      const { text } = await reportOf(`${plan}.0`);
      expect(text).toContain("broken");
      expect(text).toContain("exit code 3");
      expect(text).toContain(`mimikit questions answer ${plan}.0.go-on`);
      expect((await mimikit.task(`${plan}.1`)).state).toBe("waiting");
      expect(existsSync(join(mimikit.workDir, second))).toBe(false);
      const answer = (answer: string) =>
        mimikit.api(`/api/questions/${plan}.0.go-on/answer`, { method: "POST", body: { answer } });
      return { plan, answer };
    }

    test("which it does where the user says so", async () => {
      const { plan, answer } = await untilAsked("after all");
      const said = await mimikit.replyTo(await mimikit.send("go on"));
      expect(said.text).toContain(`mimikit questions answer ${plan}.0.go-on`);
      await answer("go on");
      await reportOf(`${plan}.1`);
      expect((await mimikit.task(`${plan}.1`)).state).toBe("done");
    });

    test("which it does not where the user says stop", async () => {
      const { plan, answer } = await untilAsked("never");
      await answer("stop");
      expect((await reportOf(`${plan}.1`)).text).toContain("the user chose to stop after");
      expect(existsSync(join(mimikit.workDir, "never"))).toBe(false);
      expect((await mimikit.task(`${plan}.0`)).state).toBe("failed");
      expect((await mimikit.task(`${plan}.1`)).state).toBe("cancelled");
    });
  });

  test("to cancel a running task ends its whole process tree and says so", async () => {
    const id = await mimikit.send("run `sh -c 'trap \"\" TERM; touch started; sleep 600' & wait`");
    const plan = (await mimikit.replyTo(id)).taskIds?.[0] ?? "";
    await mimikit.until("the command", () => existsSync(join(mimikit.workDir, "started")) || undefined);
    await mimikit.send(`cancel ${plan}.0`);
    await mimikit.until("the end of the task", async () =>
      (await mimikit.task(`${plan}.0`)).state === "cancelled" ? true : undefined,
    );
    await mimikit.until("the end of its processes", async () =>
      (await mimikit.children()).length === 0 ? true : undefined,
    );
    await mimikit.until("the report", async () =>
      (await mimikit.replies()).find((reply) => reply.taskIds?.includes(`${plan}.0`)),
    );
  });

  test("may be cancelled over the API, again and again, and also when it is too late", async () => {
    const id = await mimikit.send("run `sleep 600`");
    const plan = (await mimikit.replyTo(id)).taskIds?.[0] ?? "";
    await mimikit.until("the task", async () =>
      (await mimikit.task(`${plan}.0`)).state === "running" ? true : undefined,
    );
    const cancel = () => mimikit.api(`/api/tasks/${plan}.0/cancel`, { method: "POST" });
    await cancel();
    await cancel().catch((error: Error) => expect(error.message).toMatch(/^409/));
    await mimikit.until("the end of the task", async () =>
      (await mimikit.task(`${plan}.0`)).state === "cancelled" ? true : undefined,
    );
    await expect(cancel()).rejects.toThrow(/^409/);
    await expect(mimikit.api("/api/tasks/t-999999.0/cancel", { method: "POST" })).rejects.toThrow(/^404/);
  });
});

describe("what is to be remembered", () => {
  test("is in memory.md, once, and search finds it, in English and in Chinese", async () => {
    await mimikit.replyTo(await mimikit.send("remember the deploy day is Thursday"));
    await mimikit.replyTo(await mimikit.send("记住我喜欢用 pnpm"));
    const memory = await mimikit.until("memory.md", () => {
      const text = readFileSync(join(mimikit.home, "memory.md"), "utf8");
      return text.includes("pnpm") ? text : undefined;
    });
    expect(memory.match(/我喜欢用 pnpm/g)).toHaveLength(1);
    expect((await mimikit.replyTo(await mimikit.send("search pnpm"))).text).toContain("我喜欢用 pnpm");
    expect((await mimikit.replyTo(await mimikit.send("搜索 喜欢"))).text).toContain("pnpm");
    expect((await mimikit.replyTo(await mimikit.send("search deploy"))).text).toContain("Thursday");
  });

  test("may be a backlog that is added to, done and listed", async () => {
    await mimikit.replyTo(await mimikit.send("backlog add write the report"));
    await mimikit.replyTo(await mimikit.send("待办 添加 买牛奶"));
    await mimikit.replyTo(await mimikit.send("backlog done write the report"));
    await mimikit.until("backlog.md", () =>
      readFileSync(join(mimikit.home, "backlog.md"), "utf8").includes("- [x] write the report") ? true : undefined,
    );
    const list = await mimikit.replyTo(await mimikit.send("backlog list"));
    expect(list.text).toContain("[x] write the report");
    expect(list.text).toContain("[ ] 买牛奶");
  });
});

describe("what is not understood", () => {
  test("gets an honest answer that says what can be done and how to connect a model", async () => {
    const { text } = await mimikit.replyTo(await mimikit.send("what is the meaning of life?"));
    expect(text).toContain("model");
    expect(text).toContain("remember");
  });
});
