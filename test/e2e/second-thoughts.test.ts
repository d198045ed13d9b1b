/**
 * Second thoughts, through the three real processes: the last reply is given again, as the message was or in other words,
 * once, whatever is killed; the earlier one is a version of it, which no model is shown again.
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Instance, ROLE_NAMES } from "../support/instance.ts";
import type { ModelRequest } from "../support/model-server.ts";
import { startWithModel } from "../support/start-with-model.ts";

function retry(mimikit: Instance, body: object = {}, key?: string): Promise<{ id: string }> {
  return mimikit.api("/api/conversation/retry", { method: "POST", body, ...(key !== undefined && { key }) });
}

function newReply(mimikit: Instance, instead: string) {
  return mimikit.until(`a reply instead of ${instead}`, async () =>
    (await mimikit.replies()).find((reply) => reply.instead === instead),
  );
}

const shownTo = (request: ModelRequest | undefined) => JSON.stringify(request?.messages);

describe("trying again", () => {
  test("answers the same message anew: it is not said again, and the failed reply is a version that no model sees", async () => {
    const { mimikit, model } = await startWithModel({
      teller: [{ status: 401 }, { say: "Here it is." }, { say: "Next." }],
    });
    const message = await mimikit.send("what is a heron?");
    const failed = await mimikit.replyTo(message);
    expect(failed.problem?.cause).toBe("key");
    await retry(mimikit, { messageId: failed.id });
    const reply = await newReply(mimikit, failed.id);
    expect(reply).toMatchObject({ text: "Here it is.", answers: [message], versions: [failed] });
    expect((await mimikit.messages()).map(({ id }) => id)).toEqual([message, reply.id]);
    expect(shownTo(model.of("teller").at(-1))).not.toContain("could not finish");
    expect(shownTo(model.of("teller").at(-1)).split("what is a heron?")).toHaveLength(2);

    await mimikit.replyTo(await mimikit.send("and an egret?"));
    const last = shownTo(model.of("teller").at(-1));
    expect(last).toContain("Here it is.");
    expect(last).not.toContain("could not finish");
    await mimikit.drained();
  });

  test.each(ROLE_NAMES)(
    "is done once, also over a kill -9 of the %s, and each version is kept in its order",
    async (role) => {
      const { mimikit } = await startWithModel({ teller: (request) => ({ say: `Version ${request.nth}.` }) });
      const message = await mimikit.send("say something");
      const first = await mimikit.replyTo(message);
      const ask = () => retry(mimikit, {}, "once");
      const { id } = await ask();
      await mimikit.kill(role);
      expect((await mimikit.until("the gateway answers", ask)).id).toBe(id);
      const second = await mimikit.until("the gateway answers", () => newReply(mimikit, first.id));
      await mimikit.until("the gateway answers", () => retry(mimikit, { messageId: message }));
      const third = await newReply(mimikit, second.id);
      await mimikit.drained();
      expect(third.versions?.map(({ id: version }) => version)).toEqual([first.id, second.id]);
      expect((await mimikit.replies()).map((reply) => reply.id)).toEqual([third.id]);
      expect(readdirSync(join(mimikit.home, "archive")).filter((name) => /^t-\d+\.json$/.test(name))).toHaveLength(3);
    },
  );

  test("asked for twice at one place answers once: the second command is refused", async () => {
    const { mimikit, model } = await startWithModel({ teller: (request) => ({ say: `Version ${request.nth}.` }) });
    const first = await mimikit.replyTo(await mimikit.send("say something"));
    await mimikit.stop();
    for (const role of ["gateway"] as const) mimikit.startRole(role);
    await mimikit.until("the gateway answers", () => retry(mimikit));
    const { id } = await retry(mimikit);
    for (const role of ["supervisor", "workers"] as const) mimikit.startRole(role);
    await newReply(mimikit, first.id);
    await mimikit.until(
      "the command to be settled",
      () => existsSync(join(mimikit.home, `archive/${id}.json`)) || undefined,
    );
    await mimikit.drained();
    expect(model.of("teller")).toHaveLength(2);
    expect(await mimikit.replies()).toHaveLength(1);
  });

  test("may be answered by another model, once", async () => {
    const { mimikit, model } = await startWithModel({ teller: (request) => ({ say: `Version ${request.nth}.` }) });
    const first = await mimikit.replyTo(await mimikit.send("say something"));
    await retry(mimikit, { answerBy: { provider: "openai", model: "another" } });
    expect(await newReply(mimikit, first.id)).toMatchObject({ model: "another" });
    await mimikit.replyTo(await mimikit.send("and now?"));
    expect(model.of("teller").map((request) => request.model)).toEqual(["scripted", "another", "scripted"]);
    await mimikit.drained();
  });

  test("is refused where something came of the reply that is not over, where you have said more since, and before there is a reply", async () => {
    let isOrdered = false;
    const order = () => {
      isOrdered = true;
      return { calls: [{ name: "delegate", args: { prompt: "work" } }] };
    };
    const { mimikit } = await startWithModel({
      teller: (request) => (request.prompt.includes("please work") && !isOrdered ? order() : { say: "I am on it." }),
      planner: ({ results }) =>
        results.length === 0
          ? { calls: [{ name: "delegate", args: { title: "The work", prompt: "work" } }] }
          : { say: "" },
      worker: (request) =>
        request.turn === 0
          ? { calls: [{ name: "bash", args: { command: "until [ -e go ]; do sleep 0.05; done" } }] }
          : { say: "Done." },
    });
    await expect(retry(mimikit)).rejects.toThrow(/409.*no reply yet/s);
    const reply = await mimikit.replyTo(await mimikit.send("please work"));
    await expect(retry(mimikit)).rejects.toThrow(/409.*has not ended yet/s);
    writeFileSync(join(mimikit.workDir, "go"), "");
    await mimikit.drained();
    await mimikit.replyTo(await mimikit.send("and now?"));
    await expect(retry(mimikit, { messageId: reply.id })).rejects.toThrow(/409.*last/s);
    await expect(retry(mimikit, { messageId: "m-nobody" })).rejects.toThrow("404");
  });
});

describe("saying the last message in other words", () => {
  test("answers the new words only: the old ones are a version, and no model sees them again", async () => {
    const { mimikit, model } = await startWithModel({ teller: (request) => ({ say: `Version ${request.nth}.` }) });
    const message = await mimikit.send("tell me of the hreon");
    const first = await mimikit.replyTo(message);
    await retry(mimikit, { messageId: message, text: "tell me of the heron" });
    const reply = await newReply(mimikit, first.id);
    await mimikit.replyTo(await mimikit.send("and now?"));
    const lines = await mimikit.messages();
    expect(lines.map(({ text }) => text)).toEqual(["tell me of the heron", "Version 2.", "and now?", "Version 3."]);
    expect(lines[0]?.versions?.map(({ id }) => id)).toEqual([message]);
    expect(reply.answers).toEqual([lines[0]?.id]);
    for (const request of model.of("teller").slice(1)) {
      expect(shownTo(request)).toContain("heron");
      expect(shownTo(request)).not.toContain("hreon");
      expect(shownTo(request)).not.toContain("Version 1.");
    }
    await mimikit.drained();
  });

  test("is for the last message only", async () => {
    const { mimikit } = await startWithModel({ teller: (request) => ({ say: `Version ${request.nth}.` }) });
    const message = await mimikit.send("one");
    await mimikit.replyTo(message);
    await mimikit.replyTo(await mimikit.send("two"));
    await expect(retry(mimikit, { messageId: message, text: "three" })).rejects.toThrow(/409.*last/s);
  });
});
