/**
 * `npm run demo:static [-- FOLDER]`: the page of a demo as files that any static server can serve, with what its gateway
 * answered at one moment. No process of ours is needed to look at it, and it asks no other (docs/demo.md).
 */
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { MemoryFiles, Status } from "@mimikit/protocol/wire/api";
import { WebSocket } from "ws";
import { furnish, orderWork } from "../../apps/cli/src/demo/household.ts";
import { killAndLook } from "../../apps/cli/src/demo/kill.ts";
import { startTrial, type TrialInstance } from "../../apps/cli/src/instance/trial.ts";
import { waitUntil } from "../../apps/cli/src/processes/wait-until.ts";
import { ROUTES } from "../../apps/http-gateway/src/routes.ts";

const ROOT = join(import.meta.dirname, "../..");
const STAMP = ".stamp.json";
const SHIM = "recorded-page.js";
/** Until the first orders are done and the next ones run, on a loaded machine. */
const AT_WORK_MS_MAX = 120_000;
const LOOK_EVERY_MS = 200;
const DAY_MS = 86_400_000;
/** Addresses without anything of the household: the description of the API, and the state of the recording machine. */
const LEFT_OUT = /openapi|metrics|providers|adoption|health/;
/** The first order is reported. */
const REPORTED = "Both are done.";
/** The reach of the calendar. */
const DAYS = 28;
/** Stands in place of the folder in which the recording was made. */
const SHOWN_PLACE = "/home/lena/garden";
const SHOWN_PROGRAM = "/opt/mimikit";

/** The built page. */
const built = resolve(process.argv[3] ?? join(ROOT, "apps/web/dist"));
const folder = resolve(process.argv[2] ?? join(ROOT, ".build/demo"));
if (existsSync(folder) && readdirSync(folder).length > 0) {
  process.stderr.write(`${folder} is not empty: name a folder that is, or remove it\n`);
  process.exit(1);
}
const trial = await startTrial({ prepare: (place) => furnish(place, Date.now()) });
try {
  await orderWork(trial.home);
  await untilAtWork(trial);
  const kill = await killAndLook(trial, "workers", () => {});
  await untilAtWork(trial);
  writePage(await record(trial, kill));
} finally {
  await trial.remove();
}
process.stdout.write(`the page is in ${folder}: serve it with any static server\n`);

async function untilAtWork({ client }: TrialInstance): Promise<void> {
  const seen = await waitUntil(AT_WORK_MS_MAX, LOOK_EVERY_MS, async () => {
    const isReported = (await client.messages()).some(({ text }) => text.includes(REPORTED));
    const runs = (await client.tasks()).some(({ role, state }) => role === "worker" && state === "running");
    return isReported && runs && (await client.status()).ready ? true : null;
  });
  if (seen === null) throw new Error("the household did not come to work in time");
}

/** Everything that the page may ask for, as JSON. */
async function record(trial: TrialInstance, kill: object): Promise<string> {
  const { tasks, triggers, ...rest } = await snapshotOf(trial);
  const ids: Record<string, readonly { id: string }[]> = { tasks, triggers };
  const paths = ROUTES.filter(({ method, path }) => method === "get" && !LEFT_OUT.test(path)).flatMap(({ path }) => {
    const [, list = ""] = /^\/api\/(\w+)\/:id/.exec(path) ?? [];
    return path.includes(":") ? (ids[list] ?? []).map(({ id }) => path.replace(":id", id)) : [path];
  });
  const now = Date.now();
  const month = `from=${new Date(now - DAY_MS).toISOString()}&to=${new Date(now + DAYS * DAY_MS).toISOString()}`;
  const answers: Record<string, unknown> = {};
  for (const path of paths) {
    const body = await get(trial, path.endsWith("/simulate") ? `${path}?${month}` : path);
    if (body !== null) answers[path.slice(1)] = body;
  }
  for (const { name } of MemoryFiles.parse(answers["api/memory/files"]).files) {
    const address = `/api/memory/file?${new URLSearchParams({ name })}`;
    answers[address.slice(1)] = await get(trial, address);
  }
  const recordedAt = new Date(now).toISOString();
  answers["api/demo"] = { kills: [kill], recordedAt };
  const snapshot = { ...rest, tasks, triggers, status: { ...Status.parse(answers["api/status"]), demo: true } };
  return JSON.stringify({ recordedAt, snapshot, answers })
    .replaceAll(trial.workDir, SHOWN_PLACE)
    .replaceAll(trial.home, `${SHOWN_PLACE}/.mimikit`)
    .replaceAll(ROOT, SHOWN_PROGRAM);
}

/** null for what is no JSON, or needs more than its path. */
async function get({ client: { url, token } }: TrialInstance, path: string): Promise<unknown> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return response.ok && isJson ? response.json() : null;
}

interface Snapshot {
  tasks: { id: string }[];
  triggers: { id: string }[];
}

/** The first frame for a page. */
async function snapshotOf({ client: { url, token } }: TrialInstance): Promise<Snapshot> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "hello", token }));
  const [data] = await once(socket, "message");
  socket.close();
  return JSON.parse(String(data));
}

/** The built page, with the recording and its stand-in before its own script. */
function writePage(recording: string): void {
  // A server that is another user reads it.
  process.umask(0o022);
  cpSync(built, folder, { recursive: true, filter: (path) => !path.endsWith(STAMP) });
  cpSync(join(import.meta.dirname, SHIM), join(folder, SHIM));
  const path = join(folder, "index.html");
  // In a script, `<` could end it.
  const data = `<script type="application/json" id="recording">${recording.replaceAll("<", "\\u003c")}</script>`;
  const page = readFileSync(path, "utf8");
  const at = page.indexOf("<script");
  writeFileSync(path, `${page.slice(0, at)}${data}\n    <script src="./${SHIM}"></script>\n    ${page.slice(at)}`);
}
