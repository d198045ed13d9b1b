/**
 * Questions to the user through the three real processes: a chain that asks whether to go on behind a failure, several
 * questions at once, a task that is not to run again unasked, and a plan that needs to know more.
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { QuestionView } from "@mimikit/protocol/wire/api";
import { commandId } from "@mimikit/store/disk/create-command";
import { sign } from "@mimikit/store/disk/sign";
import { inboxPath } from "@mimikit/store/disk/state";
import { describe, expect, test } from "vitest";
import type { Instance } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import type { Script } from "../support/model-server.ts";
import { startWithModel } from "../support/start-with-model.ts";

/** The open questions, once there are that many. */
function questions(mimikit: Instance, count: number): Promise<QuestionView[]> {
  return mimikit.until(`${count} open questions`, async () => {
    const { questions: open } = await mimikit.api<{ questions: QuestionView[] }>("/api/questions");
    return open.length === count ? open : undefined;
  });
}

async function answer(mimikit: Instance, question: QuestionView | undefined, text: string): Promise<string> {
  const path = `/api/questions/${question?.id}/answer`;
  return (await mimikit.api<{ id: string }>(path, { method: "POST", body: { answer: text } })).id;
}

/** How many questions with such an id were ever asked and closed. */
function closedCount(mimikit: Instance, ending: string): number {
  return readdirSync(join(mimikit.home, "archive")).filter((name) => name.endsWith(`${ending}.json`)).length;
}

/** A Teller that delegates what it is asked, and says what comes back. */
const teller: Script["teller"] = (request) => {
  const results = section("results", request);
  if (results !== "") return { say: `This came of it:\n\n${results}` };
  const isAsked = section("inputs", request).includes("please work");
  return isAsked && request.turn === 0 ? call("delegate", { prompt: "work" }) : { say: "I am on it." };
};

describe("a chain of five whose third task fails", () => {
  const STEPS = ["one", "two", "three", "four", "five"];
  const script: Script = {
    teller,
    planner: ({ results }) => {
      const title = STEPS[results.length];
      if (title === undefined) return { say: "" };
      const before = /\bt-[\d.]+\d/.exec(results.at(-1) ?? "")?.[0];
      const condition = { type: "task_done", params: { taskId: before } };
      return call("delegate", { title, prompt: `do step ${title}`, ...(before !== undefined && { condition }) });
    },
    worker: (request) => {
      const step = STEPS.find((title) => section("task", request).includes(`do step ${title}`));
      return { say: step === "three" ? '{"status": "failed", "error": "no such host"}' : `Step ${step} is done.` };
    },
  };

  async function untilAsked() {
    const { mimikit, model } = await startWithModel(script);
    await mimikit.send("please work");
    const [question] = await questions(mimikit, 1);
    expect(question).toMatchObject({
      question: '"three" failed (no such host). "four", "five" wait for it. Go on anyway?',
      options: ["go on", "stop"],
      default: "stop",
      isChoice: true,
    });
    // The failure is told at once, the rest when nothing is open any more.
    const told = await mimikit.replyWith("no such host");
    expect(told.text).not.toContain("Step one is done.");
    await mimikit.kill("supervisor");
    await mimikit.ready();
    expect(await questions(mimikit, 1)).toEqual([question]);
    return { mimikit, model, question };
  }

  const statesOf = async (mimikit: Instance) =>
    (await mimikit.tasks())
      .filter((task) => task.role === "worker")
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((task) => task.state);

  test("goes on behind it when the user says so, with what the failed one said", async () => {
    const { mimikit, model, question } = await untilAsked();
    await answer(mimikit, question, "Go on");
    const report = await mimikit.replyWith("Step five is done.");
    for (const step of ["one", "two", "four"]) expect(report.text).toContain(`Step ${step} is done.`);
    await mimikit.drained();
    expect(await statesOf(mimikit)).toEqual(["done", "done", "failed", "done", "done"]);
    const fourth = model.of("worker").find((request) => section("task", request).includes("do step four"));
    expect(fourth && section("upstream", fourth)).toContain("no such host");
    expect(await questions(mimikit, 0)).toEqual([]);
    expect(closedCount(mimikit, ".go-on")).toBe(1);
  });

  test("ends behind it when the user says stop, and is asked about no further", async () => {
    const { mimikit, question } = await untilAsked();
    await answer(mimikit, question, "stop");
    const report = await mimikit.replyWith("Step one is done.");
    expect(report.text).not.toContain("Step four");
    await mimikit.drained();
    expect(await statesOf(mimikit)).toEqual(["done", "done", "failed", "cancelled", "cancelled"]);
    expect(closedCount(mimikit, ".go-on")).toBe(1);
  });
});

