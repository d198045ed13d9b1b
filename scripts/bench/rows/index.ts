/** The rows of the bench, in the order in which they are measured. */
import { HELLO_ROWS } from "./hello.ts";
import { LIFE_ROWS } from "./life.ts";
import { POOL_ROWS } from "./pools.ts";
import { QUEUE_ROWS } from "./queues.ts";
import type { Row } from "./row.ts";
import { SEARCH_ROWS } from "./search.ts";
import { TRIGGER_ROWS } from "./triggers.ts";

export const ROWS: readonly Row[] = [
  ...QUEUE_ROWS,
  ...HELLO_ROWS,
  ...TRIGGER_ROWS,
  ...LIFE_ROWS,
  ...SEARCH_ROWS,
  ...POOL_ROWS,
];
