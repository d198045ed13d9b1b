/** Everything in a state directory that would run or be believed, for its owner to look at before they adopt it. */
import { isLasting } from "@mimikit/core/tasks/lasting-commands";
import { triggerSummary } from "@mimikit/core/views/board";
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import { visibleLine } from "@mimikit/protocol/texts/visible";
import { HOME_ITEM_CHARS_MAX, HOME_ITEMS_MAX, type HomeContents, type HomeItem } from "@mimikit/protocol/wire/api";
import { settingsInFile } from "@mimikit/runtime/config/config";
import { PROVIDER_FOLDERS } from "@mimikit/runtime/config/providers";
import type { Environment, HomePlace } from "@mimikit/runtime/home/home";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import {
  BACKLOG_PATH,
  HISTORY_PATH,
  HOOKS,
  MCP_PATH,
  MEMORY,
  MEMORY_PATH,
  OWN_TOOLS,
  PERSONA_PATH,
  PROFILE_PATH,
  RULES_PATH,
  WEB_SESSIONS,
} from "@mimikit/store/disk/state";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import { readApprovals } from "@mimikit/store/views/approvals";
import { findSkills, skillPlacesOf } from "./skills/skills.ts";

/** Files that are part of every prompt. */
const PROMPT_FILES = [RULES_PATH, PERSONA_PATH, PROFILE_PATH, MEMORY_PATH, BACKLOG_PATH];

/** @param cache of the directory; refreshed. Throws what the disk throws. */
export async function contentsOf(
  place: HomePlace,
  fs: FileSystem,
  cache: StateCache,
  env: Environment,
): Promise<HomeContents> {
  const items = [
    ...settings(place.home),
    ...(await toolsFromOutside(place.home)),
    ...(await approved(fs)),
    ...work(cache),
    ...(await hooks(fs)),
    ...(await skills(place, env)),
    ...(await promptFiles(fs)),
    ...(await agentFolders(fs)),
    ...(await browsers(fs)),
  ];
  // Of each kind as many: a thousand messages hide no skill.
  const shown = Object.values(Object.groupBy(items, ({ kind }) => kind)).flatMap((ofKind) =>
    ofKind
      .slice(0, HOME_ITEMS_MAX)
      .map(({ kind, text }) => ({ kind, text: visibleLine(text.trim(), HOME_ITEM_CHARS_MAX) })),
  );
  return { home: place.home, items: shown, more: items.length - shown.length };
}

