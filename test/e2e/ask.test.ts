/** `mimikit ask` in a script: what its exit code says, and how it goes on where only the gateway is down. */

import { afterEach, describe, expect, test } from "vitest";
import { livingRoles } from "../../apps/cli/src/processes/instance.ts";
import { runCli } from "../cli/run-cli.ts";
import { hasTerminals, openTerminal } from "../cli/terminal.ts";
import { Instance, type InstanceOptions } from "../support/instance.ts";
import { call, section } from "../support/main-job.ts";
import { ModelServer, type Script } from "../support/model-server.ts";

const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function start(options: InstanceOptions = {}): Promise<Instance> {
  const mimikit = await Instance.start(options);
  opened.unshift(mimikit);
  return mimikit;
}

async function startWith(script: Script): Promise<Instance> {
  const model = await ModelServer.start(script);
  opened.push({ dispose: () => model.close() });
  return start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: "sk-ask",
      MIMIKIT_MODEL: "scripted",
    },
  });
}

test("work that was done ends with 0, and work that failed with 1 and its id", async () => {
  const mimikit = await start();
  expect(await runCli(mimikit, ["ask", "run `echo $((20+2))`"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("\n22\n"),
  });
  const failed = await runCli(mimikit, ["ask", "run `exit 3`"]);
  expect([failed.code, failed.error.split("\n").at(-2)]).toEqual([1, "mimikit: 1 task failed: t-000003.0.0 (error)"]);
});

describe("a chain that asks whether to go on behind a failure", () => {
  const CHAIN = "run `echo one` then `false` then `echo three`";

  test("ends with 5 where nobody is at the terminal, after it has said what failed and what it asks", async () => {
    const mimikit = await start();
    const said = await runCli(mimikit, ["ask", CHAIN]);
    expect(said.code).toBe(5);
    expect(said.out).toMatch(/exit code 1[\s\S]*\n\? .*Go on anyway\?\n {2}1 {2}go on\n {2}2 {2}stop\n/);
    const id = /mimikit questions answer (\S+) /.exec(said.out)?.[1] ?? "";
    expect(id).toMatch(/\.go-on$/);
    expect(said.error.split("\n").at(-2)).toBe(
      `mimikit: it waits for your answer: mimikit questions answer ${id} <answer>`,
    );
    // The work is still there, and goes on with the answer.
    expect((await runCli(mimikit, ["questions", "answer", id, "1"])).code).toBe(0);
    expect((await mimikit.replyWith("\nthree\n")).text).toContain("three");
  });

  test.skipIf(!hasTerminals)(
    "is waited for at a terminal, and answered there or elsewhere the work goes on",
    async () => {
      const mimikit = await start();
      const typed = [`"${CHAIN.replaceAll("`", "\\`")}"`];
      const here = openTerminal(mimikit, ["ask", ...typed]);
      await here.shows("y for 1 or n for 2");
      await here.shows("answer › ");
      here.type("y\r");
      await here.shows("✓ go on");
      await here.shows("three");
      expect(await here.ended()).toBe(1);
      const terminal = openTerminal(mimikit, ["ask", ...typed]);
      await terminal.shows("answer › ");
      const { questions } = await mimikit.api<{ questions: { id: string }[] }>("/api/questions");
      expect((await runCli(mimikit, ["questions", "answer", questions[0]?.id ?? "", "go on"])).code).toBe(0);
      await terminal.shows("no longer asked");
      await terminal.shows("three");
      await terminal.shows("mimikit: 1 task failed");
      expect(await terminal.ended()).toBe(1);
    },
  );

  test("says so in JSON, too", async () => {
    const mimikit = await start();
    const { code, out } = await runCli(mimikit, ["ask", "--json", CHAIN]);
    expect([code, JSON.parse(out)]).toEqual([
      5,
      expect.objectContaining({ complete: false, questions: [expect.objectContaining({ isChoice: true })] }),
    ]);
  });
});

test("a reply that failed ends with 1", async () => {
  const mimikit = await startWith({ teller: [{ say: "" }] });
  const { code, out, error } = await runCli(mimikit, ["ask", "hello"]);
  expect([code, out, error.split("\n").at(-2)]).toEqual([
    1,
    expect.stringContaining("Sorry, I could not finish this reply"),
    "mimikit: the reply failed: there is no usable answer",
  ]);
});

test("a reply that failed for its model ends with the command that helps", async () => {
  const mimikit = await startWith({ teller: [{ status: 401 }] });
  const { code, error } = await runCli(mimikit, ["ask", "hello"]);
  expect([code, error.split("\n").at(-2)]).toEqual([
    1,
    expect.stringMatching(
      /^mimikit: the reply failed: openai at .* does not accept the key; see {2}mimikit connect openai$/,
    ),
  ]);
});

test("a report that is still to come is waited for, however long the model takes for it", async () => {
  const mimikit = await startWith({
    teller: (request) => {
      if (section("results", request) !== "") return { hang: true };
      return request.turn === 0 ? call("delegate", { prompt: "work" }) : { say: "I am on it." };
    },
    planner: ({ results }) => (results.length === 0 ? call("delegate", { title: "it", prompt: "do it" }) : { say: "" }),
    worker: [{ say: "It is done." }],
  });
  // Longer than it waits for a report of which there is no sign.
  const { code, error } = await runCli(mimikit, ["ask", "--timeout", "12", "please work"]);
  expect([code, error.split("\n").at(-2)]).toEqual([4, expect.stringContaining("no complete answer within 12 s")]);
});

describe("with only the gateway down", () => {
  async function withoutGateway(): Promise<Instance> {
    const mimikit = await start({ roles: ["supervisor", "workers"] });
    await mimikit.until(
      "both processes have noted themselves",
      () => livingRoles(mimikit.home).size === 2 || undefined,
    );
    return mimikit;
  }

  test("ask goes by files: it says who runs, and is answered in full", async () => {
    const mimikit = await withoutGateway();
    const said = await runCli(mimikit, ["ask", "run `echo a$((1+1))` then `echo b$((1+1))`"]);
    expect([said.code, said.error.split("\n")[0]]).toEqual([0, "! running: supervisor, workers; down: gateway"]);
    expect(said.out).toMatch(/\na2\n[\s\S]*\nb2\n/);
    expect((await runCli(mimikit, ["ask", "run `false` then `true`"])).code).toBe(5);
  });

  test("send says that it is taken up at once, and status who runs", async () => {
    const mimikit = await withoutGateway();
    expect((await runCli(mimikit, ["send", "hello"])).out).toMatch(
      /^m-[0-9a-f]{32} \(no gateway answers, but it will still be processed; running: supervisor, workers; down: gateway\)\n$/,
    );
    expect(JSON.parse((await runCli(mimikit, ["send", "--json", "hello"])).out)).toMatchObject({
      taken: false,
      running: ["supervisor", "workers"],
    });
    const { code, out, error } = await runCli(mimikit, ["status"]);
    expect(code).toBe(3);
    expect(out).toMatch(/^Mimikit {2}the gateway is down; messages are still processed\n/);
    expect(out).toMatch(/processes +supervisor \d+, workers \d+, gateway DOWN\n/);
    expect(error).toBe(
      `mimikit: the gateway of ${mimikit.home} is down (running: supervisor, workers; down: gateway): PM2 starts it again if it died; if not, use  mimikit up\n`,
    );
  });
});
