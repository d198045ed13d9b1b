/** Tells people what a CLI says and does, from its events. */
import type { TranscriptEntry } from "@mimikit/protocol/wire/transcript";
import { inputText } from "../../prompt/input-text.ts";
import type { CliEvent } from "./agent-cli.ts";

export class Scribe {
  private readonly tell: (told: TranscriptEntry) => void;
  /** The message that is being said, and how much of it was told: a CLI repeats what came before in it. */
  private said = "";
  private toldChars = 0;

  constructor(tell: (told: TranscriptEntry) => void) {
    this.tell = tell;
  }

  add(event: CliEvent): void {
    switch (event.type) {
      case "said":
        if (!event.text.startsWith(this.said)) {
          this.flush();
          this.toldChars = 0;
        }
        this.said = event.text;
        return;
      case "called":
        this.addCall(event.call.requestId, event.call.tool, event.call.input, true, event.call.answer);
        return;
      case "used": {
        const { requestId, tool, ok, errorCode = "" } = event.record;
        this.addCall(requestId, tool, event.input, ok, event.output ?? errorCode);
        return;
      }
      case "completed":
        this.flush();
    }
  }

  private addCall(id: string, tool: string, input: unknown, ok: boolean, text: string): void {
    this.flush();
    this.tell({ type: "call", id, tool, input: inputText(input) });
    this.tell({ type: "output", id, ok, text });
  }

  private flush(): void {
    const text = this.said.slice(this.toldChars).trim();
    this.toldChars = this.said.length;
    if (text !== "") this.tell({ type: "said", text });
  }
}
