/** The first of many at hand, in an order that is kept up as things come. */
export class Heap<T> {
  private readonly compare: (a: T, b: T) => number;
  private readonly items: T[] = [];

  /** @param compare is negative where `a` comes first. */
  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  get size(): number {
    return this.items.length;
  }

  /** The first; undefined where there is none. */
  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    const { items } = this;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isBefore(at, parent)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** Takes the first away; undefined where there is none. */
  pop(): T | undefined {
    const { items } = this;
    this.swap(0, items.length - 1);
    const first = items.pop();
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < items.length && this.isBefore(child, least)) least = child;
      if (least === at) return first;
      this.swap(at, least);
      at = least;
    }
  }

  private isBefore(a: number, b: number): boolean {
    return this.compare(this.items[a] as T, this.items[b] as T) < 0;
  }

  private swap(a: number, b: number): void {
    const { items } = this;
    if (items.length > 0) [items[a], items[b]] = [items[b] as T, items[a] as T];
  }
}
