/** The names that an assistant gave to conversations, in a file: a client that connects again uses them, as its page does. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class Names {
  private readonly path: string;
  private readonly opening = new Map<string, Promise<string>>();

  constructor(home: string) {
    this.path = join(home, "conversations.json");
  }

  get(conversation: string): string | undefined {
    return this.read()[conversation];
  }

  set(conversation: string, name: string): void {
    writeFileSync(this.path, JSON.stringify({ ...this.read(), [conversation]: name }));
  }

  /** @param open begins a conversation that has no name yet, and gives the assistant's name for it. */
  async of(conversation: string, open: () => Promise<string>): Promise<string> {
    const opening = this.get(conversation) ?? this.opening.get(conversation) ?? open();
    if (typeof opening === "string") return opening;
    this.opening.set(conversation, opening);
    const name = await opening;
    this.set(conversation, name);
    return name;
  }

  private read(): Record<string, string> {
    return existsSync(this.path) ? (JSON.parse(readFileSync(this.path, "utf8")) as Record<string, string>) : {};
  }
}
