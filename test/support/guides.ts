/** The AGENTS.md and the CLAUDE.md of the workspace as a Worker is shown them, with any provider. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Instance } from "./instance.ts";
import { call, type Player, section } from "./main-job.ts";
import { type ModelRequest, ModelServer } from "./model-server.ts";

function countIn(request: ModelRequest, text: string): number {
  return JSON.stringify(request.body).split(text).length - 1;
}

export function describeGuides({ settings }: Pick<Player, "settings">): void {
  /** Everything that was asked of the model, by role, while one task was done in a workspace that `fill` has made. */
  async function workIn(fill: (workDir: string, home: string) => void) {
    const model = await ModelServer.start({
      teller: (request) => {
        if (section("results", request) !== "") return { say: "It is done." };
        return request.turn === 0 ? call("delegate", { prompt: "Look around." }) : { say: "I am on it." };
      },
      planner: ({ turn }) => (turn === 0 ? call("delegate", { prompt: "Look around." }) : { say: "" }),
      // A second request, so that what a CLI adds after a first call is seen too.
      worker: ({ results }) =>
        results.length === 0 ? { calls: [{ shell: "cat sub/notes.txt" }] } : { say: "nothing" },
    });
    onTestFinished(() => model.close());
    const mimikit = await Instance.start({ env: settings(model) });
    onTestFinished(() => mimikit.dispose());
    mkdirSync(join(mimikit.workDir, "sub"));
    writeFileSync(join(mimikit.workDir, "sub/notes.txt"), "a note\n");
    fill(mimikit.workDir, mimikit.home);
    await mimikit.send("Look around.");
    await mimikit.replyWith("It is done.");
    return model;
  }

  test("both are shown to a Worker once, as what the workspace says, and to nobody else", async () => {
    const model = await workIn((workDir) => {
      writeFileSync(join(workDir, "AGENTS.md"), "agents-canary: tabs here\n");
      writeFileSync(join(workDir, "CLAUDE.md"), "claude-canary: no tabs there\n");
    });
    const asked = model.of("worker");
    expect(asked.length).toBeGreaterThan(1);
    for (const request of asked) {
      expect([countIn(request, "agents-canary"), countIn(request, "claude-canary")]).toEqual([1, 1]);
      expect(section("guides", request)).toMatch(
        /^- file: AGENTS\.md\n {4}agents-canary.*\n- file: CLAUDE\.md\n {4}claude-canary/,
      );
    }
    expect(JSON.stringify([model.of("teller"), model.of("planner")])).not.toMatch(/(agents|claude)-canary/);
  });

  test("one that is the other by a link is shown once, and one that leads into the state directory never", async () => {
    const model = await workIn((workDir) => {
      writeFileSync(join(workDir, "CLAUDE.md"), "claude-canary\n");
      symlinkSync("CLAUDE.md", join(workDir, "AGENTS.md"));
    });
    for (const request of model.of("worker")) expect(countIn(request, "claude-canary")).toBe(1);
    const other = await workIn((workDir, home) => {
      writeFileSync(join(home, "secret.md"), "state-canary\n");
      symlinkSync(join(home, "secret.md"), join(workDir, "AGENTS.md"));
      symlinkSync("AGENTS.md", join(workDir, "CLAUDE.md"));
    });
    expect(JSON.stringify(other.requests)).not.toContain("state-canary");
    expect(other.of("worker").map((request) => section("guides", request))).not.toContain(
      expect.stringContaining("- "),
    );
  });
}
