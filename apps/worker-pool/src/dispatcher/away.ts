/** An attempt that another machine has. */
import type { PoolJob } from "@mimikit/protocol/pools/messages";
import type { PoolOwner } from "@mimikit/protocol/pools/pool";
import type { Claim } from "@mimikit/protocol/records/claim";
import type { StreamFile } from "../run/stream-file.ts";
import type { AcceptedOutcome } from "./outcome.ts";
import type { CarriedOutput } from "./outputs.ts";

/** The role of all that runs on machines. */
export const ROLE = "worker";

/** One attempt that another machine has, as this process follows it. */
export interface Away {
  job: string;
  id: string;
  attempt: number;
  claim: Claim;
  owner: PoolOwner;
  heardMs: number;
  offeredMs: number;
  /** Resolves when no power loss takes its claim any more. */
  kept?: Promise<void>;
  isWithdrawn: boolean;
  stream?: StreamFile;
  /** The files of its messages, once they are known. */
  files?: PoolJob["files"];
  /** The outputs that go with it, once they are known. */
  outputs?: CarriedOutput[];
  /** Its outcome, while files of it are still to come. */
  accepted?: AcceptedOutcome;
}
