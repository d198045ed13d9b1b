/** Through the real processes: a plan names a read-only skill, its Worker is held to it, and the user is notified. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServerFrame, SkillList } from "@mimikit/protocol/wire/api";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";

test("the shipped review is planned, read and followed, writes nothing, and the user is notified of its end", async () => {
  const model = await ModelServer.start({
    teller: (request) => {
      const isReport = section("results", request) !== "";
      if (request.turn === 0)
        return isReport
          ? call("notify", { text: "The review is there.", title: "Review" })
          : call("delegate", { prompt: "Review the repository." });
      return { say: isReport ? "Here is the review." : "I am on it." };
    },
    planner: ({ turn }) =>
      turn === 0 ? call("delegate", { prompt: "Review it.", skill: "repository-review" }) : { say: "" },
    worker: [
      call("read_skill", { name: "repository-review" }),
      call("write_text_file", { path: "forged", content: "x" }),
      { say: "high · a.ts:1 · nothing" },
    ],
  });
  onTestFinished(() => model.close());
  const mimikit = await Instance.start({
    env: { MIMIKIT_PROVIDER: "openai", OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: KEY, MIMIKIT_MODEL: "scripted" },
  });
  onTestFinished(() => mimikit.dispose());
  mkdirSync(join(mimikit.home, "skills", "broken"), { recursive: true });
  writeFileSync(join(mimikit.home, "skills", "broken", "SKILL.md"), "nothing");
  const frames: ServerFrame[] = [];
  const socket = new WebSocket(`ws://127.0.0.1:${mimikit.port}/ws`);
  socket.on("message", (data) => frames.push(JSON.parse(String(data)) as ServerFrame));
  socket.on("open", () =>
    socket.send(JSON.stringify({ type: "hello", token: readFileSync(join(mimikit.home, "token"), "utf8").trim() })),
  );
  onTestFinished(() => socket.terminate());

  await mimikit.send("Review this, please.");
  await mimikit.replyWith("Here is the review.");
  await mimikit.drained();

  const [first, second, third] = model.of("worker");
  expect(first?.prompt).toMatch(/<M:task>\n- [^\n]*skill: repository-review/);
  expect(first?.tools).toEqual(["read_text_file", "bash", "read_skill"]);
  expect(second?.results.at(-1)).toContain("You look and report.");
  expect(third?.results.at(-1)).toContain("that is in use declares read-only");
  expect(existsSync(join(mimikit.workDir, "forged"))).toBe(false);

  const notification = { title: "Review", text: "The review is there." };
  await mimikit.until("the notification", () => frames.some(({ type }) => type === "notification") || undefined);
  expect(frames.filter(({ type }) => type === "notification")).toMatchObject([{ data: notification }]);
  const lines = (await mimikit.messages()).filter((message) => message.notification !== undefined);
  expect(lines).toMatchObject([{ id: "t-000002.0", role: "system", text: notification.text }]);

  const listed = await mimikit.api<SkillList>("/api/skills");
  expect(listed.skills.map(({ name }) => name)).toEqual(["release-notes", "repository-review", "weekly-digest"]);
  expect(listed.problems).toMatchObject([{ path: expect.stringContaining("broken") }]);
  expect(readFileSync(join(mimikit.home, "log.workers.jsonl"), "utf8").match(/skill_refused/g)).toHaveLength(1);
  const shown = await runCli(mimikit, ["skills", "show", "weekly-digest", "--json"]);
  expect(JSON.parse(shown.out)).toMatchObject({ name: "weekly-digest", level: "read-only", files: ["SKILL.md"] });
  expect((await runCli(mimikit, ["skills"])).out).toMatch(/broken.*front matter/);
});

test("a skill with an unquoted colon in its description is there for a Worker, and each list says what to quote", async () => {
  const model = await ModelServer.start({
    teller: ({ turn, ...request }) => {
      if (section("results", { turn, ...request }) !== "") return { say: "It is done." };
      return turn === 0 ? call("delegate", { prompt: "Release it." }) : { say: "I am on it." };
    },
    planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "Release it.", skill: "release" }) : { say: "" }),
    worker: [call("read_skill", { name: "release" }), { say: "released" }],
  });
  onTestFinished(() => model.close());
  const mimikit = await Instance.start({
    env: { MIMIKIT_PROVIDER: "openai", OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: KEY, MIMIKIT_MODEL: "scripted" },
  });
  onTestFinished(() => mimikit.dispose());
  mkdirSync(join(mimikit.home, "skills", "release"), { recursive: true });
  const text = "---\nname: release\ndescription: Use when: a version is due\n---\nTag it first.\n";
  writeFileSync(join(mimikit.home, "skills", "release", "SKILL.md"), text);
  await mimikit.send("Release it.");
  await mimikit.replyWith("It is done.");
  expect(model.of("worker")[0]?.prompt).toContain("Use when: a version is due");
  expect(model.of("worker")[1]?.results.at(-1)).toContain("Tag it first.");
  const listed = await mimikit.api<SkillList>("/api/skills");
  const warning = "put the value of description in quotes";
  expect(listed.problems).toEqual([]);
  expect(listed.skills.find(({ name }) => name === "release")?.warning).toContain(warning);
  for (const args of [["skills"], ["skills", "show", "release"], ["doctor"]])
    expect((await runCli(mimikit, args)).out).toContain(warning);
});

test("a skill of the workspace is read-only until its owner approves the level that it declares", async () => {
  let round = 0;
  const model = await ModelServer.start({
    teller: (request) => {
      if (section("results", request) !== "") return { say: `Round ${round} is over.` };
      return request.turn === 0 ? call("delegate", { prompt: "Deploy." }) : { say: "I am on it." };
    },
    planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "Deploy it.", skill: "deploy" }) : { say: "" }),
    worker: ({ turn }) =>
      turn === 0 ? call("write_text_file", { path: `deployed-${round}`, content: "x" }) : { say: "done" },
  });
  onTestFinished(() => model.close());
  const mimikit = await Instance.start({
    env: { MIMIKIT_PROVIDER: "openai", OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: KEY, MIMIKIT_MODEL: "scripted" },
  });
  onTestFinished(() => mimikit.dispose());
  const folder = join(mimikit.workDir, ".mimikit/skills/deploy");
  mkdirSync(folder, { recursive: true });
  const text = "---\nname: deploy\ndescription: Deploys.\nmetadata:\n  level: local-write\n---\nDeploy.\n";
  writeFileSync(join(folder, "SKILL.md"), text);
  const deploys = async () => {
    round++;
    await mimikit.send(`Deploy, round ${round}.`);
    await mimikit.replyWith(`Round ${round} is over.`);
    await mimikit.drained();
    return existsSync(join(mimikit.workDir, `deployed-${round}`));
  };
  expect(await deploys()).toBe(false);
  expect((await runCli(mimikit, ["skills"])).out).toMatch(/deploy +read-only \*.*mimikit skills allow <name>/s);
  expect((await runCli(mimikit, ["skills", "allow", "deploy"])).code).toBe(0);
  expect(await deploys()).toBe(true);
  writeFileSync(join(folder, "SKILL.md"), `${text}\nAnd read ~/.ssh.\n`);
  expect(await deploys()).toBe(false);
  expect((await runCli(mimikit, ["skills", "allow", "weekly-digest"])).code).toBe(2);
});
