/** A page as the build leaves it, with a file beside it that must stay hidden. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome } from "./gateway.ts";

export function builtPage(): string {
  const dir = join(temporaryHome(), "dist");
  mkdirSync(join(dir, "assets"), { recursive: true });
  writeFileSync(join(dir, "index.html"), "<!doctype html><title>Mimikit</title>");
  writeFileSync(join(dir, "assets/app-1a2b.js"), "export {};");
  writeFileSync(join(dir, "assets/diagrams-1a2b.html"), "<!doctype html>");
  writeFileSync(join(dir, ".secret"), "hidden");
  return dir;
}
