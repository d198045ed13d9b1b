import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The file of a program in PATH; null where there is none. */
export function findProgram(name: string): string | null {
  const places = (process.env.PATH ?? "").split(delimiter).filter((dir) => dir !== "");
  return places.map((dir) => join(dir, name)).find((path) => existsSync(path)) ?? null;
}
