/** Settings that cannot be read allow nothing more than their owner has set: the last valid ones count, or nothing starts. */
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsAnswer, Status } from "@mimikit/protocol/wire/api";
import { afterEach, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";

const opened: Instance[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.dispose();
});

async function prepared(yaml: string | null, env: Record<string, string> = {}): Promise<Instance> {
  const mimikit = await Instance.start({
    roles: [],
    env,
    prepare: async (home) => {
      mkdirSync(home);
      if (yaml !== null) writeFileSync(join(home, "config.yaml"), yaml);
    },
  });
  opened.push(mimikit);
  return mimikit;
}

/** The end of each process when it is started, and what it said. */
async function starts(mimikit: Instance): Promise<{ code: number | null; said: string }[]> {
  return Promise.all(
    ROLE_NAMES.map(async (role) => {
      const child = mimikit.startSecond(role);
      let said = "";
      child.stderr?.on("data", (chunk: Buffer) => (said += chunk));
      const [code] = (await once(child, "close")) as [number | null];
      return { code, said };
    }),
  );
}

test.each([
  [
    "a name that is none",
    "autonomy: ask\nbudgt:\n  day: { tokens: 100 }\n",
    /config\.yaml, line 2: budgt: there is no setting/,
  ],
  ["a value that is none", "sandbox: required\nautonomy: aks\n", /config\.yaml, line 2: autonomy: /],
  ["no YAML", "autonomy: ask\nbudget: [1,\n  foo", /config\.yaml, line [23]: /],
])(
  "nothing starts where the first config.yaml has %s: each process names the file and the line",
  async (_what, yaml, where) => {
    const mimikit = await prepared(yaml);
    for (const { code, said } of await starts(mimikit)) {
      expect(code).toBe(1);
      expect(said).toMatch(where);
    }
    const up = await runCli(mimikit, ["up"]);
    expect(up.code).toBe(1);
    expect(up.error).toMatch(where);
  },
);

test("nothing starts with a variable that cannot be read and may forbid something; another one is ignored", async () => {
  const mimikit = await prepared(null, { MIMIKIT_AUTONOMY: "aks" });
  for (const { code, said } of await starts(mimikit)) {
    expect(code).toBe(1);
    expect(said).toContain("MIMIKIT_AUTONOMY: ");
  }
});

test("a mistake falls back to what was valid last, also after a restart, and also where that was nothing", async () => {
  const mimikit = await prepared("autonomy: ask\n");
  const autonomy = async () =>
    (await mimikit.api<SettingsAnswer>("/api/settings")).settings.find(({ name }) => name === "autonomy")?.value;
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
  writeFileSync(join(mimikit.home, "config.yaml"), "autonomy: full\nbudgt: 1\n");
  const problems = () => mimikit.api<Status>("/api/status").then((status) => status.problems.join("\n"));
  await mimikit.until("the problem", async () => ((await problems()).includes("budgt") ? true : undefined));
  expect(await autonomy()).toBe("ask");
  await mimikit.stop();
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
  expect(await autonomy()).toBe("ask");
  await mimikit.stop();

  // Neither can be read: nothing is known of what the owner wants.
  rmSync(join(mimikit.home, "config.last-good.json"));
  expect((await starts(mimikit)).map(({ code }) => code)).toEqual([1, 1, 1]);

  const fresh = await prepared(null);
  for (const role of ROLE_NAMES) fresh.startRole(role);
  await fresh.ready();
  await fresh.until(
    "the settings of the start",
    () => existsSync(join(fresh.home, "config.last-good.json")) || undefined,
  );
  expect(readFileSync(join(fresh.home, "config.last-good.json"), "utf8")).toBe("{}\n");
  writeFileSync(join(fresh.home, "config.yaml"), "port: [1,\n");
  await fresh.stop();
  for (const role of ROLE_NAMES) fresh.startRole(role);
  await fresh.ready();
});
