/** Keeps what this version promises beside the tests, for those that come after it to be compared with (docs/RELEASING.md). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "@mimikit/runtime/home/version";
import { describeNames, describeOpenApi } from "./public-surface.ts";

const KEPT = join(import.meta.dirname, "../test/compatibility");

for (const [name, content] of Object.entries({ openapi: describeOpenApi(), names: await describeNames() }))
  writeFileSync(join(KEPT, `${name}-${VERSION}.json`), `${JSON.stringify(content, null, 2)}\n`);
