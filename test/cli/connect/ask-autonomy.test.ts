/** The first start asks once how much may be done without asking, where a person is there to answer. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askAutonomy } from "../../../apps/cli/src/connect/ask-autonomy.ts";
import { temporaryHome } from "../../runtime/temporary-home.ts";

function terminal(typed: string | null, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  if (typed === null) input.end();
  else input.write(`${typed}\n`);
  return { terminal: { input, output }, said: () => String(output.read() ?? "") };
}

const fileOf = (home: string) => {
  const path = join(home, "config.yaml");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};

test("what is typed is saved, and is not asked again; an empty answer is workspace", async () => {
  for (const [typed, saved] of [
    ["full", "full"],
    ["ASK", "ask"],
    ["", "workspace"],
  ] as const) {
    const home = temporaryHome();
    expect(await askAutonomy(home, {}, terminal(typed).terminal)).toBe(saved);
    expect(fileOf(home)).toContain(`autonomy: ${saved}`);
    const again = terminal("ask");
    expect(await askAutonomy(home, {}, again.terminal)).toBeNull();
    expect(again.said()).toBe("");
  }
});

test("another answer, or a terminal that closes, leaves it to the page", async () => {
  for (const typed of ["perhaps", null]) {
    const home = temporaryHome();
    const at = terminal(typed);
    expect(await askAutonomy(home, {}, at.terminal)).toBeNull();
    expect(fileOf(home)).toBe("");
  }
});

test("nobody is asked without a terminal, in CI, or where it is set already", async () => {
  const home = temporaryHome();
  const silent = async (at: ReturnType<typeof terminal>, env: Record<string, string> = {}) => {
    expect(await askAutonomy(home, env, at.terminal)).toBeNull();
    expect(at.said()).toBe("");
  };
  await silent(terminal("full", false));
  await silent(terminal("full"), { CI: "true" });
  await silent(terminal("full"), { MIMIKIT_AUTONOMY: "ask" });
  writeFileSync(join(home, "config.yaml"), "autonomy: ask\n");
  await silent(terminal("full"));
});
