/** Keys stay where they are kept: canaries in variables and in secrets.json, looked for byte by byte wherever something is said. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { KEY_VARIABLES, PROVIDER_IDS } from "@mimikit/runtime/config/providers";
import { setKey } from "@mimikit/runtime/config/secrets";
import { prepareHome } from "@mimikit/runtime/home/home";
import { listProcesses } from "@mimikit/runtime/process/process-table";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { Instance, ROLE_NAMES } from "../support/instance.ts";
import { CHAIN, section } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";

/** They look like no key, so that nothing hides them by their form. */
const CANARY = "canary0";
const HELD = Object.fromEntries(KEY_VARIABLES.map((name) => [name, `${CANARY}held0${name.toLowerCase()}`]));
const KEPT = Object.fromEntries(PROVIDER_IDS.map((id) => [id, `${CANARY}kept0by0${id}`]));

const scratch = mkdtempSync(join(tmpdir(), "mimikit-keys-"));
beforeAll(() => {
  // The commands of a terminal see them, too.
  Object.assign(process.env, HELD);
});
afterAll(() => {
  for (const name of KEY_VARIABLES) delete process.env[name];
  rmSync(scratch, { recursive: true, force: true });
});

const keepAll = async (home: string) => {
  prepareHome(home);
  for (const [id, key] of Object.entries(KEPT)) await setKey(home, id, key);
};

/** Where the canary is in `text`, with what stands around it. */
const leaksIn = (text: string) => [...text.matchAll(new RegExp(`.{0,40}${CANARY}.{0,40}`, "g"))].map(([leak]) => leak);

/** The files below a folder that hold a canary, as bytes. */
function leakingFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, "latin1").includes(CANARY));
}

/** The environment that any process was started with, and that those which the roles have started can read. */
async function leaksInProcesses(mimikit: Instance): Promise<string[]> {
  const roles = ROLE_NAMES.map((role) => mimikit.pidOf(role));
  const all = await listProcesses();
  const isChild = (environment: ReadonlyMap<string, string>) => environment.has("MIMIKIT_RUN");
  return all.flatMap(({ pid, args, environment }) =>
    leaksIn([...args, ...(isChild(environment) && !roles.includes(pid) ? environment.values() : [])].join("\n")),
  );
}

