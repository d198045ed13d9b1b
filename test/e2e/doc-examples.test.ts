/** The first example for a shell of each page of docs/, as it stands there, in one running instance with the offline engine. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ANSWERED_BADLY } from "../support/answered-badly.ts";
import { chinesePages, guidePages, shellExampleOf } from "../support/doc-pages.ts";
import { chatGptExport } from "../support/exports.ts";
import { Instance } from "../support/instance.ts";
import { CLI } from "../support/programs.ts";

/** Examples that need more than a home; test/doc-pages.test.ts parses each call in them. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "agent-clis.md": "needs codex and a key; test/agents/connect.test.ts connects it",
  "demo.md": "never ends by itself; test/e2e/demo.test.ts runs it",
  "install.md": "needs a repository to clone; .ci/run does it",
  "pools.md": "needs a second machine; test/e2e/pools.test.ts runs such orders",
  "remote.md": "needs PM2; test/browser/proxies sets the address and pairs",
  "scale.md": "measures for minutes; test/e2e/bench.test.ts runs the bench",
  "service.md": "needs systemd; test/pm2/service.test.ts runs what it sets up",
  "terminal.md": "needs a model to answer; test/cli/arguments/piped-text.test.ts sends such pipes",
  "zh/connect.md": "needs keys and models; test/e2e/connect.test.ts connects some",
  "zh/install.md": "as install.md",
  "zh/reach.md": "as remote.md",
  "zh/server.md": "as service.md",
};

const PAGES = [...guidePages(), ...chinesePages()];
const EXAMPLES = PAGES.map((page) => ({ name: page.name, example: shellExampleOf(page) }));

let mimikit: Instance;
/** The home directory of the user who types. */
let user: string;

beforeAll(async () => {
  user = mkdtempSync(join(tmpdir(), "mimikit-user-"));
  mimikit = await Instance.start({ isFound: true, env: { HOME: user } });
  writeFileSync(join(mimikit.workDir, "export.zip"), chatGptExport());
});

afterAll(async () => {
  await mimikit.dispose();
  rmSync(user, { recursive: true, force: true });
});

test("each page has an example for a shell, and each exception is a page", () => {
  expect(EXAMPLES.filter(({ example }) => example === null)).toEqual([]);
  expect(Object.keys(NOT_RUN).filter((name) => !PAGES.some((page) => page.name === name))).toEqual([]);
});

test.each(EXAMPLES.filter(({ name }) => !Object.hasOwn(NOT_RUN, name)))(
  "the example of $name works as it stands there",
  async ({ example }) => {
    const script = (example ?? "")
      .replaceAll("./mimikit ", "mimikit ")
      .replaceAll("127.0.0.1:8787", `127.0.0.1:${mimikit.port}`);
    const { stdout, stderr, exitCode } = await execa("sh", ["-ec", `mimikit() { "$NODE" "$CLI" "$@"; }\n${script}`], {
      cwd: mimikit.workDir,
      env: { HOME: user, MIMIKIT_WORK_DIR: mimikit.workDir, NODE: process.execPath, CLI },
      input: "",
      reject: false,
    });
    expect(exitCode, `${script}\n${stdout}\n${stderr}`).toBe(0);
    expect(stdout).not.toBe("");
    expect(stdout, "a file that the example has written is refused").not.toMatch(/^! (?:hooks|tools)\//m);
    if (script.includes("mimikit ask")) expect(stdout).not.toMatch(ANSWERED_BADLY);
  },
);
