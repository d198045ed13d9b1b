/** The memories that a model was shown for a reply are kept with the reply, through the real processes. */
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { entriesOf } from "@mimikit/protocol/records/memory-entry";
import type { UsedAnswer } from "@mimikit/protocol/wire/used-memory";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance } from "../support/instance.ts";
import { call, KEY, section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";

const FACTS = 180;
const opened: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

/** The documents of a state directory, before anything runs. */
const holding = (documents: Record<string, string>) => async (home: string) => {
  await mkdir(home, { recursive: true });
  for (const [name, text] of Object.entries(documents)) await writeFile(join(home, name), text);
};

test("a reply says which of 180 facts its model was shown, where each came from, and which is not there any more", async () => {
  const model = await ModelServer.start({
    teller: (request) => {
      const asked = section("inputs", request);
      if (request.turn > 0) return { say: "Done." };
      if (asked.includes("Remember"))
        return call("remember", { content: "the boiler is called Ignatius", longTerm: true });
      if (asked.includes("look up")) return call("query_history", { query: "boiler" });
      return { say: "It is called Ignatius." };
    },
  });
  opened.push({ dispose: () => model.close() });
  const mimikit = await Instance.start({
    env: {
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_API_KEY: KEY,
      MIMIKIT_MODEL: "scripted",
    },
    prepare: holding({
      "memory.md": `${Array.from({ length: FACTS }, (_, k) => `- shelf ${k} holds box ${k}\n`).join("")}- the fern stands in room 12\n`,
      "user_profile.md": "Prefers short answers.\n",
    }),
  });
  opened.push(mimikit);
  const usedIn = async (id: string) => (await mimikit.api<UsedAnswer>(`/api/messages/${id}/used`)).used;

  const kept = await mimikit.replyTo(await mimikit.send("Remember how the boiler is called."));
  await mimikit.until("the fact", () =>
    readFileSync(join(mimikit.home, "memory.md"), "utf8").includes("Ignatius") ? true : undefined,
  );
  const question = await mimikit.send("The boiler is called what, and where is the fern?");
  const reply = await mimikit.replyTo(question);
  const asked = model.of("teller").at(-1);
  if (asked === undefined) throw new Error("the Teller was not asked");

  // Exactly what the prompt held, and what every prompt holds apart from it.
  const used = await usedIn(reply.id);
  expect(reply.used).toBe(used.length);
  const lines = used.filter(({ always }) => always !== true).map(({ source, text }) => `[${source}] ${text}`);
  expect(lines).toEqual(section("memory", asked).match(/^\[.*$/gm));
  expect(lines.length).toBeLessThan(10);
  expect(used.filter(({ always }) => always)).toMatchObject([
    { source: "user_profile.md", text: "Prefers short answers.", isAsShown: true },
  ]);
  // A fact leads to its entry and to the reply with which it was remembered; who wrote it by hand, to the entry alone.
  const boiler = used.find(({ text }) => text.includes("Ignatius"));
  expect(boiler).toMatchObject({ source: "memory.md", message: kept.id, isAsShown: true });
  const entries = entriesOf(readFileSync(join(mimikit.home, "memory.md"), "utf8")).map(({ text }) => text);
  expect(entries).toContain(boiler?.entry);
  const fern = used.find(({ text }) => text === "the fern stands in room 12");
  expect(fern).toMatchObject({ entry: "the fern stands in room 12", isAsShown: true });
  expect(fern).not.toHaveProperty("message");

  // A hit in the conversation leads to its message.
  const search = await mimikit.replyTo(await mimikit.send("Please look up the furnace."));
  expect(await usedIn(search.id)).toContainEqual(
    expect.objectContaining({ message: question, text: expect.stringContaining("boiler"), isAsShown: true }),
  );

  // It is as durable as the reply, and says what has become of an entry.
  await Promise.all([mimikit.kill("supervisor"), mimikit.kill("gateway"), mimikit.kill("workers")]);
  await mimikit.ready();
  expect(await usedIn(reply.id)).toEqual(used);
  const forget = ["memory", "forget", "the fern stands in room 12"];
  expect(await runCli(mimikit, forget)).toMatchObject({ code: 0 });
  writeFileSync(join(mimikit.home, "user_profile.md"), "Prefers long answers.\n");
  const later = await usedIn(reply.id);
  expect(later.map(({ text }) => text)).toEqual(used.map(({ text }) => text));
  expect(later.filter(({ isAsShown }) => !isAsShown).map(({ text }) => text)).toEqual([
    "Prefers short answers.",
    "the fern stands in room 12",
  ]);

  // At the terminal, with everything down.
  await mimikit.drained();
  await mimikit.stop();
  const told = await runCli(mimikit, ["memory", "used", reply.id, "--json"]);
  expect(JSON.parse(told.out)).toEqual({ id: reply.id, used: later });
  expect((await runCli(mimikit, ["memory", "used"])).out).toContain("user_profile.md");
});

test("the offline engine says what of memory it answered with, and a reply that used nothing says nothing", async () => {
  const mimikit = await Instance.start({
    env: { MIMIKIT_PROVIDER: "offline" },
    prepare: holding({ "memory.md": "- the boiler is called Ignatius\n- tea is in the shed\n" }),
  });
  opened.push(mimikit);
  const plain = await mimikit.replyTo(await mimikit.send("help"));
  expect(plain).not.toHaveProperty("used");
  const reply = await mimikit.replyTo(await mimikit.send("search boiler"));
  const { used } = await mimikit.api<UsedAnswer>(`/api/messages/${reply.id}/used`);
  expect(used).toMatchObject([{ source: "memory.md", text: "the boiler is called Ignatius" }]);
  expect(reply.used).toBe(1);
  expect(await mimikit.api<UsedAnswer>(`/api/messages/${plain.id}/used`)).toMatchObject({ used: [] });
  await expect(mimikit.api("/api/messages/t-000099.reply/used")).rejects.toThrow("404");
});
