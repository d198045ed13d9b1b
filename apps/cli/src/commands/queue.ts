/** The queues of the roles: how much waits in each, and whether it is paused. A pause is a setting, so it outlives everything. */
import { PAUSABLE } from "@mimikit/protocol/base/kind";
import { loadConfig, pausedIn } from "@mimikit/runtime/config/config";
import { editSettings } from "@mimikit/runtime/config/edit-settings";
import { openHome } from "@mimikit/runtime/home/adoption";
import { actions, command } from "../arguments/command.ts";
import { withDisk, withState } from "../instance/state.ts";
import { openTasks } from "../instance/task-list.ts";
import { Failure } from "../io/failure.ts";
import { currentPlace } from "../io/place.ts";
import { printJson, printLine, printTable } from "../io/print.ts";
import { refusedAsFailure } from "../io/settings-refused.ts";
import { runningEnvironment } from "../processes/instance.ts";

export const queue = command({
  usage: "queue [action] [role]",
  summary: "how much waits for each role; pauses and resumes a queue",
  examples: [
    ["mimikit queue", "what waits and runs, by role"],
    ["mimikit queue pause worker", "nothing more begins there; what runs goes on"],
    ["mimikit queue resume worker", "what waits begins"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", actions("list", "pause", "resume"))
      .positional("role", { choices: PAUSABLE, describe: "pause, resume: whose queue" }),
  async run({ json, action, role }) {
    if ((role === undefined) !== (action === "list"))
      throw new Failure(
        "usage",
        role === undefined ? `say whose: mimikit queue ${action} worker` : "list takes no role",
      );
    const { home } = currentPlace();
    openHome(home, process.env);
    // It is their variables that win, whatever those of this shell are.
    const env = (await runningEnvironment(home)) ?? process.env;
    if (role !== undefined) {
      const change = { name: `paused.${role}`, value: action === "pause" ? true : undefined };
      await refusedAsFailure(() => withDisk(home, (fs) => editSettings({ fs, home, env }, [change])));
    }
    const paused = pausedIn(loadConfig(home, env).config);
    if (role !== undefined) {
      if (json) printJson({ paused });
      else printLine(`the queue of the ${role} is ${action === "pause" ? "paused; what runs goes on" : "open"}`);
      return;
    }
    const open = await withState(async (state) => openTasks(state));
    const queues = PAUSABLE.map((each) => ({
      role: each,
      paused: paused.includes(each),
      queued: open.filter((task) => task.role === each && task.state === "queued").length,
      running: open.filter((task) => task.role === each && task.state === "running").length,
    }));
    if (json) printJson({ queues });
    else {
      const rows = queues.map((each) => [
        each.role,
        each.paused ? "paused" : "",
        String(each.queued),
        String(each.running),
      ]);
      printTable(["role", "", "waits", "runs"], rows, "there are no queues");
    }
  },
});
