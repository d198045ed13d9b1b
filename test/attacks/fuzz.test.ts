/**
 * Random requests, bytes and frames on a whole system. How many, and from which seed, is in the environment, which
 * `npm run test:attacks` sets; without it there are few, of a seed that no run had before.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { SettingView } from "@mimikit/protocol/wire/api";
import { prepareHome } from "@mimikit/runtime/home/home";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiDocument } from "../../apps/http-gateway/src/api/describe-api.ts";
import { anySession, talk } from "./fuzz/frames.ts";
import { damaged } from "./fuzz/mutate.ts";
import { filled, type Known, MARKS } from "./fuzz/placeholders.ts";
import { anyRequest, type Request } from "./fuzz/requests.ts";
import { exchange, type Outcome, Sender, wrongWith, wrongWithBytes } from "./fuzz/send.ts";
import { System } from "./system.ts";

const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise);
const SEED = number("ATTACKS_SEED", Math.floor(Math.random() * 2 ** 31));
const REQUESTS = number("ATTACKS_REQUESTS", 3_000);
const DAMAGED = number("ATTACKS_DAMAGED", Math.ceil(REQUESTS / 20));
const FRAMES = number("ATTACKS_FRAMES", 600);

/** Requests, and sockets, that are on their way at one time. */
const AT_ONCE = 8;
/** Values that are made at one time. */
const CHUNK = 250;
/** Resident memory of a role, at any look. */
const RSS_MB_MAX = 768;
const LOOK_EVERY = 1_000;
const TELL_EVERY = 10_000;
/** For a whole fuzz on a machine that does other things too; what hangs is told after HANG_MS. */
const TIMEOUT_MS = 3 * 3_600_000;

/** They are in the environment and in secrets.json, and never in what anybody is told. */
const CANARIES = { variable: "sk-canary-in-a-variable-2741", kept: "sk-canary-in-secrets-9038" };

let system: System;
let known: Known;
let document: ApiDocument;
let settings: SettingView[];
/** The marks of what was accepted, or may have been. */
const accepted = new Set<number>();
let sent = 0;

beforeAll(async () => {
  system = await System.start({
    // No server answers at port 9 of this machine, should a setting ever make one of them be asked.
    env: { OPENAI_API_KEY: CANARIES.variable, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
    prepare: async (home) => {
      prepareHome(home);
      writeFileSync(join(home, "secrets.json"), JSON.stringify({ keys: { llamacpp: CANARIES.kept } }), { mode: 0o600 });
    },
  });
  const { mimikit } = system;
  const message = await mimikit.send("run `echo canary-free`");
  await mimikit.replyTo(message);
  const task = await mimikit.until(
    "a task",
    async () => (await mimikit.tasks()).find(({ role }) => role === "worker")?.id,
  );
  const trigger = await mimikit.api<{ id: string }>("/api/triggers", {
    method: "POST",
    body: { prompt: "water the plants", interval: 31_000_000 },
  });
  const attachment = await system.ask("/api/attachments", {
    method: "POST",
    headers: { "Content-Type": "text/plain" },
    body: "a file",
  });
  known = {
    "@@message@@": message,
    "@@task@@": task,
    "@@trigger@@": trigger.id,
    "@@attachment@@": (attachment.json as { id: string }).id,
  };
  document = await mimikit.api<ApiDocument>("/api/openapi.json");
  ({ settings } = await mimikit.api<{ settings: SettingView[] }>("/api/settings"));
  process.stdout.write(`fuzz: seed ${SEED}, ${REQUESTS} requests, ${DAMAGED} damaged ones, ${FRAMES} frames\n`);
});
afterAll(() => system.close());

const secrets = () => [system.token, ...Object.values(CANARIES)];

/** Values of a seed, AT_ONCE at a time, each with its place; the first that goes wrong ends it. */
async function forEachOf<T>(
  values: fc.Arbitrary<T>,
  count: number,
  what: string,
  work: (value: T) => Promise<number>,
): Promise<void> {
  const pids = system.pids();
  let done = 0;
  for (let chunk = 0; done < count; chunk++) {
    const some = fc.sample(values, { seed: SEED + chunk, numRuns: CHUNK });
    try {
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let value = some.pop(); value !== undefined && done < count; value = some.pop()) {
            const more = await work(value);
            done += more;
          }
        }),
      );
    } catch (error) {
      process.stdout.write(`fuzz: processes ${pids} before, ${system.pids()} now; they said:\n${lastWarnings()}\n`);
      throw error;
    }
    if (chunk % (LOOK_EVERY / CHUNK) === 0) lookAtMemory(what);
    if (chunk % (TELL_EVERY / CHUNK) === 0) process.stdout.write(`fuzz: ${done} ${what}\n`);
  }
  expect(system.pids(), `no process has ended; the last that they said:\n${lastWarnings()}`).toEqual(pids);
  await system.mimikit.ready();
}

