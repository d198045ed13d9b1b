/** The one thing that differs between assistants: how each is set up, started, spoken to and read. */

/** Addresses and folders of one trial, all of them below a folder of its own. */
export interface Place {
  /** The only folder that the assistant can write to; it is HOME as well. */
  readonly home: string;
  /** The folder that the package was installed into; null for ours. */
  readonly installed: string | null;
  readonly port: number;
  /** Of the scripted model: Chat Completions. */
  readonly modelUrl: string;
}

export interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A reply as the user finds it in the conversation afterwards. */
export interface Reply {
  readonly text: string;
  /** Milliseconds since 1970; null where the assistant keeps no time. */
  readonly atMs: number | null;
}

export interface Assistant {
  /** As the command line calls it. */
  readonly id: string;
  readonly name: string;
  /** The npm package and its pinned version; null for ours, which is this tree. */
  readonly package: { readonly name: string; readonly version: string } | null;
  /** Writes its settings, before it starts for the first time. */
  configure(place: Place): void;
  /** The service in the foreground, as its documentation starts it. */
  command(place: Place): Command;
  /**
   * Processes of the service that a kill takes away; all of them where it is not said. `isSupervisor` is true for the process
   * manager that the documentation puts above the service, which stays and starts the service again.
   */
  readonly isSupervisor?: (commandLine: string) => boolean;
  /**
   * While it is open, its own page keeps messages, and may send those again under their ids that were cut off: this is tried
   * once, when everything is over.
   */
  readonly sendsAgain?: true;
  /**
   * It counts kills, and starts with less after too many in a short time. One home is then killed no more often than this, and
   * several homes share the kills side by side.
   */
  readonly kills?: { readonly apartMs: number; readonly homes: number };
  /** Puts the words of the scripted model in the format that its prompts demand; plain text where it is not given. */
  readonly phrase?: (words: string) => string;
  /** Connects as a client; throws while the service is not ready for messages. */
  connect(place: Place): Promise<Client>;
}

export interface Client {
  /** Resolves when the assistant has said that it has the message; throws where it said anything else, or nothing. */
  send(message: Message): Promise<void>;
  /** The replies that stand in these conversations: the newest, which is enough to look for an answer, or every one. */
  replies(conversations: readonly string[], isWhole: boolean): Promise<Reply[]>;
  close(): void;
}

export interface Message {
  /** Its own, once: also the key under which a client may send it again. */
  readonly id: string;
  readonly conversation: string;
  readonly text: string;
}
