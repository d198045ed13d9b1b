import { chooseWorkDir, type WorkDirSources } from "@mimikit/runtime/home/work-dir";
import { expect, test } from "vitest";

const called = (calledIn: string, more: Partial<WorkDirSources> = {}): WorkDirSources => ({
  named: undefined,
  calledIn,
  program: "/home/ann/src/mimikit",
  userHome: "/home/ann",
  ...more,
});
const none = () => false;

test("the workspace is where Mimikit is called, whatever is beside or around its own folder", () => {
  for (const dir of ["/home/ann/work", "/home/ann/src", "/home/ann/src/mimikit-2", "/home/ann/src/..mimikit", "/"])
    expect(chooseWorkDir(called(dir), none)).toEqual({ workDir: dir, chosen: "here" });
});

test("called in Mimikit's own folder, the workspace is ~/mimikit", () => {
  for (const dir of ["/home/ann/src/mimikit", "/home/ann/src/mimikit/docs", "/home/ann/src/mimikit/..docs"])
    expect(chooseWorkDir(called(dir), none)).toEqual({ workDir: "/home/ann/mimikit", chosen: "apart" });
});

test("where ~/mimikit is Mimikit's own folder, the workspace is ~/mimikit-workspace", () => {
  expect(chooseWorkDir(called("/home/ann/mimikit/docs", { program: "/home/ann/mimikit" }), none)).toEqual({
    workDir: "/home/ann/mimikit-workspace",
    chosen: "apart",
  });
});

test("a state that is in Mimikit's own folder from before is still used, the nearest first", () => {
  const docs = "/home/ann/src/mimikit/docs";
  const program = "/home/ann/src/mimikit";
  expect(chooseWorkDir(called(docs), (dir) => dir === program)).toEqual({ workDir: program, chosen: "kept" });
  expect(chooseWorkDir(called(docs), () => true)).toEqual({ workDir: docs, chosen: "kept" });
});

test("what MIMIKIT_WORK_DIR names is the workspace, also Mimikit's own folder; an empty one names nothing", () => {
  const program = "/home/ann/src/mimikit";
  expect(chooseWorkDir(called("/", { named: program }), none)).toEqual({ workDir: program, chosen: "named" });
  expect(chooseWorkDir(called("/tmp", { named: "" }), none)).toEqual({ workDir: "/tmp", chosen: "here" });
});