/** Why a process may have ended. */
function lastWarnings(): string {
  const lines = system.mimikit.output
    .split("\n")
    .filter((line) => /"level":"(?:warn|error)"|watchdog|^\s+at |Error/.test(line));
  return lines.slice(-20).join("\n").slice(-4_000);
}

function lookAtMemory(what: string): void {
  for (const pid of system.pids()) {
    const kb = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
    expect(kb / 1_024, `MB that ${pid} holds after ${sent} ${what}`).toBeLessThan(RSS_MB_MAX);
  }
}

const shown = (value: unknown) => `seed ${SEED}: ${JSON.stringify(value).slice(0, 2_000)}`;

test("requests: none is answered with an error of the gateway's own, or never", { timeout: TIMEOUT_MS }, async () => {
  const sender = new Sender(system, known);
  const statuses: Record<number, number> = {};
  await forEachOf(anyRequest(document, settings), REQUESTS, "requests", async (request) => {
    const n = sent++;
    const outcome: Outcome = await sender
      .send(request, n)
      .catch((error) => expect.unreachable(`${error} ${shown(request)}`));
    statuses[outcome.status] = (statuses[outcome.status] ?? 0) + 1;
    if (outcome.status < 400) accepted.add(n);
    expect(wrongWith(outcome, request.method, secrets()), shown(request)).toBeNull();
    return 1;
  });
  sender.close();
  process.stdout.write(`fuzz: answers by status ${JSON.stringify(statuses)}\n`);
});

test("damaged requests: whatever comes back is HTTP, and no error of the gateway's own", {
  timeout: TIMEOUT_MS,
}, async () => {
  const whole = anyRequest(document, settings)
    .filter(({ method, path }) => method !== "TRACE" && !/restart|^\/v1/.test(path))
    .map(bytesOf);
  await forEachOf(damaged(whole), DAMAGED, "damaged requests", async (bytes) => {
    const n = sent++;
    accepted.add(n);
    const text = filled(bytes.toString("latin1"), n, known);
    const filledIn = text.replace("@@host@@", `${system.host}:${system.port}`).replace("@@token@@", system.token);
    const answer = await exchange(system, Buffer.from(filledIn, "latin1")).catch((error) =>
      expect.unreachable(`${error} ${shown(text)}`),
    );
    expect(wrongWithBytes(answer, secrets()), shown(text)).toBeNull();
    return 1;
  });
});

/** A request as it goes over the wire. */
function bytesOf({ method, path, headers, body = "" }: Request): Buffer {
  const all = { host: "@@host@@", authorization: "Bearer @@token@@", "content-type": "application/json", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const content = Buffer.from(body.slice(0, 5_000));
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${lines.join("")}content-length: ${content.length}\r\n\r\n${content}`,
  );
}

test("frames: each is answered in its turn, or its socket is closed with a reason", {
  timeout: TIMEOUT_MS,
}, async () => {
  await forEachOf(anySession(document), FRAMES, "frames", async (session) => {
    const first = sent;
    sent += session.frames.length;
    const { maybeAccepted, wrong } = await talk(system, session, first, known);
    for (const n of maybeAccepted) accepted.add(n);
    expect(wrong, shown(session)).toBeNull();
    return session.frames.length;
  });
});

test("of all that was refused nothing is kept or printed, and no secret is either", async () => {
  const texts = [...system.files()].filter(([path]) => basename(path) !== "secrets.json");
  for (const [where, content] of [...texts, ["the output", system.mimikit.output] as const]) {
    const text = typeof content === "string" ? content : content.toString("latin1");
    const refused = [...text.matchAll(MARKS)].map(([, n]) => Number(n)).filter((n) => !accepted.has(n));
    expect(refused, `${where}, seed ${SEED}`).toEqual([]);
    expect(
      secrets().some((secret) => text.includes(secret)),
      where,
    ).toBe(false);
  }
  expect(accepted.size).toBeGreaterThan(0);
});
