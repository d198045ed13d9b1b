/** The version of Mimikit that this process runs. */
import { readFileSync } from "node:fs";
import { z } from "zod";

const manifest = new URL("../../../../package.json", import.meta.url);

export const VERSION = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(manifest, "utf8"))).version;
