/** The work that a reply has started, or reports, as cards below its words: plans, tasks and triggers, as they are now. */
import type { ChatMessage } from "@mimikit/protocol/wire/api";
import { computed } from "@preact/signals";
import { cardWords } from "../../i18n/card-words.ts";
import { trees } from "../../model/state.ts";
import { nodesOf } from "../../model/task-tree.ts";
import { ScheduleCard } from "./schedule-card.tsx";
import { TaskRow, WorkCard } from "./work-card.tsx";
import "./cards.css";

const nodes = computed(() => nodesOf(trees.value));

export function ReplyCards({ message: { id, at, taskIds = [], triggers = [] } }: { message: ChatMessage }) {
  // Work that a turn starts has an id that begins with the turn's; work that it reports has that of another.
  const prefix = id.replace(/reply$/, "");
  const known = taskIds.flatMap((taskId) => nodes.value.get(taskId) ?? []);
  const reported = known.filter(({ task }) => !task.id.startsWith(prefix));
  return (
    <div class="reply-cards">
      {known
        .filter((node) => !reported.includes(node))
        .map((node) => (
          <WorkCard key={node.task.id} node={node} />
        ))}
      {reported.length > 0 && (
        <ul class="work rows" aria-label={cardWords.reported}>
          {reported.map((node) => (
            <TaskRow key={node.task.id} node={node} />
          ))}
        </ul>
      )}
      {triggers.map((trigger) => (
        <ScheduleCard key={trigger.id} {...trigger} madeAt={at} />
      ))}
    </div>
  );
}