test('"ok then the second one" is the second option, once, and the conversation shows which', async () => {
  const FILES = ["Only the installers", "Everything older than a month", "Only holiday-video.mp4"];
  const { mimikit, model } = await startWithModel({
    teller: (request) => {
      const events = section("events", request);
      if (events !== "") return { say: `Heard: ${events}` };
      if (!section("inputs", request).includes("clean up")) return { say: `Open: ${section("questions", request)}` };
      const ask = { question: "What may I delete?", options: FILES, default: "Only the installers" };
      return request.turn > 0 ? { say: "Please choose." } : call("ask_user", ask);
    },
  });
  await mimikit.send("clean up my Downloads");
  const [asked] = await questions(mimikit, 1);
  const unclear = await mimikit.send("anything but the last one");
  const shown = (await mimikit.replyTo(unclear)).text;
  expect(shown).toContain(`options: "1. ${FILES[0]}; 2. ${FILES[1]}; 3. ${FILES[2]}", default: "${FILES[0]}"`);

  await mimikit.kill("supervisor");
  await mimikit.ready();
  const id = await mimikit.send("ok then the second one");
  expect((await mimikit.replyTo(id)).text).toContain(`"answer":"${FILES[1]}","messageId":"${id}"`);
  await mimikit.drained();
  const said = (await mimikit.messages()).filter((message) => message.id === id);
  expect(said).toMatchObject([{ text: `ok then the second one → ${FILES[1]}`, quote: asked?.id }]);
  expect(model.of("teller").filter((request) => section("events", request) !== "")).toHaveLength(1);
  await questions(mimikit, 0);
  const record = readFileSync(join(mimikit.home, "archive", `${asked?.id}.json`), "utf8");
  expect(JSON.parse(record)).toMatchObject({ outcome: "answered", answer: FILES[1], messageId: id });
});

test("several questions are open at once: each is answered, takes its default or runs out, and a late answer is a message", async () => {
  const MINUTES_MS = 60_000;
  const { mimikit } = await startWithModel(
    {
      teller: (request) => {
        const events = section("events", request);
        if (events !== "") return { say: `Heard: ${events}` };
        if (!section("inputs", request).includes("deploy") || request.turn > 0) return { say: "Said." };
        const asked = [
          { question: "Which port?", options: ["80", "8080"] },
          { question: "Which region?", default: "eu", timeoutSec: 600 },
          { question: "Which name?", timeoutSec: 600 },
        ];
        return { calls: asked.map((args) => ({ name: "ask_user", args })) };
      },
    },
    { hasClock: true },
  );
  await mimikit.send("deploy");
  const [port, region, name] = await questions(mimikit, 3);
  expect([port, region, name].map((each) => each?.question)).toEqual(["Which port?", "Which region?", "Which name?"]);

  const id = await answer(mimikit, port, "8080");
  expect((await mimikit.replyTo(id)).text).toContain("8080");
  await questions(mimikit, 2);
  await mimikit.kill("supervisor");
  mimikit.setClock(11 * MINUTES_MS);
  await questions(mimikit, 0);
  const lines = await mimikit.until("both to run out", async () => {
    const all = await mimikit.messages();
    return all.filter((line) => line.text.includes("was not answered in time")).length === 2 ? all : undefined;
  });
  const quoting = lines.filter((line) => line.quote !== undefined);
  expect(quoting).toMatchObject([{ id, role: "user", text: "8080", quote: port?.id }]);
  expect(lines.filter((line) => line.role === "system").map((line) => line.text)).toEqual([
    '"Which region?" was not answered in time; the default "eu" applies.',
    '"Which name?" was not answered in time.',
  ]);

  const late = {
    kind: "answer",
    id: commandId("answer"),
    at: new Date().toISOString(),
    questionId: name?.id,
    answer: "Bo",
  };
  const command = { ...late, mac: sign(mimikit.token, late) };
  const aside = join(mimikit.home, "tmp", "late");
  writeFileSync(aside, JSON.stringify(command));
  renameSync(aside, join(mimikit.home, inboxPath(late.id)));
  await mimikit.replyTo(`m-${late.id}`);
  await mimikit.drained();
  expect((await mimikit.messages()).filter((line) => line.text === "Bo")).toHaveLength(1);
});

