/** The sub-commands of `mimikit triggers` that change a trigger that is there. */
import { aheadOfClock } from "@mimikit/core/triggers/ahead-of-clock";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import type { CommandInput } from "@mimikit/store/disk/create-command";
import { type Command, command } from "../../arguments/command.ts";
import { readTextIfAny } from "../../arguments/text-argument.ts";
import { orderOptions, patchFrom } from "../../arguments/trigger-options.ts";
import { t } from "../../i18n/language.ts";
import { assertTasksKnown, withState } from "../../instance/state.ts";
import { ask } from "../../instance/write-command.ts";
import { printJson, printLine } from "../../io/print.ts";
import { assertPoolOf } from "./assert-pool-of.ts";
import { laterText, triggerArgument, triggerIn } from "./trigger-argument.ts";

export const change = command({
  usage: "change <trigger> [words..]",
  summary: "change the prompt of a trigger, or when and how it runs",
  examples: [
    ["mimikit triggers change 3fa29c01 --every 4h", "the beginning of an id is enough"],
    ["mimikit triggers change standup 'write shorter standup notes'", "another prompt"],
  ],
  takesText: true,
  options: (yargs) =>
    orderOptions(triggerArgument(yargs).positional("words", { type: "string", array: true, describe: "the prompt" })),
  async run(options) {
    const words = (await readTextIfAny(options.words)) ?? "";
    await send(options.trigger, options.json, "changed", ({ id: triggerId, type }) => {
      return { kind: "trigger-patch", triggerId, patch: patchFrom(options, words, type, Date.now()) };
    });
  },
});

export const pause = simple("pause", {
  summary: "stop a trigger from firing until it is resumed",
  meaning: "moments that pass meanwhile are skipped",
  done: "paused",
  said: ({ id: triggerId }) => ({ kind: "trigger-patch", triggerId, patch: { paused: true } }),
});

export const resume = simple("resume", {
  summary: "let a paused trigger fire again",
  meaning: "it goes on with its next moment",
  done: "resumed",
  said: ({ id: triggerId }) => ({ kind: "trigger-patch", triggerId, patch: { paused: false } }),
});

export const run = simple("run", {
  summary: "fire a trigger now",
  meaning: "an additional firing",
  done: "started",
  said: ({ id: triggerId }) => ({ kind: "trigger-run", triggerId }),
});

export const deleteCommand = simple("delete", {
  summary: "delete a trigger; mimikit undo restores it",
  meaning: "by its title; its id, or the beginning of it, does, too",
  done: "deleted",
  said: ({ id: triggerId }) => ({ kind: "trigger-delete", triggerId }),
});

const FROM_NOW = "counts from now";

export const anew = command({
  usage: "anew [trigger]",
  summary: "count a schedule from now, after a clock that was ahead",
  examples: [
    ["mimikit triggers anew", "all schedules that wait for the clock to catch up"],
    ["mimikit triggers anew standup", "this one"],
  ],
  options: (yargs) =>
    yargs.positional("trigger", { type: "string", describe: "all that are ahead of the clock if not given" }),
  async run({ json, trigger }) {
    if (trigger !== undefined) return send(trigger, json, FROM_NOW, ({ id: triggerId }) => fromNow(triggerId));
    const { home, ahead } = await withState(async (state) => ({
      home: state.home,
      ahead: aheadOfClock(state.triggers.values(), Date.now()),
    }));
    const begun = [];
    for (const { id: triggerId } of ahead) {
      const asked = await ask(home, fromNow(triggerId));
      begun.push({ ...asked, triggerId });
      if (!json) printLine(`${triggerId}: ${t(FROM_NOW)}${laterText(asked)}`);
    }
    if (json) printJson({ triggers: begun });
    else if (begun.length === 0) printLine(t("no trigger is ahead of the clock"));
  },
});

function fromNow(triggerId: string): CommandInput {
  return { kind: "trigger-patch", triggerId, patch: { anew: true } };
}

interface Simple {
  summary: string;
  /** The effect in its example. */
  meaning: string;
  done: string;
  said: (trigger: Trigger) => CommandInput;
}

/** A change that takes nothing but the trigger. */
function simple(name: string, { summary, meaning, done, said }: Simple): Command {
  return command({
    usage: `${name} <trigger>`,
    summary,
    examples: [[`mimikit triggers ${name} standup`, meaning]],
    options: triggerArgument,
    run: ({ json, trigger }) => send(trigger, json, done, said),
  });
}

async function send(
  given: string,
  json: boolean,
  done: string,
  said: (trigger: Trigger) => CommandInput,
): Promise<void> {
  const { home, trigger } = await withState(async (state) => ({ home: state.home, trigger: triggerIn(state, given) }));
  const command = said(trigger);
  if (command.kind === "trigger-patch") {
    await assertTasksKnown(command.patch.when);
    await assertPoolOf(command.patch.order?.pool);
  }
  const asked = await ask(home, command);
  if (json) printJson({ ...asked, triggerId: trigger.id });
  else printLine(`${trigger.id}: ${t(done)}${laterText(asked)}`);
}
