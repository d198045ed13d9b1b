/** What a role is to the pool: which tools it has, how long and how many at once it may run, what it must hand in. */

import type { Role } from "@mimikit/protocol/base/role";
import type { Level } from "@mimikit/protocol/base/skill";
import type { ResultType } from "@mimikit/protocol/records/result";
import type { Config } from "@mimikit/runtime/config/config";
import type { Tool } from "../tools/tool.ts";

export interface RoleDefinition {
  role: Role;
  tools: readonly Tool[];
  /** What its calls may do at most: the Tool Bus refuses a tool of any other level. */
  levels: readonly Level[];
  /** The time limit of a run in seconds, where its task does not say otherwise (SPEC C3). */
  timeoutSec: (config: Pick<Config, "timeoutSec">) => number;
  /** How many tasks of this role run at once (SPEC A5). */
  concurrency: (config: Pick<Config, "maxConcurrency">) => number;
  /** What a result may be; the first is meant where the provider does not say. */
  resultTypes: readonly [ResultType, ...ResultType[]];
  /** May it end with a question instead of a result (SPEC C7)? The Teller asks in its reply. */
  mayAsk: boolean;
}
