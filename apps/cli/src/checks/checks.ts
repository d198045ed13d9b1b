/** The checks of `mimikit doctor`. Each check only looks, and says what to do next where something is not as it should be. */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { Role } from "@mimikit/protocol/base/role";
import { sentence } from "@mimikit/protocol/texts/coded";
import { urlOf } from "@mimikit/runtime/config/address";
import { commandName } from "@mimikit/runtime/home/command-name";
import { HomeError, homeHash, modeText, readToken, whyNoLinks, whyUnwritable } from "@mimikit/runtime/home/home";
import { ROOT } from "@mimikit/runtime/home/programs";
import { lacksInodes } from "@mimikit/runtime/home/room";
import { TARGET } from "@mimikit/runtime/platform/this-platform";
import { silentSecOf } from "@mimikit/runtime/process/heartbeat";
import { findMarked, POOL_MARK } from "@mimikit/runtime/process/marked-processes";
import { deathsOf } from "@mimikit/runtime/process/role-record";
import { rolesOf } from "@mimikit/runtime/process/roles-of";
import { isSingletonClaimed } from "@mimikit/runtime/process/singleton";
import { DELIVERIES, DIRECTORIES, QUARANTINE, runningOf } from "@mimikit/store/disk/state";
import { unreadableDocuments } from "@mimikit/store/documents/unreadable-documents";
import { t, told } from "../i18n/language.ts";
import { Client } from "../instance/client.ts";
import { withDisk } from "../instance/state.ts";
import { reasonOf } from "../io/failure.ts";
import { findDaemons, foreignPm2Homes, livingRoles } from "../processes/instance.ts";
import { probePort } from "../processes/probe-port.ts";
import { checkChannels } from "./channels.ts";
import { type DoctorCheck, type DoctorInput, fail, ok, warn } from "./check.ts";
import { checkHooks } from "./hooks.ts";
import { checkMcp } from "./mcp.ts";
import { checkProxy, checkWeb } from "./network.ts";
import { checkRecords } from "./records.ts";
import { checkRequirements } from "./requirements.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkSkills } from "./skills.ts";
import { checkTimeZone } from "./time-zone.ts";
import { warnOfGit } from "./work-tree.ts";

const DISK_BYTES_WARN = 500 * 1_048_576;
const DISK_BYTES_FAIL = 50 * 1_048_576;
const NAMED_MAX = 5;

export const CHECKS: Record<string, (input: DoctorInput) => Promise<DoctorCheck[]> | DoctorCheck[]> = {
  node: () => [ok(t("Node {version} at {path}", { version: process.versions.node, path: process.execPath }))],
  packages: checkPackages,
  system: checkRequirements,
  "time zone": checkTimeZone,
  page: checkPage,
  home: checkHome,
  token: checkToken,
  config: checkConfig,
  disk: checkDisk,
  daemon: checkDaemon,
  roles: checkRoles,
  gateway: checkGateway,
  children: checkChildren,
  sandbox: checkSandbox,
  skills: checkSkills,
  hooks: checkHooks,
  channels: checkChannels,
  /** Loaded only where an engine is set up. */
  pools: async (input) => (input.config.pools.url === undefined ? [] : (await import("./pools.ts")).checkPools(input)),
  mcp: checkMcp,
  proxy: checkProxy,
  web: checkWeb,
  documents: checkDocuments,
  quarantine: checkQuarantine,
  records: checkRecords,
};

function checkPackages(): DoctorCheck[] {
  if (!existsSync(join(ROOT, "package-lock.json"))) return [ok(t("installed as a package"))];
  const lock = createHash("sha256").update(readFileSync(join(ROOT, "package-lock.json")));
  const key = lock.update(TARGET).digest("hex");
  const stamp = join(ROOT, "node_modules/.mimikit-stamp");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === key) return [ok(t("installed as package-lock.json says"))];
  return [
    fail(
      t("not installed as package-lock.json says"),
      t("mimikit down, then in {root}: npm start, which installs what is missing", { root: ROOT }),
    ),
  ];
}

function checkPage(): DoctorCheck[] {
  if (existsSync(join(ROOT, "apps/web/dist/index.html"))) return [ok(t("built"))];
  return [warn(t("the web page is not built"), t("mimikit up builds it"))];
}

