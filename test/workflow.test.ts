/** What the workflow of GitHub calls is there: nothing on this machine runs it. */
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
const COMMANDS = Object.keys(jobs).flatMap(commandsOf).join("\n");

test("the whole proof runs on Linux, and what needs no Linux on macOS", () => {
  expect(jobs.everything?.["runs-on"]).toMatch(/^ubuntu/);
  expect(commandsOf("everything")).toContain(".ci/run");
  expect(jobs.portable?.["runs-on"]).toMatch(/^macos/);
  expect(commandsOf("portable")).toContain("npm run check");
});

test("every script, npm command and project of tests that it names is there", () => {
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read("package.json")));
  const named = (pattern: RegExp) => [...COMMANDS.matchAll(pattern)].map(([, name = ""]) => name);
  expect(named(/npm run ([\w:-]+)/g).filter((name) => scripts[name] === undefined)).toEqual([]);
  expect(named(/^(?:node )?((?:scripts|\.ci)\/\S+)/gm).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const projects = named(/--project (\w+)/g);
  expect(projects).not.toEqual([]);
  expect(projects.filter((name) => !read("vitest.config.ts").includes(`name: "${name}"`))).toEqual([]);
});
