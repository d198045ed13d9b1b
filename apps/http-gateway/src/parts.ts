/** What the routes of the gateway are made with: each takes from here what it needs. */
import type { SkillPlaces } from "@mimikit/agent/skills";
import type { HistoryIndex } from "@mimikit/memory/history-index";
import type { MemoryPlace } from "@mimikit/memory/memory-query";
import type { Status } from "@mimikit/protocol/api";
import type { Environment } from "@mimikit/runtime/home";
import type { Log } from "@mimikit/runtime/log";
import type { TriggerWorld } from "@mimikit/runtime/trigger-facts";
import type { FileSystem } from "@mimikit/store/file-system";
import type { Mirror } from "@mimikit/store/mirror";
import type { UsageBook } from "@mimikit/store/usage-book";
import type { Auth } from "./auth.ts";
import type { Live } from "./live.ts";
import type { Sessions } from "./sessions.ts";
import type { Look, View } from "./view.ts";
import type { Wishes } from "./wishes.ts";

export interface Parts {
  /** The state directory. */
  home: string;
  fs: FileSystem;
  mirror: Mirror;
  view: View;
  wishes: Wishes;
  auth: Auth;
  sessions: Sessions;
  live: Live;
  statusOf(look: Look): Promise<Status>;
  usage: UsageBook;
  /** Everything that was ever said. */
  said: HistoryIndex;
  /** Of this process: what names the state directory, and where the records of adopted ones are. */
  environment: Environment;
  /** Where skills are. */
  skillPlaces: SkillPlaces;
  /** Where memory is. */
  memory: MemoryPlace;
  /** What explanations are made of. */
  world: TriggerWorld;
  log: Log;
}
