/** Triggers by their newest version, kept up as versions come and go. */
import type { Link, Standing, Trigger } from "@mimikit/protocol/records/trigger";

export class Versions {
  /** The links of chains, by the id of their task. */
  readonly links = new Map<string, Link>();
  readonly standing = new Map<string, Standing>();
  /** Of a trigger whose versions are being replaced there may be several, the newest last. */
  private readonly several = new Map<string, Trigger[]>();

  /** @param trigger what came, or else what went. */
  change(trigger: Trigger, isThere: boolean): void {
    const { id } = trigger;
    const others = this.of(id).filter(({ version }) => version !== trigger.version);
    const all = isThere ? [...others, trigger].sort((a, b) => a.version - b.version) : others;
    if (all.length > 1) this.several.set(id, all);
    else this.several.delete(id);
    this.links.delete(id);
    this.standing.delete(id);
    const newest = all.at(-1);
    if (newest?.type === "link") this.links.set(id, newest);
    else if (newest !== undefined) this.standing.set(id, newest);
  }

  /** The newest version of a trigger. */
  newest(id: string): Trigger | undefined {
    return this.links.get(id) ?? this.standing.get(id);
  }

  /** Versions that a newer one has replaced. */
  get stale(): { id: string; version: number }[] {
    return [...this.several.values()].flatMap((all) => all.slice(0, -1).map(({ id, version }) => ({ id, version })));
  }

  private of(id: string): readonly Trigger[] {
    const newest = this.newest(id);
    return this.several.get(id) ?? (newest === undefined ? [] : [newest]);
  }
}
