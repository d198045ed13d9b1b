/** A row of the bench: contestants that are measured in turn, round after round, so that all of them meet the same machine. */
import type { Figures } from "../measure/figures.ts";

export interface Contestant {
  name: string;
  /** Why it cannot be measured here; null where it can. */
  missing: string | null;
  /** Measures it once. Nothing of it is left when it resolves. */
  round(): Promise<Figures>;
}

/** How much is measured: the defaults take some minutes in all. */
export interface Sizes {
  /** Messages of the burst. */
  burst: number;
  /** Tasks that are open, or triggers that stand. */
  open: number;
  /** Turns before memory is looked at. */
  turns: number;
  /** Messages of the history that is searched. */
  messages: number;
}

export interface Row {
  /** Its name in `--only`. */
  name: string;
  /** The measured quantity, and how it is measured. */
  about: string;
  contestants(sizes: Sizes): Contestant[];
  /** It is measured so often where `--rounds` says nothing; 3 when not given. */
  rounds?: number;
}
