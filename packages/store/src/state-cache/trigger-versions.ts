/** Triggers by their newest version, kept up as versions come and go. */
import type { DependentTask, Trigger, TriggerRecord } from "@mimikit/protocol/records/trigger";

export class TriggerVersions {
  /** The dependent tasks, by the id of their task. */
  readonly dependents = new Map<string, DependentTask>();
  readonly triggers = new Map<string, Trigger>();
  /** Of a trigger whose versions are being replaced there may be several, the newest last. */
  private readonly several = new Map<string, TriggerRecord[]>();

  /** @param trigger what came, or else what went. */
  change(trigger: TriggerRecord, isThere: boolean): void {
    const { id } = trigger;
    const others = this.of(id).filter(({ version }) => version !== trigger.version);
    const all = isThere ? [...others, trigger].sort((a, b) => a.version - b.version) : others;
    if (all.length > 1) this.several.set(id, all);
    else this.several.delete(id);
    this.dependents.delete(id);
    this.triggers.delete(id);
    const newest = all.at(-1);
    if (newest?.type === "link") this.dependents.set(id, newest);
    else if (newest !== undefined) this.triggers.set(id, newest);
  }

  /** The newest version of a trigger. */
  newest(id: string): TriggerRecord | undefined {
    return this.dependents.get(id) ?? this.triggers.get(id);
  }

  /** Versions that a newer one has replaced. */
  get stale(): { id: string; version: number }[] {
    return [...this.several.values()].flatMap((all) => all.slice(0, -1).map(({ id, version }) => ({ id, version })));
  }

  private of(id: string): readonly TriggerRecord[] {
    const newest = this.newest(id);
    return this.several.get(id) ?? (newest === undefined ? [] : [newest]);
  }
}
