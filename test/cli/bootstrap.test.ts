/**
 * The real scripts/bootstrap.mjs in a small clone, with an npm and a vite that do in a moment what the real ones do, and
 * write down when they begin and end.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

/** A few processes must start and look around first, and a busy machine is slow at that. */
const START_MS_MAX = 15_000;
const SCRIPTS = fileURLToPath(new URL("../../scripts", import.meta.url));

const NPM = `
  const { appendFileSync, cpSync, existsSync, mkdirSync, rmSync } = require("node:fs");
  appendFileSync("journal", "npm begins " + process.argv.slice(2).join(" ") + " NODE_ENV=" + process.env.NODE_ENV + "\\n");
  rmSync("node_modules", { recursive: true, force: true });
  const wait = setInterval(() => {
    if (existsSync("hold-npm")) return;
    clearInterval(wait);
    mkdirSync("node_modules/vite/bin", { recursive: true });
    cpSync("fake-vite.js", "node_modules/vite/bin/vite.js");
    appendFileSync("journal", "npm ends\\n");
  }, 5);
`;
const VITE = `
  const { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
  const [, , , web, , output] = process.argv;
  const source = readFileSync(web + "/src/main.ts", "utf8");
  appendFileSync("journal", "vite builds " + source + "\\n");
  mkdirSync(output + "/assets", { recursive: true });
  writeFileSync(output + "/assets/" + source + ".js", source);
  writeFileSync(output + "/index.html", "page of " + source);
`;

