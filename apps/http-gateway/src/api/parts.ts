/** The parts that the routes of the gateway are made with: each takes from here what it needs. */
import type { SkillPlaces } from "@mimikit/agent/skills/skills";
import type { HistoryIndex } from "@mimikit/memory/search/history-index";
import type { MemoryPlace } from "@mimikit/memory/sources/memory-query";
import type { Status } from "@mimikit/protocol/wire/api";
import type { Log } from "@mimikit/runtime/audit/log";
import type { Environment } from "@mimikit/runtime/home/home";
import type { TriggerWorld } from "@mimikit/runtime/workspace/trigger-facts";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import type { StateCache } from "@mimikit/store/state-cache/state-cache";
import type { UsageLog } from "@mimikit/store/views/usage-log";
import type { Auth } from "../auth/auth.ts";
import type { Sessions } from "../auth/sessions.ts";
import type { Live } from "../live/live.ts";
import type { Push } from "../push/push.ts";
import type { Commands } from "../state/commands.ts";
import type { Demo } from "../state/demo.ts";
import type { NotReady } from "../state/readiness.ts";
import type { StateView, View } from "../state/view.ts";

export interface RouteDeps {
  /** The state directory. */
  home: string;
  fs: FileSystem;
  cache: StateCache;
  view: View;
  commands: Commands;
  auth: Auth;
  sessions: Sessions;
  live: Live;
  push: Push;
  statusOf(state: StateView): Promise<Status>;
  /** Why a message that comes now would not be answered; null where it would be. */
  whyNotReady(): Promise<NotReady | null>;
  usage: UsageLog;
  /** Everything that was ever said. */
  said: HistoryIndex;
  /** Of this process: what names the state directory, and where the records of adopted ones are. */
  environment: Environment;
  /** Where skills are. */
  skillPlaces: SkillPlaces;
  /** Where memory is. */
  memory: MemoryPlace;
  /** The facts that explanations are made of. */
  world: TriggerWorld;
  /** Where other devices open the page; null where it is not set. */
  publicUrl: string | null;
  demo: Demo;
  /** How long a client of /v1 waits for a reply, and how often it hears that it still does, in ms, if not as usual. */
  waits: { replyMs?: number; keepAliveMs?: number };
  log: Log;
}
