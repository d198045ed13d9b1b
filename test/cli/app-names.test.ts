/** PM2's names of the processes, in a PM2 that has other apps: scripts/launch.cjs. */
import { createRequire } from "node:module";
import { expect, test } from "vitest";

const { chooseAppNames } = createRequire(import.meta.url)("../../scripts/launch.cjs") as {
  chooseAppNames(apps: readonly object[], home: string): Record<string, string>;
};

const USUAL = ["mimikit-supervisor", "mimikit-workers", "mimikit-gateway", "mimikit-channels", "mimikit-dispatcher"];
const BUNDLES = ["supervisor", "worker-pool", "http-gateway", "channels", "dispatcher"];

/** The first three apps of a home, as `pm2 jlist` prints them. */
function appsOf(workDir: string, names: readonly string[], home?: string) {
  return names.slice(0, 3).map((name, at) => ({
    name,
    pm2_env: {
      pm_exec_path: "/usr/bin/env",
      args: ["/usr/bin/node", "--max-old-space-size=512", `/opt/mimikit/dist/${BUNDLES[at]}.js`],
      MIMIKIT_WORK_DIR: workDir,
      ...(home !== undefined && { MIMIKIT_HOME: home }),
    },
  }));
}

const namesFor = (apps: readonly object[], home: string) => Object.values(chooseAppNames(apps, home));

test("in a PM2 without such apps, and in one that runs this home already, the names are the usual ones", () => {
  expect(namesFor([], "/a/.mimikit")).toEqual(USUAL);
  expect(namesFor([{ name: "shop", pm2_env: { args: ["serve.js"] } }], "/a/.mimikit")).toEqual(USUAL);
  expect(namesFor(appsOf("/a", USUAL), "/a/.mimikit")).toEqual(USUAL);
  expect(namesFor(appsOf("/a", USUAL, "/state"), "/state")).toEqual(USUAL);
});

test("a second home in the same PM2 has names of its own, and keeps them when the first is gone", () => {
  const first = appsOf("/a", USUAL);
  const names = namesFor(first, "/b/.mimikit");
  expect(new Set([...names, ...USUAL]).size).toBe(10);
  for (const [at, name] of names.entries()) expect(name).toMatch(new RegExp(`^${USUAL[at]}-[0-9a-f]{8}$`));
  const second = appsOf("/b", names);
  expect(namesFor([...first, ...second], "/b/.mimikit")).toEqual(names);
  expect(namesFor(second, "/b/.mimikit")).toEqual(names);
  expect(namesFor([...first, ...second], "/a/.mimikit")).toEqual(USUAL);
  expect(namesFor([...first, ...second], "/c/.mimikit")).not.toEqual(names);
});

test.each(USUAL)("an app %s of somebody else keeps its name, also one that was started from the same shell", (name) => {
  const variables = { MIMIKIT_WORK_DIR: "/a", MIMIKIT_HOME: "/a/.mimikit" };
  const foreign = { name, pm2_env: { pm_exec_path: "/srv/app.js", args: [], ...variables } };
  expect(namesFor([foreign], "/a/.mimikit")).not.toContain(name);
});

test("a process that is new to a home whose other processes run has a free name", () => {
  const foreign = { name: "mimikit-channels", pm2_env: { args: ["bot.js"] } };
  const names = namesFor([...appsOf("/a", USUAL), foreign], "/a/.mimikit");
  expect(names.slice(0, 3)).toEqual(USUAL.slice(0, 3));
  expect(names[3]).toMatch(/^mimikit-channels-/);
  const taken = names.slice(3).map((name) => ({ name, pm2_env: {} }));
  expect(
    namesFor([foreign, ...taken], "/a/.mimikit").filter((name) => taken.some((each) => each.name === name)),
  ).toEqual([]);
});