describe("work that is not to run twice unasked, and whose pool was killed", () => {
  const script: Script = {
    teller,
    planner: ({ results }) =>
      results.length === 0
        ? call("delegate", { title: "Send it", prompt: "send it", onInterrupt: "ask" })
        : { say: "" },
    // A conversation that was cut off goes on with its second run: only a command that came to its end has said this.
    worker: (request) =>
      request.results.some((result) => /^sent$/m.test(result))
        ? { say: "It was sent." }
        : call("bash", { command: "echo run >> runs.log; until [ -e go ]; do sleep 0.05; done; echo sent" }),
  };
  const runsOf = ({ workDir }: Instance) => {
    const path = join(workDir, "runs.log");
    return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").length : 0;
  };

  async function untilAsked() {
    const { mimikit, model } = await startWithModel(script);
    await mimikit.send("please work");
    await mimikit.until("the command", () => runsOf(mimikit) === 1 || undefined);
    await mimikit.kill("workers");
    const [question] = await questions(mimikit, 1);
    expect(question).toMatchObject({ options: ["yes", "no"], default: "no", isChoice: true });
    expect(question?.question).toContain('"Send it" was interrupted while it ran');
    // A pool that comes back looks at the same files.
    await mimikit.kill("workers");
    await mimikit.kill("supervisor");
    await mimikit.ready();
    await mimikit.replyTo(await mimikit.send("are you there?"));
    expect(runsOf(mimikit)).toBe(1);
    expect(await questions(mimikit, 1)).toEqual([question]);
    return { mimikit, model, question };
  }

  test("runs again when the user says yes, and is told that it was cut off", async () => {
    const { mimikit, model, question } = await untilAsked();
    await answer(mimikit, question, "yes");
    await mimikit.until("the second run", () => runsOf(mimikit) === 2 || undefined);
    writeFileSync(join(mimikit.workDir, "go"), "");
    await mimikit.replyWith("It was sent.");
    await mimikit.drained();
    const told = model
      .of("worker")
      .at(-1)
      ?.messages.filter((message) => message.role === "user");
    expect(told?.some(({ content }) => /earlier attempt/.test(content))).toBe(true);
    expect(closedCount(mimikit, ".run-again")).toBe(1);
  });

  test("ends as interrupted when the user says no", async () => {
    const { mimikit, question } = await untilAsked();
    await answer(mimikit, question, "no");
    await mimikit.replyWith("the user chose not to run it again");
    await mimikit.drained();
    expect((await mimikit.tasks()).filter((task) => task.role === "worker")).toMatchObject([
      { state: "failed", failureReason: "interrupted" },
    ]);
    expect(runsOf(mimikit)).toBe(1);
  });
});

test("a plan that needs to know more is put to the user, and the next plan has seen its findings and the answer", async () => {
  const { mimikit, model } = await startWithModel({
    teller: (request) => {
      const results = section("results", request);
      const isTurnsFirst = request.turn === 0;
      if (results.includes("needs_input"))
        return isTurnsFirst ? call("ask_user", { question: "Which port?", options: ["80", "8080"] }) : { say: "Say." };
      if (section("events", request).includes("question_answered"))
        return isTurnsFirst ? call("delegate", { prompt: "go on with the answer" }) : { say: "I go on." };
      return teller(request);
    },
    planner: (request) => {
      if (section("upstream", request) === "") return { say: "The file names two ports. Which port is it?" };
      return request.turn === 0 ? call("delegate", { title: "Deploy", prompt: "deploy" }) : { say: "" };
    },
    worker: () => ({ say: "It is deployed." }),
  });
  await mimikit.send("please work");
  const [question] = await questions(mimikit, 1);
  expect(question).toMatchObject({ question: "Which port?", options: ["80", "8080"], isChoice: false });
  await answer(mimikit, question, "the second");
  await mimikit.replyWith("It is deployed.");
  await mimikit.drained();
  const next = model.of("planner").find((request) => section("upstream", request) !== "");
  const upstream = next && section("upstream", next);
  expect(upstream).toContain("The file names two ports.");
  expect(upstream).toContain("the second");
});

test("the processes start anew once the user agrees, and the Teller says that it is back", async () => {
  const { mimikit } = await startWithModel({
    teller: (request) => {
      if (section("events", request).includes("restarted")) return { say: "I am back." };
      return request.turn === 0 ? call("restart_server", {}) : { say: "Please confirm." };
    },
  });
  const before = mimikit.pidOf("supervisor");
  await mimikit.send("restart yourself");
  const [question] = await questions(mimikit, 1);
  expect(question).toMatchObject({ question: "Restart Mimikit now?", default: "no", isChoice: true });
  expect(mimikit.pidOf("supervisor")).toBe(before);
  await answer(mimikit, question, "yes");
  await mimikit.replyWith("I am back.");
  expect(mimikit.pidOf("supervisor")).not.toBe(before);
  await mimikit.drained();
  expect((await mimikit.replies()).filter((reply) => reply.text === "I am back.")).toHaveLength(1);
  expect(readdirSync(join(mimikit.home, "archive")).filter((name) => name.startsWith("r-"))).toHaveLength(1);
});
