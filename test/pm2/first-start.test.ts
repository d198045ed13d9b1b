/** The first start at a terminal, on a machine without a sandbox: the question about autonomy, and the line that follows from the answer. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { BUBBLEWRAP, findRequired } from "@mimikit/runtime/requirements";
import { expect, test } from "vitest";
import { hasTerminals, openTerminal } from "../cli/terminal.ts";
import { instance } from "./pm2-instance.ts";

/** PATH as it is, but for the programs of a requirement: folders that have one are replaced by links to all the rest in them. */
function pathWithout(programs: readonly string[], folder: string): string {
  const shorter = (process.env.PATH ?? "").split(delimiter).flatMap((directory, at) => {
    const names = listed(directory);
    if (!programs.some((name) => names.includes(name))) return [directory];
    const links = join(folder, String(at));
    mkdirSync(links, { recursive: true });
    for (const name of names) if (!programs.includes(name)) symlinkSync(join(directory, name), join(links, name));
    return [links];
  });
  return shorter.join(delimiter);
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

test.skipIf(!hasTerminals)(
  "the first start asks at a terminal how much a model may do, and says what that means where bubblewrap is missing",
  { timeout: 90_000 },
  async () => {
    const made = await instance("work");
    const PATH = pathWithout(BUBBLEWRAP.programs, join(made.workDir, "../programs"));
    expect(findRequired(BUBBLEWRAP, { PATH })).toBeNull();
    const env = { PATH, MIMIKIT_PORT: String(made.port), MIMIKIT_PROVIDER: "offline" };
    const terminal = openTerminal(made, ["up"], env);
    await terminal.shows("How much may a model do here without asking you?");
    await terminal.shows("[workspace]");
    terminal.type("full\r");
    await terminal.shows("is running");
    await terminal.shows(
      "! bubblewrap is missing: there is no sandbox, so a model's commands run with all your rights",
    );
    expect(await terminal.ended()).toBe(0);
    expect(readFileSync(join(made.home, "config.yaml"), "utf8")).toContain("autonomy: full");

    // It is asked once.
    const again = openTerminal(made, ["up"], env);
    await again.shows("is already running");
    expect(await again.ended()).toBe(0);
    expect(again.raw()).not.toContain("How much may a model do");
    expect(again.raw()).toContain("bubblewrap is missing");
  },
);
