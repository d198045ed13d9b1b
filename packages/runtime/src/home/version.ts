/** The version of Mimikit that this process runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "./programs.ts";

const manifest = join(ROOT, "package.json");

export const VERSION = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, "utf8"))).version;
