/**
 * The state that `ask` follows: the conversation, its work and its questions, as the gateway tells them or, where none
 * answers, as the files do. Both name everything alike, so a reader may be served by the one and then by the other.
 */
import { isTurn } from "@mimikit/protocol/records/task";
import type { ChatMessage, QuestionView, TaskSummary } from "@mimikit/protocol/wire/api";
import { readHistory } from "@mimikit/store/views/history";
import { type Client, connect, mayPass } from "./client.ts";
import { withState } from "./state.ts";
import { listTasks } from "./task-list.ts";

export interface StateSeen {
  /** Oldest first. */
  messages: readonly ChatMessage[];
  /** In any order. */
  tasks: readonly TaskSummary[];
  /** The open ones, the oldest first. */
  questions: readonly QuestionView[];
  /** Is a turn of the Teller's queued or running? Then there is more to come. */
  isTurnOpen: boolean;
}

/** The current state. @throws Failure that another try does not cure. */
export async function readState(): Promise<StateSeen> {
  try {
    return await askGateway(connect());
  } catch (error) {
    if (!mayPass(error)) throw error;
    return readFiles();
  }
}

/** Messages before tasks: a task that a message names is there by the time the tasks are read. */
async function askGateway(client: Client): Promise<StateSeen> {
  const { queued, running } = (await client.status()).counts;
  return {
    isTurnOpen: queued.teller + running.teller > 0,
    messages: await client.messages(),
    tasks: await client.tasks(),
    questions: await client.questions(),
  };
}

/** Messages still in the inbox are left out: a caller that waits for a reply does not need them. */
function readFiles(): Promise<StateSeen> {
  return withState(async (state) => {
    const { archiveIndex, queue } = state.cache;
    // A task that left the queue since the archive was read is in the archive now.
    await archiveIndex.load();
    const isTurnOpen = [...queue.values()].some((task) => isTurn(task) && !archiveIndex.has(task.id));
    const { messages } = await readHistory(state.fs, archiveIndex);
    return { isTurnOpen, messages, tasks: await listTasks(state), questions: state.questions };
  });
}
