/** The commands by what they are for, as `mimikit --help` and docs/cli.md list them. A command of no group is among the others. */
import { t } from "../i18n/language.ts";
import type { Command } from "./command.ts";

interface Group {
  title: string;
  commands: readonly string[];
}

const OTHERS = "other";

export const GROUPS: Readonly<Record<string, Group>> = {
  run: {
    title: "Run it",
    commands: ["up", "down", "restart", "service", "status", "logs", "doctor", "update", "demo"],
  },
  talk: {
    title: "Talk with it",
    commands: ["chat", "ask", "send", "steer", "stop", "retry", "clear", "questions"],
  },
  connect: { title: "Models and tools", commands: ["connect", "mcp", "pair"] },
  tasks: { title: "Tasks and to-dos", commands: ["tasks", "queue", "backlog"] },
  triggers: { title: "Triggers", commands: ["triggers"] },
  recipes: { title: "Recipes and skills", commands: ["recipe", "skills", "import"] },
  remember: { title: "Memory and history", commands: ["memory", "history"] },
  autonomy: { title: "Approvals, self-improvement and undo", commands: ["approvals", "improve", "undo"] },
  notify: { title: "Devices, channels and hooks", commands: ["devices", "channels", "hooks"] },
  machines: { title: "Work on other machines", commands: ["pool", "pools"] },
  maintain: { title: "Settings, audit and backup", commands: ["config", "audit", "usage", "backup", "restore"] },
  [OTHERS]: { title: "Other commands", commands: [] },
};

/** The groups in their order, each with its commands. */
export function grouped(commands: readonly Command[]): { key: string; title: string; commands: Command[] }[] {
  const named = new Set(Object.values(GROUPS).flatMap((group) => group.commands));
  return Object.entries(GROUPS).map(([key, { title, commands: names }]) => ({
    key,
    title,
    commands:
      key === OTHERS
        ? commands.filter(({ name }) => !named.has(name))
        : names.flatMap((name) => commands.find((command) => command.name === name) ?? []),
  }));
}

/** The part of `mimikit --help` that lists all commands, for yargs to set in columns. */
export function listOfCommands(commands: readonly Command[]): string {
  return grouped(commands)
    .map(({ title, commands: members }) => {
      const rows = members.map(({ name, summary }) => `  ${name}\t  ${t(summary)}`);
      return [t("{title}:", { title: t(title) }), ...rows].join("\n");
    })
    .join("\n\n");
}
