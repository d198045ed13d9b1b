/**
 * Scheduled and conditional work. The sub-commands read and write the state directory themselves, so they work with everything
 * down; an order is checked before anything is written.
 */
import { commandGroup } from "../arguments/command.ts";
import { add } from "./triggers/add.ts";
import { anew, change, deleteCommand, pause, resume, run } from "./triggers/change.ts";
import { explain } from "./triggers/explain.ts";
import { list } from "./triggers/list.ts";
import { show } from "./triggers/show.ts";
import { simulate } from "./triggers/simulate.ts";

export const triggers = commandGroup({
  name: "triggers",
  summary: "scheduled and conditional work: list, add, change, pause, run, explain, simulate",
  subCommands: [list, show, add, change, pause, resume, anew, run, deleteCommand, explain, simulate],
  alone: list,
});
