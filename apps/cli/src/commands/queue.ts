/** The queues of the roles: how much waits in each, and whether it is paused. A pause is a setting, so it outlives everything. */
import { PAUSABLE } from "@mimikit/protocol/base/kind";
import { loadConfig, pausedIn } from "@mimikit/runtime/config/config";
import { editSettings } from "@mimikit/runtime/config/edit-settings";
import { openHome } from "@mimikit/runtime/home/adoption";
import { type Command, command, commandGroup } from "../arguments/command.ts";
import { t } from "../i18n/language.ts";
import { withDisk, withState } from "../instance/state.ts";
import { openTasks } from "../instance/task-list.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine, printTable } from "../io/print.ts";
import { refusedAsFailure } from "../io/settings-refused.ts";
import { runningEnvironment } from "../processes/instance.ts";

const list = command({
  usage: "list",
  summary: "the tasks that wait and run, by role",
  examples: [["mimikit queue list", "mimikit queue alone is the same"]],
  async run({ json }) {
    const { home, env } = await placeOfSettings();
    const paused = pausedIn(loadConfig(home, env).config);
    const open = await withState(async (state) => openTasks(state));
    const queues = PAUSABLE.map((each) => ({
      role: each,
      paused: paused.includes(each),
      queued: open.filter((task) => task.role === each && task.state === "queued").length,
      running: open.filter((task) => task.role === each && task.state === "running").length,
    }));
    if (json) return printJson({ queues });
    const rows = queues.map(({ role, paused, queued, running }) => [
      role,
      paused ? t("paused") : "",
      String(queued),
      String(running),
    ]);
    printTable(["role", "", "waits", "runs"], rows, t("there are no queues"));
  },
});

/** `pause` and `resume`. @param said the new state of a queue. */
function change(op: "pause" | "resume", summary: string, said: string): Command {
  return command({
    usage: `${op} <role>`,
    summary,
    examples: [[`mimikit queue ${op} worker`, "the tasks of Workers"]],
    options: (yargs) =>
      yargs.positional("role", { choices: PAUSABLE, demandOption: true, describe: "the role whose queue it is" }),
    async run({ json, role }) {
      const { home, env } = await placeOfSettings();
      const setting = { name: `paused.${role}`, value: op === "pause" ? true : undefined };
      await refusedAsFailure(() => withDisk(home, (fs) => editSettings({ fs, home, env }, [setting])));
      if (json) printJson({ paused: pausedIn(loadConfig(home, env).config) });
      else printLine(t("the queue of the {role} is {said}", { role, said: t(said) }));
    },
  });
}

async function placeOfSettings() {
  const { home } = currentPlace();
  openHome(home, process.env);
  // The variables of the running processes win, not those of this shell.
  return { home, env: (await runningEnvironment(home)) ?? process.env };
}

export const queue = commandGroup({
  name: "queue",
  summary: "the queues of the roles: list, pause and resume them",
  subCommands: [
    list,
    change("pause", "start no more tasks of a role; running ones finish", "paused; running tasks finish"),
    change("resume", "start the waiting tasks of a role again", "open"),
  ],
  alone: list,
});
