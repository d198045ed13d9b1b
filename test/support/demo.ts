/** A demo as people start it: the real command, in a temporary folder and a home of the test's own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DemoReport } from "@mimikit/protocol/wire/demo";
import { z } from "zod";
import type { RoleName } from "./instance.ts";
import { CLI } from "./programs.ts";

const PATIENCE_MS = 90_000;
const LOOK_EVERY_MS = 50;

const Announced = z.object({ url: z.string(), pairingUrl: z.string(), directory: z.string() });

export interface Demo extends z.infer<typeof Announced> {
  child: ChildProcess;
  /** Where the home of whoever started it is, which nothing may be written to. */
  userHome: string;
  /** An answer of its gateway, whatever its status. */
  ask(path: string, body?: unknown): Promise<Response>;
  /** Kills a role with the route of the page. @returns what is told of it. */
  kill(role: RoleName): Promise<DemoReport["kills"][number]>;
}

/** Starts `mimikit demo --json` and waits for its address. @param place an empty directory of the test's own. */
export async function startDemo(place: string): Promise<Demo> {
  const userHome = join(place, "user");
  const temporary = join(place, "tmp");
  for (const dir of [userHome, temporary]) mkdirSync(dir, { recursive: true });
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("MIMIKIT_"));
  const child = spawn(process.execPath, [CLI, "demo", "--json"], {
    env: {
      ...Object.fromEntries(inherited),
      HOME: userHome,
      TMPDIR: temporary,
      MIMIKIT_WORK_DIR: join(userHome, "none"),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (data) => {
    said += data;
  });
  const announced = Announced.parse(
    await until("the demo tells its address", () => (/^\}$/m.test(said) ? JSON.parse(said) : undefined)),
  );
  const token = readFileSync(join(announced.directory, "state/token"), "utf8").trim();
  const ask = (path: string, body?: unknown) =>
    fetch(`${announced.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    ...announced,
    child,
    userHome,
    ask,
    async kill(role) {
      const report = async () => DemoReport.parse(await (await ask("/api/demo")).json());
      const before = (await report()).kills.length;
      const { status } = await ask("/api/demo/kill", { kill: role });
      if (status !== 202) throw new Error(`the kill was answered with ${status}`);
      return until(`the ${role} is back`, async () => {
        const { kills } = await report();
        const last = kills.at(-1);
        return kills.length > before && last?.after !== undefined ? last : undefined;
      });
    },
  };
}

/** Ends a demo that a test may have ended already. */
export async function endDemo({ child }: Demo, signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }
  return child.exitCode;
}

/** The first thing that `look` finds; a gateway that is just down is asked again. */
async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  let last: unknown;
  while (performance.now() < end) {
    try {
      const found = await look();
      if (found !== undefined) return found;
    } catch (error) {
      last = error;
    }
    await wait(LOOK_EVERY_MS);
  }
  throw new Error(`waited in vain: ${what} (${String(last)})`);
}
