/** Lists that are kept from look to look: work goes with what changed, and not with what there is. */

/** Things in one order, by their ids. */
export class OrderedList<T extends { id: string }> {
  private readonly compare: (a: T, b: T) => number;
  private readonly byId = new Map<string, T>();
  /** A list that was handed out never changes: a change makes a new list. */
  list: readonly T[] = [];

  /** @param compare the order; it depends on nothing but the two. */
  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  get(id: string): T | undefined {
    return this.byId.get(id);
  }

  /** Puts these in the place of those with their ids; undefined takes one away. One that says the same stays the same object. */
  patch(changes: Iterable<readonly [id: string, T | undefined]>): void {
    const gone: T[] = [];
    const come: T[] = [];
    for (const [id, after] of changes) {
      const before = this.byId.get(id);
      if (isUnchanged(before, after)) continue;
      if (before !== undefined) gone.push(before);
      if (after === undefined) this.byId.delete(id);
      else {
        this.byId.set(id, after);
        come.push(after);
      }
    }
    if (gone.length + come.length === 0) return;
    if ((gone.length + come.length) * FEW_OF > this.list.length) {
      this.list = [...this.byId.values()].sort(this.compare);
      return;
    }
    const list = [...this.list];
    for (const each of gone) list.splice(this.placeOf(each, list), 1);
    for (const each of come) list.splice(this.firstAfter(each, list), 0, each);
    this.list = list;
  }

  private placeOf(item: T, list: readonly T[]): number {
    const at = this.firstAfter(item, list) - 1;
    return list[at] === item ? at : list.indexOf(item);
  }

  private firstAfter(item: T, list: readonly T[]): number {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(list[middle] as T, item) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** More changes than one in so many, and the whole list is sorted. */
const FEW_OF = 8;

/** Do they say the same? */
export function isUnchanged(before: unknown, after: unknown): boolean {
  return before === after || JSON.stringify(before) === JSON.stringify(after);
}

/** The changes from one list to the next, both in the same order: an item that is in both as the same object counts as unchanged. */
export function differences<T extends { id: string }>(
  before: readonly T[],
  after: readonly T[],
  compare: (a: T, b: T) => number,
): { come: T[]; gone: T[] } {
  const come: T[] = [];
  const gone = new Map<string, T>();
  for (let [i, j] = [0, 0]; before !== after && (i < before.length || j < after.length); ) {
    const [old, now] = [before[i], after[j]];
    if (old === now) [i, j] = [i + 1, j + 1];
    else if (now === undefined || (old !== undefined && compare(old, now) < 0)) {
      gone.set((old as T).id, old as T);
      i++;
    } else {
      come.push(now);
      j++;
    }
  }
  // One whose place is another has both gone and come.
  const news = come.filter((each) => gone.get(each.id) !== each);
  for (const { id } of come) gone.delete(id);
  return { come: news, gone: [...gone.values()] };
}
