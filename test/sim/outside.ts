/** The world around the processes of a run, which forgets nothing: users, children of runs, and what was promised to whom. */

import type { Role } from "@mimikit/protocol/base/role";
import type { Task } from "@mimikit/protocol/records/task";
import type { Approvals } from "./approvals.ts";
import { type Attachments, isRefused } from "./attachments.ts";
import type { Purse } from "./purse.ts";
import type { Environment, Process } from "./world.ts";

export const TOKEN = "simulated";
export const MESSAGES = 10;
/** One message in so many asks for a turn of its own. */
export const NEXT_EVERY = 5;

/** A child process of a run: it outlives a killed pool, as a real one does. */
export interface Child {
  task: string;
  attempt: number;
  role: Role;
  owner: Process;
}

/** An outage, as a turn told of it. */
interface Told {
  since: string;
  /** A stop was on its way by then: whoever carries it out may have looked before there was an outage. */
  isContested: boolean;
}

/** The view of the outside world, which forgets nothing. */
export class Outside {
  readonly acknowledged = new Set<string>();
  readonly toSend: string[] = [];
  readonly dropped: string[] = [];
  readonly children = new Set<Child>();
  readonly executions = new Map<string, number>();
  readonly seenTasks = new Set<string>();
  /** Cancels and restarts that were durable. */
  readonly commands = new Set<string>();
  /** Turns that have told of an outage, and since when. */
  readonly told = new Map<string, Told>();
  /** Steers that were durable. */
  readonly steers = new Set<string>();
  /** Commands to begin anew that were durable. */
  readonly clears = new Set<string>();
  /** Triggers that somebody asked for, by their ids. */
  readonly triggers = new Set<string>();
  /** The stamps of the paths that conditions watch. */
  readonly stamps = new Map<string, string>();
  /** Lines that a person has written into memory. */
  readonly scribbles: string[] = [];
  /** The deaths of a pool, with no other process, that each task shared: which of them it died alone; oldest first. */
  readonly deaths = new Map<string, ("alone" | "shared")[]>();
  /** The task that takes its pool down whenever it runs. */
  greedy: Task | undefined;
  /** A budget is used up. */
  isAtCeiling = false;
  /** Real budgets, where the run has such. */
  purse: Purse | undefined;
  /** Calls that need a yes, where the run has such. */
  approvals: Approvals | undefined;
  /** Files that messages name, where the run has such. */
  attachments: Attachments | undefined;
  /** The user of the page, where the run has the real gateway. */
  page: { readonly compared: number } | undefined;
  triggerCommands = 0;
  noteCommands = 0;
  improveCommands = 0;
  revokes = 0;
  schedules = 0;
  interjections = 0;
  restartCommands = 0;
  restarts = 0;
  cancels = 0;

  constructor() {
    for (let i = 0; i < MESSAGES; i++) this.toSend.push(`m-${String(i).padStart(2, "0")}`);
  }
}

/** Does something that a disk error may cut off, as every loop of the real processes does. */
export async function tolerating({ rest, world }: Environment, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!world.isOfDisk(error) && !isRefused(error)) throw error;
    await rest();
  }
}

/** Loads what must be there before the first tick; a process that cannot is started again. */
export async function loading(environment: Environment, load: () => Promise<void>): Promise<void> {
  for (let isLoaded = false; !isLoaded; ) {
    await tolerating(environment, async () => {
      await load();
      isLoaded = true;
    });
  }
}
