/** Sees every version of every trigger as it is made, and by which clock; and every command. */
import type { InboxCommand } from "@mimikit/protocol/records/inbox";
import type { Trigger } from "@mimikit/protocol/records/trigger";
import { TRIGGERS } from "@mimikit/store/disk/state";
import type { Machine } from "./machine.ts";

/** A version, and what the clock showed when it was decided. */
export interface Decided {
  trigger: Trigger;
  atMs: number;
}

export class Witness {
  readonly commands = new Map<string, InboxCommand>();
  /** The versions of each trigger that came to stay, oldest first. */
  private readonly chains = new Map<string, Decided[]>();
  private readonly machine: Machine;

  constructor(machine: Machine) {
    this.machine = machine;
    const { disk } = machine;
    const link = disk.link.bind(disk);
    disk.link = (from, to) => {
      const outcome = link(from, to);
      if (outcome === "linked" && to.startsWith(`${TRIGGERS}/`)) this.see(disk.read(to) ?? "");
      return outcome;
    };
    machine.onPowerLoss = () => this.forget();
  }

  requested(command: InboxCommand): void {
    this.commands.set(command.id, command);
  }

  versionsOf(triggerId: string): readonly Decided[] {
    return this.chains.get(triggerId) ?? [];
  }

  get triggerIds(): string[] {
    return [...this.chains.keys()];
  }

  private see(text: string): void {
    const trigger: Trigger = JSON.parse(text);
    const { nowMs, violations } = this.machine;
    for (const { id, at } of trigger.decision.fire)
      if (Date.parse(at) > nowMs) violations.push(`${id} was decided before its time`);
    const chain = this.chains.get(trigger.id) ?? [];
    this.chains.set(trigger.id, chain);
    // A supervisor that was late may make one again that was cleaned up long ago: nobody heeds it.
    if (trigger.version > (chain.at(-1)?.trigger.version ?? 0)) chain.push({ trigger, atMs: nowMs });
  }

  /** Versions that the disk has forgotten are decided again. */
  private forget(): void {
    const { disk } = this.machine;
    for (const [id, chain] of this.chains) {
      while (chain.length > 0) {
        const { version } = chain.at(-1)?.trigger ?? { version: 0 };
        const isArchived = disk.info(`archive/${id}.json`) !== null;
        if (isArchived || disk.info(`${TRIGGERS}/${id}.v${version}.json`) !== null) break;
        chain.pop();
      }
    }
  }
}