function clone() {
  const root = mkdtempSync(join(tmpdir(), "mimikit-bootstrap-"));
  const started: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of started) child.kill("SIGKILL");
    rmSync(join(root, "hold-npm"), { force: true });
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  for (const dir of ["scripts", "apps/web/src", "packages/protocol/src", "packages/memory/src/text"])
    mkdirSync(join(root, dir), { recursive: true });
  for (const script of ["bootstrap.mjs", "launch.cjs"]) cpSync(join(SCRIPTS, script), join(root, "scripts", script));
  write("package-lock.json", "{}");
  write("apps/web/index.html", "source");
  write("apps/web/src/main.ts", "one");
  write("fake-npm.js", NPM);
  write("fake-vite.js", VITE);
  function start(...words: string[]) {
    const child = spawn(process.execPath, [join(root, "scripts/bootstrap.mjs"), ...words], {
      cwd: root,
      env: { ...process.env, NODE_ENV: "production", npm_execpath: join(root, "fake-npm.js") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    started.push(child);
    const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
    return { child, ended };
  }
  return {
    root,
    write,
    start,
    run: (...words: string[]) => start(...words).ended,
    journal: () =>
      existsSync(join(root, "journal")) ? readFileSync(join(root, "journal"), "utf8").trim().split("\n") : [],
    page: (path: string) => readFileSync(join(root, "apps/web/dist", path), "utf8"),
  };
}

const INSTALLS =
  "npm begins ci --include=dev --include=optional --ignore-scripts --no-audit --no-fund --loglevel=error NODE_ENV=undefined";

test("a fresh clone is installed and built once, and then there is nothing to do", async () => {
  const { run, journal, page } = clone();
  expect(await run()).toBe(0);
  expect(journal()).toEqual([INSTALLS, "npm ends", "vite builds one"]);
  expect(page("index.html")).toBe("page of one");
  expect(await run()).toBe(0);
  expect(journal()).toHaveLength(3);
});

test("packages that npm ci has installed by hand are not installed again; one that is missing is", async () => {
  const { root, write, run, journal } = clone();
  const here = { os: [process.platform], cpu: [process.arch] };
  const lock = {
    packages: {
      "": { name: "clone" },
      "node_modules/a": { version: "1.0.0" },
      "node_modules/native": { version: "2.0.0", optional: true, ...here },
      "node_modules/foreign": { version: "2.0.0", optional: true, os: ["another"], cpu: ["another"] },
    },
  };
  write("package-lock.json", JSON.stringify(lock));
  mkdirSync(join(root, "node_modules/vite/bin"), { recursive: true });
  cpSync(join(root, "fake-vite.js"), join(root, "node_modules/vite/bin/vite.js"));
  const list = (packages: object) => write("node_modules/.package-lock.json", JSON.stringify({ packages }));
  const common = { "node_modules/a": { version: "1.0.0" } };
  list({ ...common, "node_modules/native": { version: "2.0.0" } });
  expect(await run()).toBe(0);
  expect(journal()).toEqual(["vite builds one"]);

  rmSync(join(root, "node_modules/.mimikit-stamp"));
  list(common);
  expect(await run()).toBe(0);
  expect(journal()).toEqual(["vite builds one", INSTALLS, "npm ends"]);
});

test("four at once install once and build once, and each finds it ready", async () => {
  const { root, run, journal } = clone();
  expect(await Promise.all([run(), run(), run(), run()])).toEqual([0, 0, 0, 0]);
  expect(journal()).toEqual([INSTALLS, "npm ends", "vite builds one"]);
  expect(readdirSync(join(root, ".bootstrap.lock")).filter((name) => name.startsWith("tmp-"))).toEqual([]);
});

test("the one after a killed one ends its npm and does it all again, while others wait", async () => {
  const { root, write, start, run, journal } = clone();
  write("hold-npm", "");
  const first = start();
  await expect.poll(() => journal().length, { timeout: START_MS_MAX }).toBe(1);
  first.child.kill("SIGKILL");
  await first.ended;
  const others = [run(), run()];
  // The second npm begins only after the first is gone; both would end if both still ran.
  await expect.poll(() => journal().length, { timeout: START_MS_MAX }).toBe(2);
  rmSync(join(root, "hold-npm"));
  expect(await Promise.all(others)).toEqual([0, 0]);
  expect(journal()).toEqual([INSTALLS, INSTALLS, "npm ends", "vite builds one"]);
});

test("changed packages are installed again, changed sources are built again", async () => {
  const { write, run, journal, page } = clone();
  await run();
  write("apps/web/src/main.ts", "two");
  expect(await run()).toBe(0);
  expect(journal().slice(3)).toEqual(["vite builds two"]);
  expect(page("index.html")).toBe("page of two");
  write("package-lock.json", '{"changed":true}');
  expect(await run()).toBe(0);
  expect(journal().slice(4)).toEqual([INSTALLS, "npm ends", "vite builds two"]);
});

test("what builds before a command runs installs nothing under processes that run", async () => {
  const { write, run, journal } = clone();
  await run();
  write("package-lock.json", '{"changed":true}');
  expect(await run("build")).toBe(0);
  expect(journal().slice(3)).toEqual(["vite builds one"]);
});

/** A clone whose command line writes down that it runs; nothing but a builder goes into its bundles. */
async function runnable() {
  const made = clone();
  const { root, write, run } = made;
  for (const dir of ["apps/cli/bin", "dist"]) mkdirSync(join(root, dir), { recursive: true });
  cpSync(join(SCRIPTS, "../apps/cli/bin/mimikit.mjs"), join(root, "apps/cli/bin/mimikit.mjs"));
  write("dist/cli.js", 'require("node:fs").appendFileSync("journal", process.argv[2] + " runs\\n");');
  await run();
  write("scripts/build.mjs", 'throw new Error("it cannot be parsed");');
  write("dist/.stamp.json", JSON.stringify({ key: createHash("sha256").digest("hex"), looks: {} }));
  return {
    ...made,
    breakSources: () => rmSync(join(root, "dist/.stamp.json")),
    mimikit: (command: string) =>
      execFileSync(process.execPath, ["apps/cli/bin/mimikit.mjs", command], { cwd: root, stdio: "pipe" }),
  };
}

test("a restart builds a page that has changed, and other commands leave it as it is", async () => {
  const { write, journal, page, mimikit } = await runnable();
  write("apps/web/src/main.ts", "two");
  mimikit("status");
  expect(page("index.html")).toBe("page of one");
  mimikit("restart");
  mimikit("restart");
  expect(journal().slice(3)).toEqual(["status runs", "vite builds two", "restart runs", "restart runs"]);
  expect(page("index.html")).toBe("page of two");
});

test("a stop builds nothing, so that sources that cannot be built keep nothing running", async () => {
  const { journal, mimikit, breakSources } = await runnable();
  breakSources();
  expect(() => mimikit("status")).toThrow("could not be built");
  mimikit("down");
  expect(journal().slice(3)).toEqual(["down runs"]);
});

test("who has the page before open finds its files, and older ones are gone", async () => {
  const { root, write, run } = clone();
  for (const source of ["one", "two", "three"]) {
    write("apps/web/src/main.ts", source);
    expect(await run()).toBe(0);
  }
  expect(readdirSync(join(root, "apps/web/dist/assets")).sort()).toEqual(["three.js", "two.js"]);
});

test("without a page there is only the installation", async () => {
  const { root, run, journal } = clone();
  rmSync(join(root, "apps/web/index.html"));
  expect(await run()).toBe(0);
  expect(journal()).toEqual([INSTALLS, "npm ends"]);
});

test("an npm that fails fails the start, and the next one tries again", async () => {
  const { write, run, journal } = clone();
  write("fake-npm.js", "process.exit(3)");
  expect(await run()).toBe(1);
  write("fake-npm.js", NPM);
  expect(await run()).toBe(0);
  expect(journal()).toHaveLength(3);
});
