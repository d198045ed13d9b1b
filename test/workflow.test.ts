/** The workflow of GitHub and the scripts of `.ci/` call only commands that are there: nothing on this machine runs the workflow. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const Workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      "runs-on": z.string(),
      "timeout-minutes": z.number(),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
    }),
  ),
});
const { jobs } = Workflow.parse(parse(read(".github/workflows/ci.yml")));
const commandsOf = (job: string) => jobs[job]?.steps.flatMap(({ run }) => run ?? []) ?? [];
const SCRIPTS = [".ci/run", ".ci/nightly", ".ci/suites.sh"];
const COMMANDS = [...Object.keys(jobs).flatMap(commandsOf), ...SCRIPTS.map(read)].join("\n");

test("the whole proof runs on Linux, and what needs no Linux on macOS", () => {
  expect(jobs.everything?.["runs-on"]).toMatch(/^ubuntu/);
  expect(commandsOf("everything")).toContain(".ci/run");
  expect(jobs.portable?.["runs-on"]).toMatch(/^macos/);
  expect(commandsOf("portable")).toContain("npm run check");
});

test("every script, npm command and project of tests that they name is there", () => {
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read("package.json")));
  const named = (pattern: RegExp) => [...COMMANDS.matchAll(pattern)].map(([, name = ""]) => name);
  expect(named(/npm run (?:--silent )?([\w:-]+)/g).filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(named(/^ *(?:node |\. )?((?:scripts|\.ci)\/\S+)/gm).filter((path) => !existsSync(join(ROOT, path)))).toEqual(
    [],
  );
  const projects = named(/--project (\w+)/g);
  expect(projects).not.toEqual([]);
  expect(projects.filter((name) => !read("vitest.config.ts").includes(`name: "${name}"`))).toEqual([]);
});

test("they run TypeScript by npm alone, whose Node can read it: the Node of the machine may be 20", () => {
  expect(COMMANDS.match(/^.*\bnode [\w./-]+\.ts\b.*$/gm) ?? []).toEqual([]);
});

test("each suite of the whole proof says how long it may take and how long it took, and together they fit into its time, which is at most forty minutes", () => {
  const suites = read(".ci/run")
    .split("\n")
    .filter((line) => /^(?:\w+ && )?(?:vitest|counted)_suite /.test(line));
  expect(suites.length).toBeGreaterThan(10);
  expect(suites.filter((line) => !/_suite "[^"]+" \d+ .* # \d+$/.test(line))).toEqual([]);
  const seconds = suites.map((line) => Number(line.match(/# (\d+)$/)?.[1]));
  const most = Number(/^SECONDS_MAX=(\d+)$/m.exec(read(".ci/run"))?.[1]);
  expect(seconds.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(most);
  expect(most).toBeLessThanOrEqual(2_400);
});