function settings(home: string): HomeItem[] {
  return settingsInFile(home).map(({ name, value }) => ({
    kind: "setting",
    text: `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  }));
}

/** Programs that would be started and addresses that would be called, and none of the values that they are given. */
async function toolsFromOutside(home: string): Promise<HomeItem[]> {
  const { readOwnCommands } = await import("./mcp/files/command-files.ts");
  const { readMcpServers, targetOf } = await import("./mcp/files/mcp-file.ts");
  const { servers, problems } = readMcpServers(home);
  const { commands, problems: bad } = await readOwnCommands(home);
  return [
    ...[...servers].map(([name, server]) => `${MCP_PATH}: ${name}: ${targetOf(server)}`),
    ...[...problems].map(([name, problem]) => `${MCP_PATH}: ${name} ${problem}`),
    ...commands.map(({ name, command }) => `${OWN_TOOLS}/${name}: ${command.join(" ")}`),
    ...bad,
  ].map((text) => ({ kind: "setting", text }));
}

/** Commands that would not ask any more. */
async function approved(fs: FileSystem): Promise<HomeItem[]> {
  const approvals = await readApprovals(fs);
  return approvals
    .filter(({ prefix }) => isLasting(prefix))
    .map(({ prefix, reaches }) => ({
      kind: "setting",
      text: `runs without asking: ${prefix.join(" ")} … (${reaches.join(", ")})`,
    }));
}

function work({
  inbox,
  dropped,
  queue,
  results,
  triggers: allTriggers,
  dependents,
  questions,
  signals,
}: StateCache): HomeItem[] {
  const triggers = [...allTriggers.values()].map(triggerSummary);
  return [
    ...[...inbox.values(), ...dropped.values()].map(
      (command): HomeItem => ({ kind: "command", text: commandText(command) }),
    ),
    ...[...queue.values(), ...[...dependents.values()].map(({ task }) => task)].map(
      ({ role, prompt }): HomeItem => ({ kind: "task", text: `${role}: ${prompt}` }),
    ),
    ...[...results.values()].map(
      ({ task, effects }): HomeItem => ({
        kind: "result",
        text: `${task.role}: ${task.prompt}: ${JSON.stringify(effects)}`,
      }),
    ),
    ...[...questions.values()].map(({ question }): HomeItem => ({ kind: "task", text: `question: ${question}` })),
    ...[...signals.values()].map(
      (signal): HomeItem => ({ kind: "command", text: `signal: ${JSON.stringify(signal)}` }),
    ),
    ...triggers.map(({ type, prompt }): HomeItem => ({ kind: "trigger", text: `${type}: ${prompt}` })),
  ];
}

function commandText(command: InboxCommand): string {
  if ("text" in command) return `${command.kind}: ${command.text}`;
  const said = Object.entries(command).filter(([name]) => !["kind", "id", "at", "mac"].includes(name));
  return said.length === 0 ? command.kind : `${command.kind}: ${JSON.stringify(Object.fromEntries(said))}`;
}

/** Their commands and addresses. A file that is no hook would do neither, and may become one with an edit. */
async function hooks(fs: FileSystem): Promise<HomeItem[]> {
  if (!(await fs.exists(HOOKS))) return [];
  const { readHooks } = await import("@mimikit/runtime/hooks/read-hooks");
  const found = await readHooks(fs);
  return [
    ...found.hooks.map(({ name, on, run, url }): HomeItem => {
      const act = url === undefined ? `runs ${JSON.stringify(run)}` : `calls ${url}`;
      return { kind: "command", text: `hook ${name}: on ${[on].flat().join(", ")} ${act}` };
    }),
    ...found.sources.map(
      ({ name, receive }): HomeItem => ({
        kind: "command",
        text: `hook ${name}: a signed delivery to it runs the trigger ${receive}`,
      }),
    ),
    ...found.problems.map(({ place }): HomeItem => ({ kind: "command", text: `${place}, which is no hook as it is` })),
  ];
}

async function skills(place: HomePlace, env: Environment): Promise<HomeItem[]> {
  const found = await findSkills(skillPlacesOf(place, env));
  return found.skills
    .filter(({ source }) => source === "home")
    .map(({ name, level, description }) => ({
      kind: "skill",
      text: `${name} (${level ?? "no level"}): ${description}`,
    }));
}

async function promptFiles(fs: FileSystem): Promise<HomeItem[]> {
  const found = await Promise.all(PROMPT_FILES.map((path) => fs.exists(path)));
  const notes = (await fs.list(MEMORY)).filter((name) => name.endsWith(".md"));
  return [
    ...PROMPT_FILES.filter((_path, i) => found[i]),
    ...notes.map((name) => `${MEMORY}/${name}`),
    ...((await fs.exists(HISTORY_PATH)) ? [`${HISTORY_PATH}, the conversation`] : []),
  ].map((text) => ({ kind: "file", text }));
}

/** The homes of the agent CLIs: settings in them can name an endpoint, and a login is one. */
async function agentFolders(fs: FileSystem): Promise<HomeItem[]> {
  const found = await Promise.all(PROVIDER_FOLDERS.map((path) => fs.exists(path)));
  return PROVIDER_FOLDERS.filter((_path, i) => found[i]).map((name) => ({
    kind: "setting",
    text: `${name}/: settings and login of the agent CLI`,
  }));
}

async function browsers(fs: FileSystem): Promise<HomeItem[]> {
  const { length } = await fs.list(WEB_SESSIONS);
  return length === 0 ? [] : [{ kind: "browser", text: String(length) }];
}
