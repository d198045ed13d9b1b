/** A missing program is reported with the loss, and with the command that installs it here. */
import { Config } from "@mimikit/runtime/config/config";
import { sandboxHint } from "@mimikit/runtime/platform/probe-sandbox";
import { systemIn } from "@mimikit/runtime/platform/system";
import { BUBBLEWRAP, installHint, missingOf, REQUIREMENTS } from "@mimikit/runtime/requirements";
import { expect, test } from "vitest";

const NOTHING = { PATH: "/nowhere" };

test.each([
  ['ID=debian\nVERSION_ID="12"', "debian"],
  ["ID=ubuntu\nID_LIKE=debian", "debian"],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"', "fedora"],
  ["NAME=Manjaro\nID=manjaro\nID_LIKE=arch", "arch"],
  ["ID=alpine", null],
])("a system that says %j installs as %s does", (release, system) => {
  expect(systemIn(release)).toBe(system);
});

test("the command is that of the system, and of each where it is not known", () => {
  expect(installHint(BUBBLEWRAP, "fedora")).toBe("install bubblewrap: sudo dnf install bubblewrap");
  expect(installHint(BUBBLEWRAP, "macos")).toBe("there is no bubblewrap for macOS");
  expect(installHint(BUBBLEWRAP, null)).toMatch(
    /^install bubblewrap \(Debian, Ubuntu: sudo apt-get .*Arch: sudo pacman/,
  );
});

test("what nothing needs is not missed", async () => {
  expect(await missingOf(Config.parse({}), NOTHING)).toEqual([
    expect.stringMatching(/^bubblewrap is missing: .+ you are asked before each command of a model; install /),
  ]);
  expect(await missingOf(Config.parse({ autonomy: "full" }), NOTHING)).toEqual([
    expect.stringMatching(/^bubblewrap is missing: .+ all your rights; install /),
  ]);
  const off = expect.stringMatching(
    / you are asked before each command of a model .*; mimikit config set sandbox auto$/,
  );
  expect(await missingOf(Config.parse({ sandbox: "off" }), NOTHING)).toEqual([off]);
  expect(await missingOf(Config.parse({ sandbox: "off", selfImprove: { enabled: true } }), NOTHING)).toEqual([
    off,
    expect.stringMatching(/^git is missing: self-improvement does not run/),
  ]);
  expect(await missingOf(Config.parse({ selfImprove: { enabled: true } }), process.env)).toEqual([]);
});

test("each names who needs it, what is lost, and a package for every Linux whose command is known", () => {
  for (const { neededBy, without, packages } of REQUIREMENTS) {
    expect(neededBy).not.toBe("");
    expect(without).not.toBe("");
    expect([packages.debian, packages.fedora, packages.arch]).not.toContain(null);
  }
});

test("what keeps a sandbox from working is mended by the command for it, where the kernel says what it is", () => {
  const ofUbuntu = (name: string) => (name === "kernel.apparmor_restrict_unprivileged_userns" ? "1" : null);
  expect(sandboxHint(ofUbuntu)).toBe(
    "let bubblewrap make user namespaces: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
  );
  expect(sandboxHint(() => null)).toBe("let bubblewrap make user namespaces: docs/security.md#the-shell-of-a-worker");
});
