/** Where Mimikit itself is, and the programs that it is made of: as sources, or as the bundles that scripts/build.mjs makes. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Programs that run as a process or a thread of their own, and code that several of them load. Each has a bundle of its name in dist/. */
export const PROGRAMS = {
  supervisor: "apps/supervisor/src/main.ts",
  "worker-pool": "apps/worker-pool/src/main.ts",
  "http-gateway": "apps/http-gateway/src/main.ts",
  channels: "apps/channels/src/main.ts",
  dispatcher: "apps/worker-pool/src/dispatcher/main.ts",
  "remote-pool": "apps/worker-pool/src/remote/main.ts",
  cli: "apps/cli/src/main.ts",
  "search-worker": "packages/memory/src/search/search-worker.ts",
  "extract-text": "packages/agent/src/documents/extract-text.ts",
  "read-page": "packages/agent/src/web/read-page.ts",
  "prepare-start": "scripts/prepare-start.ts",
  /** Loaded by each process that has a proxy: with a copy of undici in every bundle the package would be 0.3 MB larger. */
  "fetch-through": "packages/runtime/src/network/fetch-through.ts",
} as const;
export type Program = keyof typeof PROGRAMS;

const isBundled = !import.meta.url.endsWith(".ts");

/** The folder of package.json, ecosystem.config.cjs, the prompts and the page. */
export const ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

/** The file of a program. Bundles start bundles, sources start sources. */
export function programOf(name: Program): string {
  return join(ROOT, isBundled ? `dist/${name}.js` : PROGRAMS[name]);
}

/** A file of a package that Mimikit depends on, wherever npm has put it: `pm2/bin/pm2`. */
export function fileOfPackage(path: string): string {
  return createRequire(join(ROOT, "package.json")).resolve(path);
}

function rootAbove(dir: string): string {
  if (existsSync(join(dir, "ecosystem.config.cjs"))) return dir;
  const above = dirname(dir);
  if (above === dir) throw new Error("the files of Mimikit are not complete: ecosystem.config.cjs is missing");
  return rootAbove(above);
}
