/** Promises of hints: a command that is copied from one works in the shell that it was printed in. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "./run-cli.ts";

test("names the command as this shell finds it: by its path where it is not in PATH", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mimikit-hints-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = { home: join(folder, "home"), workDir: folder };
  const known = await runCli(place, ["status"]);
  expect(known.error).toMatch(/ {2}mimikit up/);
  const unknown = await runCli(place, ["status"], "", { PATH: "/usr/bin:/bin" });
  const [, command = ""] = / {2}(\S+|'.+') up/.exec(unknown.error) ?? [];
  expect(command).not.toBe("mimikit");
  expect(execFileSync("sh", ["-c", `${command} --version`], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
});
