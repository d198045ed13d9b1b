/** Recipes through the real processes: each of those that come along fires, and one from outside is held to its level. */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { TriggerRecord } from "@mimikit/protocol/records/trigger";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { shippedRecipes } from "../../apps/cli/src/recipes/find-recipe.ts";
import { REDIRECTS_MAX } from "../../apps/cli/src/recipes/read-url.ts";
import { RECIPE_BYTES_MAX } from "../../apps/cli/src/recipes/recipe.ts";
import { runCli, startCli } from "../cli/run-cli.ts";
import { hasTerminals, openTerminal } from "../cli/terminal.ts";
import { Instance } from "../support/instance.ts";

let mimikit: Instance;
beforeAll(async () => {
  mimikit = await Instance.start();
});
afterAll(() => mimikit.dispose());

async function json<T>(...words: string[]): Promise<T> {
  const { code, out, error } = await runCli(mimikit, [...words, "--json"]);
  expect([code, error]).toEqual([0, ""]);
  return JSON.parse(out) as T;
}

/** @returns the id of its trigger. */
async function add(name: string, ...options: string[]): Promise<string> {
  const { triggerId, outcome } = await json<{ triggerId: string; outcome: string }>(
    ...["recipe", "add", name, "--yes", ...options],
  );
  expect(outcome).toBe(`made: ${triggerId}`);
  return triggerId;
}

const said = (text: string) =>
  mimikit.until(`a message with ${JSON.stringify(text)}`, async () =>
    (await mimikit.messages()).find((message) => message.role === "assistant" && message.text.includes(text)),
  );

const recentOf = async (id: string) =>
  (await json<{ recent: { outcome: string; id: string }[] }>("triggers", "show", id)).recent;

/** The newest version of a trigger. */
function versionOf(id: string): TriggerRecord | undefined {
  const dir = join(mimikit.home, "triggers");
  const versions = readdirSync(dir).flatMap((name) => {
    const [, version] = new RegExp(`^${id}\\.v(\\d+)\\.json$`).exec(name) ?? [];
    return version === undefined ? [] : [Number(version)];
  });
  if (versions.length === 0) return undefined;
  try {
    return TriggerRecord.parse(JSON.parse(readFileSync(join(dir, `${id}.v${Math.max(...versions)}.json`), "utf8")));
  } catch {
    // It has been replaced meanwhile.
    return undefined;
  }
}

const seesFiles = (id: string) =>
  mimikit.until("what is there was looked at", () => {
    const trigger = versionOf(id);
    return (trigger?.type === "conditional" && Object.keys(trigger.evidence.baselines).length > 0) || undefined;
  });

