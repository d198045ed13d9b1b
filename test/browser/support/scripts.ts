/** Which scripts of the built page belong together, as the files themselves say. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Matches static imports, and dynamic imports of English words: a script runs only when it has these. */
const NEEDED = /(?:from|import)\s*["']\.\/([^"']+\.js)["']|import\([`"']\.\/(en-[^`"']+\.js)[`"']\)/g;

/** Matches all dynamic imports. */
const LOADED = /import\([`"']\.\/([^`"']+\.js)[`"']\)/g;

/** The names of these scripts in `assets/`, and of all that they need before they run. */
export async function scriptsOf(dist: string, names: Iterable<string>): Promise<Set<string>> {
  const found = new Set(names);
  for (const name of found) {
    const text = await readFile(join(dist, "assets", name), "utf8");
    for (const [, imported, spoken] of text.matchAll(NEEDED)) found.add(imported ?? spoken ?? "");
  }
  return found;
}

/** The scripts that the page names itself: those that are asked for at first. */
export async function entriesOf(dist: string): Promise<string[]> {
  const page = await readFile(join(dist, "index.html"), "utf8");
  return [...page.matchAll(/<script[^>]+src="\.\/assets\/([^"]+\.js)"/g)].map(([, name = ""]) => name);
}

/** The scripts that these load later, by the names of what is in them: `memory` for `memory-BnCqVBWf.js`. */
export async function laterScripts(
  dist: string,
  scripts: Iterable<string>,
  names: readonly string[],
): Promise<string[]> {
  const texts = await Promise.all([...scripts].map((name) => readFile(join(dist, "assets", name), "utf8")));
  const loaded = texts.flatMap((text) => [...text.matchAll(LOADED)].map(([, name = ""]) => name));
  return names.map((name) => {
    const found = loaded.filter((each) => each.startsWith(`${name}-`));
    if (found.length !== 1) throw new Error(`${name} is one of ${found.join(", ") || "no scripts"}`);
    return found[0] ?? "";
  });
}
