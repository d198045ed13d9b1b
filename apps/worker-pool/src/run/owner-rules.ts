/** rules.md: what the owner lays down for every run of every role, read again for each. */
import { RULES_CHARS_MAX } from "@mimikit/agent/prompt/prompt";
import { BadJson } from "@mimikit/protocol/base/json";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { RULES_PATH } from "@mimikit/store/disk/state";
import { readDocument } from "./read-document.ts";

export class OwnerRules {
  private readonly fs: FileSystem;
  private readonly onCut: (chars: number) => void;
  /** The last text that was found too long, so that it is reported once. */
  private cut: string | undefined;

  /** @param onCut hears of rules that are longer than a prompt shows, once until they are changed. */
  constructor(fs: FileSystem, onCut: (chars: number) => void) {
    this.fs = fs;
    this.onCut = onCut;
  }

  /** Throws `BadJson` where they are there and cannot be read: without its rules no task is run. */
  async read(): Promise<string> {
    const text = await readDocument(this.fs, RULES_PATH);
    if (text.length <= RULES_CHARS_MAX || text === this.cut) return text;
    this.cut = text;
    this.onCut(text.length);
    return text;
  }
}

/** The rules of a turn. Where they cannot be read, it answers all the same, because it uses up its messages: one rule says so then. */
export async function rulesForTurn(rules: Pick<OwnerRules, "read">): Promise<string> {
  try {
    return await rules.read();
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return `The rules of the owner cannot be read (${error.message}). Tell the user so in your reply, and start and change nothing: no task runs until the file is repaired or removed.\n`;
  }
}
