/** Records by what they have in common, kept up as they come and go: no caller looks through all to find a few. */

const NONE = new Map<string, never>();

export class Groups<T> {
  private readonly keysOf: (record: T) => readonly (string | undefined)[];
  private readonly groups = new Map<string, Map<string, T>>();

  /** @param keysOf the groups that a record is in; undefined is none. */
  constructor(keysOf: (record: T) => readonly (string | undefined)[]) {
    this.keysOf = keysOf;
  }

  /** The members of a group by their ids. */
  of(key: string): ReadonlyMap<string, T> {
    return this.groups.get(key) ?? NONE;
  }

  /** Puts `record` in the place of `before` under an id; undefined is none. */
  replace(id: string, record: T | undefined, before: T | undefined): void {
    for (const key of this.namesOf(before)) {
      const group = this.groups.get(key);
      group?.delete(id);
      if (group?.size === 0) this.groups.delete(key);
    }
    for (const key of this.namesOf(record)) {
      const group = this.groups.get(key) ?? new Map<string, T>();
      this.groups.set(key, group.set(id, record as T));
    }
  }

  private namesOf(record: T | undefined): string[] {
    return record === undefined ? [] : this.keysOf(record).filter((key) => key !== undefined);
  }
}
