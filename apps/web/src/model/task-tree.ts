/** Tasks as trees: a plan with its members, by their ids. Pure. */
import type { TaskState, TaskSummary } from "@mimikit/protocol/wire/api";

export interface TaskNode {
  task: TaskSummary;
  children: TaskNode[];
}

const OPEN_STATES: readonly TaskState[] = ["running", "queued", "waiting", "needs_input"];
const byNumber = new Intl.Collator("en", { numeric: true });

/** Whether a task may still change. */
export function isOpen(state: TaskState): boolean {
  return OPEN_STATES.includes(state);
}

/** Groups tasks under their plans; newest tree first, members in the order of their plan. */
export function treesOf(tasks: Iterable<TaskSummary>): TaskNode[] {
  const nodes = new Map<string, TaskNode>();
  for (const task of tasks) nodes.set(task.id, { task, children: [] });
  const roots: TaskNode[] = [];
  for (const node of nodes.values()) (parentOf(node.task, nodes)?.children ?? roots).push(node);
  for (const node of nodes.values()) node.children.sort((a, b) => byNumber.compare(a.task.id, b.task.id));
  return roots.sort(
    (a, b) => b.task.createdAt.localeCompare(a.task.createdAt) || byNumber.compare(b.task.id, a.task.id),
  );
}

/** Every node of these trees by the id of its task. */
export function nodesOf(trees: readonly TaskNode[]): Map<string, TaskNode> {
  const all = new Map<string, TaskNode>();
  const add = (node: TaskNode) => {
    all.set(node.task.id, node);
    node.children.forEach(add);
  };
  trees.forEach(add);
  return all;
}

/** The nearest ancestor that is shown: by the id's prefix, or by name where a task has an id of its own. */
function parentOf(task: TaskSummary, nodes: ReadonlyMap<string, TaskNode>): TaskNode | undefined {
  for (let dot = task.id.lastIndexOf("."); dot > 0; dot = task.id.lastIndexOf(".", dot - 1)) {
    const ancestor = nodes.get(task.id.slice(0, dot));
    if (ancestor) return ancestor;
  }
  return task.parentId === undefined || task.parentId === task.id ? undefined : nodes.get(task.parentId);
}

/** Every task below a node, the node's own first. */
export function membersOf(node: TaskNode): TaskSummary[] {
  return [node.task, ...node.children.flatMap(membersOf)];
}

/**
 * The state of a whole tree, as a person would say it: what is going on now, or else how it ended. A plan that is
 * done while its members run is running.
 */
export function overallState(node: TaskNode): TaskState {
  const states = membersOf(node).map((task) => task.state);
  const order: readonly TaskState[] = [...OPEN_STATES, "failed", "cancelled"];
  return order.find((state) => states.includes(state)) ?? "done";
}

/** From the start (or the creation) to the end of a tree, in milliseconds; open trees end at `nowMs`. */
export function elapsedMs(node: TaskNode, nowMs: number): number {
  const start = Date.parse(node.task.startedAt ?? node.task.createdAt);
  if (isOpen(overallState(node))) return nowMs - start;
  return Math.max(...membersOf(node).map((task) => Date.parse(task.completedAt ?? task.createdAt))) - start;
}