function checkHome({ home, exists }: DoctorInput): DoctorCheck[] {
  const unwritable = whyUnwritable(home);
  if (unwritable !== null)
    return [fail(unwritable, t("make it writable: until then nothing is saved and nothing starts"))];
  const unlinkable = exists ? whyNoLinks(home) : null;
  if (unlinkable !== null)
    return [fail(unlinkable, t("mimikit down, then move it there, and set MIMIKIT_HOME for every command"))];
  if (!exists) return [warn(t("{home} does not exist yet", { home }), t("mimikit up creates it"))];
  const open = ["", ...DIRECTORIES].flatMap((dir) => {
    const info = statSync(join(home, dir), { throwIfNoEntry: false });
    if (info === undefined) return [t("{dir} (missing)", { dir })];
    return (info.mode & 0o077) === 0
      ? []
      : [t("{dir} (mode {mode})", { dir: dir === "" ? home : dir, mode: modeText(info.mode) })];
  });
  const inGit = warnOfGit(home) ?? [];
  if (open.length === 0) return [ok(t("{home} is complete and private", { home })), inGit].flat();
  return [
    warn(t("not as they should be: {list}", { list: listed(open) }), t("the next start repairs them: mimikit restart")),
    inGit,
  ].flat();
}

function checkToken({ home, exists }: DoctorInput): DoctorCheck[] {
  if (!exists) return [];
  try {
    readToken(home);
    return [ok(t("private and well-formed"))];
  } catch (error) {
    if (error instanceof HomeError) return [fail(error.message, t("then start again: mimikit up"))];
    throw error;
  }
}

function checkConfig({ problems }: DoctorInput): DoctorCheck[] {
  if (problems.length === 0) return [ok(t("the file and the variables are valid"))];
  return problems.map((problem) => warn(problem, t("correct it, then: mimikit restart")));
}

function checkDisk({ home, workDir, exists }: DoctorInput): DoctorCheck[] {
  const { bavail, bsize, files, ffree } = statfsSync(exists ? home : workDir);
  const free = bavail * bsize;
  const text = t("{free} MB free", { free: (free / 1_048_576).toFixed(0) });
  const next = t("make room: messages are refused when the disk is full");
  if (free < DISK_BYTES_FAIL) return [fail(text, next)];
  if (lacksInodes({ files, ffree })) return [fail(told(sentence("no_inodes", { path: home })), next)];
  return [free < DISK_BYTES_WARN ? warn(text, next) : ok(text)];
}

async function checkDaemon({ home, exists }: DoctorInput): Promise<DoctorCheck[]> {
  if (!exists) return [];
  const daemons = await findDaemons(home);
  const foreign = await foreignPm2Homes(home);
  if (daemons.length > 1) {
    return [
      fail(
        t("{count} PM2 daemons at once ({pids})", {
          count: daemons.length,
          pids: daemons.map(({ pid }) => pid).join(", "),
        }),
        t("mimikit down, then mimikit up"),
      ),
    ];
  }
  if (daemons.length === 1 && foreign.length > 0) {
    return [
      fail(
        t("the PM2 of {foreign} runs roles of this home too", { foreign: foreign.join(", ") }),
        `PM2_HOME='${foreign[0]}' pm2 delete ecosystem.config.cjs`,
      ),
    ];
  }
  if (foreign.length > 0) return [ok(t("the roles belong to the PM2 of {foreign}", { foreign: foreign.join(", ") }))];
  return [
    daemons.length === 1
      ? ok(t("PM2 daemon {pid}", { pid: daemons[0]?.pid ?? "" }))
      : warn(t("no PM2 daemon runs for this home"), "mimikit up"),
  ];
}