describe("those that come with Mimikit", () => {
  /** By name: how it is added, and the words that it comes back with. Without an engine that reads words, no more than that it was due. */
  const DUE: Record<string, { options?: string[]; prepare?: () => void; says: string }> = {
    "backup-reminder": { says: "back up what matters" },
    birthday: { options: ["--set", "who=Alex", "--set", "day=04-17"], says: "today is the birthday of Alex" },
    "disk-space": { says: "%" },
    "git-digest": {
      prepare: () => {
        const git = (...words: string[]) => execFileSync("git", ["-C", mimikit.workDir, ...words]);
        git("init", "--quiet");
        git(
          "-c",
          "user.name=Alex",
          "-c",
          "user.email=a@example.org",
          "commit",
          "--quiet",
          "--allow-empty",
          "-m",
          "plant a tree",
        );
      },
      says: "plant a tree",
    },
    "reading-list": {
      prepare: () => writeFileSync(join(mimikit.workDir, "reading.md"), "- [x] Emma\n- [ ] Middlemarch\n"),
      says: "Middlemarch",
    },
    "meeting-prep": { says: "Prepare the meeting" },
    "morning-brief": { says: "Write the morning brief" },
  };

  test.each(Object.entries(DUE))(
    "%s comes back with its words when it is due",
    async (name, { options = [], prepare, says }) => {
      prepare?.();
      const id = await add(name, ...options);
      await json("triggers", "run", id);
      await said(says);
      expect(await recentOf(id)).toMatchObject([{ outcome: "fired" }]);
    },
  );

  test("weekly-review is work for a Worker that is held to its skill", async () => {
    const id = await add("weekly-review");
    await json("triggers", "run", id);
    const [occurrence] = await mimikit.until("it has fired", async () => {
      const recent = await recentOf(id);
      return recent.length > 0 ? recent : undefined;
    });
    const { task } = await mimikit.until("its work has ended", () => {
      const path = join(mimikit.home, "archive", `${occurrence?.id}.json`);
      return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
    });
    expect(task).toMatchObject({ role: "worker", skill: { name: "weekly-review", level: "read-only" } });
    expect((await runCli(mimikit, ["skills", "show", "weekly-review"])).out).toContain("level  read-only");
  });

  test("watch-folder and log-watch wait for their files, and tell what is in them", async () => {
    mkdirSync(join(mimikit.workDir, "inbox"));
    writeFileSync(join(mimikit.workDir, "app.log"), "all is well\n");
    const [folder, log] = [await add("watch-folder"), await add("log-watch")];
    await Promise.all([seesFiles(folder), seesFiles(log)]);
    writeFileSync(join(mimikit.workDir, "inbox/invoice-7.txt"), "x");
    appendFileSync(join(mimikit.workDir, "app.log"), "ERROR: the pump is dry\n");
    await said("invoice-7.txt");
    await said("the pump is dry");
    expect([await recentOf(folder), await recentOf(log)]).toMatchObject([
      [{ outcome: "fired" }],
      [{ outcome: "fired" }],
    ]);
  });

  test("all of them were tried", async () => {
    const { recipes } = await json<{ recipes: { name: string; isAdded: boolean }[] }>("recipe", "list");
    expect(recipes.filter(({ isAdded }) => isAdded).map(({ name }) => name)).toEqual(
      shippedRecipes().map(({ recipe }) => recipe.name),
    );
  });

  test("an undone one is not there any more, and can be added again", async () => {
    const { changes } = await json<{ changes: { id: string; title: string }[] }>("undo");
    const made = changes.find(({ title }) => title === "Disk space");
    await json("undo", made?.id ?? "");
    const isAdded = async () =>
      (await json<{ recipes: { name: string; isAdded: boolean }[] }>("recipe", "list")).recipes.find(
        ({ name }) => name === "disk-space",
      )?.isAdded;
    await mimikit.until("it is gone", async () => (await isAdded()) === false || undefined);
    await add("disk-space", "--set", "time=07:15");
    expect(await isAdded()).toBe(true);
  });
});

test("one that is due by the clock fires when its time has come, and once", async () => {
  const tomorrow = await Instance.start({ hasClock: true });
  onTestFinished(() => tomorrow.dispose());
  const said = await runCli(tomorrow, ["recipe", "add", "backup-reminder", "--set", "weekday=3", "--yes", "--json"]);
  const { triggerId } = JSON.parse(said.out) as { triggerId: string };
  tomorrow.setClock(7 * 86_400_000);
  await tomorrow.replyWith("back up what matters");
  await tomorrow.drained();
  const { out } = await runCli(tomorrow, ["triggers", "show", triggerId, "--json"]);
  expect(JSON.parse(out)).toMatchObject({ recent: [{ outcome: "fired" }] });
});

test.runIf(hasTerminals)(
  "at a terminal it asks what it needs to know, shows all of it, and adds it after a yes",
  async () => {
    const terminal = openTerminal(mimikit, ["recipe", "add", "birthday", "--as", "birthday-kim"]);
    await terminal.shows("Whose birthday is it?");
    terminal.type("Kim\n");
    await terminal.shows("On which day, month first (04-17)?");
    terminal.type("02-29\n");
    await terminal.shows("At what time of the day? [09:00]");
    terminal.type("\n");
    await terminal.shows("remind me: today is the birthday of Kim");
    await terminal.shows("Add it? [y/N]");
    terminal.type("y\n");
    await terminal.shows("birthday-kim: added as trg-");
    expect(await terminal.ended()).toBe(0);
  },
);

const outside = (name: string, level: string) => `name: ${name}
title: From outside ${name}
about: Makes a file.
words: run \`touch ${name}.txt && echo done with ${name}\`
trigger: { every: 2h }
skill: |
  ---
  name: ${name}
  description: Makes a file.
  metadata:
    level: ${level}
  ---
  Make a file.
`;

test("what a recipe from outside makes is held to the level of its skill from the beginning", async () => {
  for (const [name, level] of [
    ["looker", "read-only"],
    ["writer", "local-write"],
  ] as const) {
    const path = join(mimikit.workDir, `${name}.yaml`);
    writeFileSync(path, outside(name, level));
    const id = await add(path, "--level", level);
    await json("triggers", "run", id);
    await mimikit.until(`${name} has ended`, async () => {
      const [fired] = await recentOf(id);
      return (fired !== undefined && existsSync(join(mimikit.home, "archive", `${fired.id}.json`))) || undefined;
    });
  }
  expect(existsSync(join(mimikit.workDir, "writer.txt"))).toBe(true);
  expect(existsSync(join(mimikit.workDir, "looker.txt"))).toBe(false);
});

