/** Where the members of a plan are drawn: a column for each step that must wait, a row for each that need not. Pure. */
import type { TaskSummary } from "@mimikit/protocol/wire/api";

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 58;
const GAP_X = 44;
const GAP_Y = 12;

export interface PlacedTask {
  task: TaskSummary;
  /** Of the upper left corner, in pixels. */
  x: number;
  y: number;
}

export interface TaskGraph {
  nodes: PlacedTask[];
  /** The path of each line from a task to one that waits for it, by their ids. */
  lines: { from: string; to: string; path: string }[];
  width: number;
  height: number;
}

/** Places tasks, given in the order of their plan. */
export function graphOf(tasks: readonly TaskSummary[]): TaskGraph {
  const ranks = ranksOf(tasks);
  const columns: TaskSummary[][] = [];
  for (const task of tasks) {
    const rank = ranks.get(task.id) ?? 0;
    columns[rank] = [...(columns[rank] ?? []), task];
  }
  const placed = new Map<string, PlacedTask>();
  for (const [column, members] of columns.entries())
    for (const [row, task] of (members ?? []).entries())
      placed.set(task.id, { task, x: column * (NODE_WIDTH + GAP_X), y: row * (NODE_HEIGHT + GAP_Y) });
  const nodes = [...placed.values()];
  return {
    nodes,
    lines: nodes.flatMap((node) =>
      (node.task.after ?? []).flatMap((from) => {
        const before = placed.get(from);
        return before === undefined ? [] : [{ from, to: node.task.id, path: pathBetween(before, node) }];
      }),
    ),
    width: Math.max(0, ...nodes.map(({ x }) => x + NODE_WIDTH)),
    height: Math.max(0, ...nodes.map(({ y }) => y + NODE_HEIGHT)),
  };
}

/** How many tasks must end before each one, one after the other. A circle, which no plan has, ends where it began. */
function ranksOf(tasks: readonly TaskSummary[]): ReadonlyMap<string, number> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const ranks = new Map<string, number>();
  const rankOf = (task: TaskSummary): number => {
    const known = ranks.get(task.id);
    if (known !== undefined) return known;
    ranks.set(task.id, 0);
    const before = (task.after ?? []).flatMap((id) => byId.get(id) ?? []);
    const rank = Math.max(0, ...before.map((each) => rankOf(each) + 1));
    ranks.set(task.id, rank);
    return rank;
  };
  for (const task of tasks) rankOf(task);
  return ranks;
}

function pathBetween(from: PlacedTask, to: PlacedTask): string {
  const [x1, y1] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2];
  const [x2, y2] = [to.x - 6, to.y + NODE_HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