async function checkRoles({ home, exists }: DoctorInput): Promise<DoctorCheck[]> {
  if (!exists) return [];
  const living = livingRoles(home);
  return Promise.all(
    rolesOf(home, process.env).map(async (role) => {
      const record = living.get(role);
      const isClaimed = await isSingletonClaimed(home, role);
      const silentSec = record === undefined ? undefined : silentSecOf(home, role);
      if (silentSec !== undefined)
        return fail(
          t("{role} has not responded for {silentSec} s (process {pid})", { role, silentSec, pid: record?.pid ?? "" }),
          "mimikit restart",
        );
      const { count, isLoop } = record === undefined ? { count: 0, isLoop: false } : deathsOf(record);
      if (isLoop) return fail(t("{role} has died {count} times within an hour", { role, count }), "mimikit logs");
      if (record !== undefined && isClaimed)
        return ok(t("{role} runs as process {pid} since {since}", { role, pid: record.pid, since: record.startedAt }));
      if (record !== undefined)
        return fail(
          t("{role} runs as process {pid} without holding its claim", { role, pid: record.pid }),
          "mimikit restart",
        );
      if (isClaimed)
        return warn(
          t("{role} is claimed by a process that did not note itself", { role }),
          t("wait a second, or: mimikit down"),
        );
      return warn(t("{role} is not running", { role }), t("mimikit up, or see why: mimikit logs"));
    }),
  );
}

async function checkGateway({ home, config, exists }: DoctorInput): Promise<DoctorCheck[]> {
  const gateway = exists ? livingRoles(home).get("gateway") : undefined;
  if (gateway !== undefined) {
    try {
      const status = await new Client(gateway.url ?? urlOf(config), readToken(home)).status();
      if (status.ready && status.problems.length === 0) return [ok(t("answers, and everything is ready"))];
      return status.problems.map((problem) => warn(problem, "mimikit logs"));
    } catch (error) {
      return [fail(reasonOf(error), "mimikit restart")];
    }
  }
  const { host, port } = config;
  const error = await probePort(config);
  if (error === null) return [ok(t("port {port} on {host} is free", { port, host }))];
  return [
    fail(
      t("port {port} on {host} cannot be used: {reason}", { port, host, reason: told(error.message) }),
      t("choose another: {call}", { call: `MIMIKIT_PORT=8788 ${commandName(process.env)} up` }),
    ),
  ];
}

/** A process with a mark and without a claim is left over from a run that has no owner any more (docs/file-protocol.md I9). */
async function checkChildren({ home, exists }: DoctorInput): Promise<DoctorCheck[]> {
  if (!exists) return [];
  // The command of a hook is started once, so that its mark is that of a first attempt.
  const ofHooks = namesIn(join(home, DELIVERIES)).map((name) => name.replace(/\.begun\.json$/, ".a1.json"));
  const claims = new Set([...Role.options.flatMap((role) => namesIn(join(home, runningOf(role)))), ...ofHooks]);
  // The MCP servers of a living pool, and its readers of documents, belong to no run.
  const pool = livingRoles(home).get("workers")?.pid;
  const orphans = (await findMarked(homeHash(home))).filter(({ mark }) => {
    const run = mark.slice(mark.indexOf(":") + 1);
    return !claims.has(`${run}.json`) && !(pool !== undefined && run.startsWith(`${POOL_MARK}-${pool}-`));
  });
  if (orphans.length === 0) return [ok(t("no process of a task is left over"))];
  const names = orphans.map(({ pid, mark }) => `${pid} (${mark})`);
  return [warn(t("left over from tasks: {list}", { list: listed(names) }), t("mimikit down ends them"))];
}

/** Nothing is said where all can be read. */
async function checkDocuments({ home, exists }: DoctorInput): Promise<DoctorCheck[]> {
  const unreadable = exists ? await withDisk(home, unreadableDocuments) : [];
  return unreadable.map(({ path, reason, stopsTasks }) =>
    warn(
      told(sentence(stopsTasks ? "rules_unreadable" : "document_unreadable", { path, detail: reason })),
      t("make it a readable file, or remove it"),
    ),
  );
}

function checkQuarantine({ home, exists }: DoctorInput): DoctorCheck[] {
  if (!exists) return [];
  const names = namesIn(join(home, QUARANTINE));
  if (names.length === 0) return [ok(t("nothing is in quarantine"))];
  return [
    warn(
      t("could not be read and was moved to quarantine: {list}", { list: listed(names) }),
      t("look at it in {dir}, then move it back or delete it", { dir: join(home, QUARANTINE) }),
    ),
  ];
}

function namesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).join(", ");
  return names.length > NAMED_MAX ? t("{shown} and {more} more", { shown, more: names.length - NAMED_MAX }) : shown;
}