test("an addition that is killed is completed by the same command, and makes one trigger; so is a removal", async () => {
  const path = join(mimikit.workDir, "killed.yaml");
  writeFileSync(path, outside("killed", "read-only"));
  const own = async () =>
    (await json<{ triggers: { title: string }[] }>("triggers")).triggers.filter(({ title }) =>
      title.endsWith("killed"),
    );
  const record = join(mimikit.home, "recipes/killed.json");
  const killOnce = async (isTime: () => boolean, ...words: string[]) => {
    const child = startCli(mimikit, words);
    await mimikit.until("a moment in the middle", () => isTime() || child.exitCode !== null || undefined);
    child.kill("SIGKILL");
  };
  await killOnce(() => existsSync(record), "recipe", "add", path, "--yes");
  await mimikit.kill("supervisor");
  const { code, error } = await runCli(mimikit, ["recipe", "add", path, "--yes"]);
  expect(code === 0 || error.includes("was added already")).toBe(true);
  await mimikit.until("its trigger", async () => (await own()).length > 0 || undefined);
  expect(await own()).toHaveLength(1);
  expect(existsSync(join(mimikit.home, "skills/killed/SKILL.md"))).toBe(true);

  await killOnce(() => !existsSync(join(mimikit.home, "skills/killed")), "recipe", "remove", "killed");
  await runCli(mimikit, ["recipe", "remove", "killed"]);
  await mimikit.until("no trigger", async () => (await own()).length === 0 || undefined);
  expect([existsSync(record), existsSync(join(mimikit.home, "skills/killed"))]).toEqual([false, false]);
});

const hasOpenssl = (() => {
  try {
    return execFileSync("openssl", ["version"]).length > 0;
  } catch {
    return false;
  }
})();
if (!hasOpenssl) process.stderr.write("there is no `openssl`: recipes are not read over HTTPS\n");

describe.runIf(hasOpenssl)("over HTTPS", () => {
  let server: Server;
  let origin: string;
  let certificate: string;
  beforeAll(async () => {
    const dir = join(mimikit.workDir, "certificate");
    mkdirSync(dir);
    const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
        ...["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", cert],
      ],
      { stdio: "ignore" },
    );
    certificate = cert;
    server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, ({ url = "" }, response) => {
      const hop = Number(/^\/hop\/(\d+)$/.exec(url)?.[1] ?? -1);
      if (hop > 0) response.writeHead(302, { location: `/hop/${hop - 1}` }).end();
      else if (url === "/down") response.writeHead(302, { location: "http://localhost/x" }).end();
      else if (url === "/long") response.end("x".repeat(RECIPE_BYTES_MAX + 1));
      else if (url === "/gone") response.writeHead(404).end();
      else response.end(outside("from-the-web", "read-only"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const cli = (...words: string[]) => runCli(mimikit, words, "", { NODE_EXTRA_CA_CERTS: certificate });

  test("a recipe is shown as it is, and added", async () => {
    const shown = await cli("recipe", "show", `${origin}/recipe.yaml`);
    expect(shown.out).toContain("its skill, which may do at most: read-only");
    expect(await cli("recipe", "add", `${origin}/hop/${REDIRECTS_MAX}`, "--yes")).toMatchObject({
      code: 0,
      out: expect.stringContaining("from-the-web: added as trg-"),
    });
  });

  test.each([
    ["more redirects than are followed", `/hop/${REDIRECTS_MAX + 1}`, /redirects more than/],
    ["a redirect to where nothing is encrypted", "/down", /begins with https/],
    ["more than a recipe", "/long", /sends more than/],
    ["nothing", "/gone", /answers 404/],
  ])("%s is refused", async (_what, path, reason) => {
    const { code, error } = await cli("recipe", "add", `${origin}${path}`, "--yes");
    expect([code === 0, error]).toEqual([false, expect.stringMatching(reason)]);
  });

  test("a certificate that nobody vouches for is refused", async () => {
    const { code, error } = await runCli(mimikit, ["recipe", "show", `${origin}/recipe.yaml`]);
    expect([code, error]).toEqual([1, expect.stringMatching(/cannot be read: .*self-signed/)]);
  });
});
