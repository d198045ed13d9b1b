/** After an update the gateway of the version before still runs, and answers in a way that this one does not know. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareHome } from "@mimikit/runtime/home/home";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../support/free-port.ts";
import { OLD_ANSWERS, type OldAnswer } from "../support/old-gateway.ts";
import { runCli } from "./run-cli.ts";

const OLD_GATEWAY = join(import.meta.dirname, "../support/old-gateway.ts");

/** A place of which an old gateway runs, and nothing else. */
async function servedBy(answer: OldAnswer) {
  const workDir = mkdtempSync(join(tmpdir(), "mimikit-old-"));
  const home = join(workDir, ".mimikit");
  prepareHome(home);
  const port = await freePort();
  const gateway = spawn(process.execPath, [OLD_GATEWAY, answer], {
    env: { ...process.env, MIMIKIT_HOME: home, MIMIKIT_PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    const gone = once(gateway, "exit");
    gateway.kill("SIGKILL");
    await gone;
    rmSync(workDir, { recursive: true, force: true });
  });
  await once(gateway.stdout, "data");
  return { home, workDir, url: `http://127.0.0.1:${port}` };
}

test.each(OLD_ANSWERS)(
  "doctor says that another version answers, and that a restart cures it, where it says %s",
  async (answer) => {
    const { url, ...place } = await servedBy(answer);
    const { out } = await runCli(place, ["doctor", "--json"]);
    const { checks } = JSON.parse(out) as { checks: { name: string }[] };
    expect(checks.find(({ name }) => name === "gateway")).toEqual({
      name: "gateway",
      level: "fail",
      message: expect.stringMatching(`^another version of Mimikit answers at ${url}`),
      next: "mimikit restart",
    });
  },
);

test.each(OLD_ANSWERS)("what needs the gateway says so in one line where it says %s", async (answer) => {
  const { url, ...place } = await servedBy(answer);
  const said = await runCli(place, ["status"]);
  expect(said).toMatchObject({ code: 1, out: "" });
  expect(said.error).toMatch(
    new RegExp(`^mimikit: another version of Mimikit answers at ${url}[^\\n]*: run {2}mimikit restart\\n$`),
  );
});