test("no key leaves secrets.json and the processes that need it: not by a chain, a shell, a backup, a command, an answer or a refusal", async () => {
  const model = await ModelServer.start({
    ...CHAIN,
    worker: (request) => {
      if (!section("task", request).includes("the first step")) return { say: "It has 3 words." };
      const said = request.results.find((result) => result.includes("one two three"));
      const command = "env; touch started; until [ -e go ]; do sleep 0.05; done; echo one two three";
      return said === undefined ? { calls: [{ shell: command }] } : { say: `It says: ${said}` };
    },
  });
  onTestFinished(() => model.close());
  const { OPENAI_API_KEY: own = "", ...others } = HELD;
  const mimikit = await Instance.start({
    // Of the endpoint, the kept one counts.
    env: {
      ...others,
      OPENAI_API_KEY: "",
      MIMIKIT_PROVIDER: "openai",
      OPENAI_BASE_URL: model.baseUrl,
      MIMIKIT_MODEL: "scripted",
      MIMIKIT_LOG_LEVEL: "debug",
    },
    prepare: keepAll,
  });
  onTestFinished(() => mimikit.dispose());
  const { home, workDir } = mimikit;

  await mimikit.send("Say something and count it.");
  await mimikit.until("the command", () => existsSync(join(workDir, "started")) || undefined);
  expect((await mimikit.children()).length).toBeGreaterThan(0);
  expect(await leaksInProcesses(mimikit)).toEqual([]);
  writeFileSync(join(workDir, "go"), "");
  await mimikit.replyWith("This came of it");
  await mimikit.drained();
  expect(model.requests.every(({ headers }) => headers.authorization === `Bearer ${KEPT.openai}`)).toBe(true);

  // An endpoint that repeats the key, so that what is shown of its words is cut within it.
  for (const length of [0, 440, 455, 470]) {
    const message = `${"x".repeat(length)} ${KEPT.openai} is wrong`;
    model.script = { teller: () => ({ status: 401, body: { error: { message } } }) };
    const refused = await mimikit.replyTo(await mimikit.send(`refuse at ${length}`));
    expect(refused.text).toMatch(/could not finish/);
    expect(leaksIn(JSON.stringify(refused))).toEqual([]);
  }

  // Settings refuse it, and do not repeat it.
  for (const key of [KEPT.anthropic, others.GEMINI_API_KEY]) {
    const body = { changes: [{ name: "model", value: `my ${key}` }] };
    const refusal = await mimikit
      .api("/api/settings", { method: "PATCH", body })
      .catch((error: Error) => error.message);
    expect([refusal, leaksIn(String(refusal))]).toEqual([expect.stringMatching(/^400 /), []]);
    const { code, out, error } = await runCli(mimikit, ["config", "set", "model", String(key)]);
    expect([code, leaksIn(out + error)]).toEqual([2, []]);
  }

  const { paths } = await mimikit.api<{ paths: Record<string, object> }>("/api/openapi.json");
  const readable = Object.entries(paths).flatMap(([path, methods]) => ("get" in methods ? [path] : []));
  expect(readable.length).toBeGreaterThan(20);
  const [task] = await mimikit.tasks();
  const headers = { authorization: `Bearer ${mimikit.token}` };
  for (const path of readable) {
    const filled = path.replace(/\{\w+\}|:\w+/g, task?.id ?? "");
    const query = "q=canary0&path=memory.md&limit=200&kind=memory";
    for (const address of [filled, `${filled}?${query}`, `${filled}?q=canary0`, `${filled}?path=secrets.json`]) {
      const response = await fetch(`http://127.0.0.1:${mimikit.port}${address}`, { headers });
      expect([address, response.status < 500, leaksIn(await response.text())]).toEqual([address, true, []]);
    }
  }

  const archive = join(scratch, "without.tar.gz");
  const whole = join(scratch, "with.tar.gz");
  for (const words of [
    ["backup", archive],
    ["backup", whole, "--with-secrets"],
    ["doctor"],
    ["doctor", "--json"],
    ["config", "show"],
    ["config", "show", "--json"],
    ["config", "validate"],
    ["status"],
    ["status", "--json"],
    ["audit", "tail", "-n", "500"],
    ["audit", "verify"],
    ["logs", "-n", "500"],
    ["tasks", "show", task?.id ?? ""],
    ["history"],
    ["usage"],
    ["adopt", "--json"],
  ]) {
    const { code, out, error } = await runCli(mimikit, words);
    expect([words, code, leaksIn(out + error)]).toEqual([words, code === 1 && words[0] === "doctor" ? 1 : 0, []]);
  }
  expect(leaksIn(gunzipSync(readFileSync(archive)).toString("latin1"))).toEqual([]);
  // Of a file that holds secrets.json, nothing else.
  const held = leaksIn(gunzipSync(readFileSync(whole)).toString("latin1"));
  expect(held.length).toBeGreaterThanOrEqual(PROVIDER_IDS.length);
  expect(held.filter((leak) => !/^ {4}"\w+": "/.test(leak))).toEqual([]);

  await mimikit.stop();
  expect(leaksIn(mimikit.output)).toEqual([]);
  expect(leakingFiles(home)).toEqual([join(home, "secrets.json")]);
  expect(leakingFiles(workDir)).toEqual([]);
  expect(own).not.toBe("");
});

test("an agent CLI gets the key of its own vendor, and no other", async () => {
  const seen = join(scratch, "seen");
  for (const [name, version] of [
    ["codex", "codex-cli 0.169.0"],
    ["claude", "2.1.330 (Claude Code)"],
  ] as const) {
    const program = join(scratch, name);
    const says = `[ "$1" = --version ] && { env > '${seen}.${name}.version'; echo '${version}'; exit; }`;
    writeFileSync(
      program,
      `#!/bin/sh\n${says}\nenv >> '${seen}.${name}'\necho "no: $OPENAI_API_KEY $ANTHROPIC_API_KEY $CODEX_API_KEY" >&2\nexit 1\n`,
    );
    chmodSync(program, 0o755);
    const mimikit = await Instance.start({
      env: { ...HELD, MIMIKIT_PROVIDER: name, [`MIMIKIT_${name.toUpperCase()}_BIN`]: program, MIMIKIT_RETRY_MAX: "0" },
      prepare: keepAll,
    });
    onTestFinished(() => mimikit.dispose());
    await mimikit.replyTo(await mimikit.send("hello"));
    const own = name === "codex" ? HELD.OPENAI_API_KEY : HELD.ANTHROPIC_API_KEY;
    const environment = readFileSync(`${seen}.${name}`, "utf8");
    expect(environment).toContain(own);
    expect(leaksIn(environment.replaceAll(own ?? "", ""))).toEqual([]);
    expect(leaksIn(readFileSync(`${seen}.${name}.version`, "utf8"))).toEqual([]);
    await mimikit.stop();
    expect(leaksIn(mimikit.output)).toEqual([]);
    expect(leakingFiles(mimikit.home)).toEqual([join(mimikit.home, "secrets.json")]);
  }
});
