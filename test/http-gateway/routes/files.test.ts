/** The files that `GET /api/files` gives and those that it never gives, and the files that a task is said to have made. */
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Result } from "@mimikit/protocol/records/result";
import type { TaskFile, TaskFilesAnswer } from "@mimikit/protocol/wire/task-files";
import type { TranscriptLine } from "@mimikit/protocol/wire/transcript";
import { prepareHome } from "@mimikit/runtime/home/home";
import { createRecord } from "@mimikit/store/disk/record";
import { resultPath, runPath, transcriptPath } from "@mimikit/store/disk/state";
import { expect, onTestFinished, test } from "vitest";
import { type Answer, type Started, startGateway } from "../gateway.ts";
import { queue, resultOf, taskOf } from "../records.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const TASK = "t-000001.0";

/** A workspace with the state directory in it, and a folder beside it that is nobody's business. */
async function startIn(): Promise<Started & { workDir: string; beside: string }> {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-files-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const workDir = join(dir, "work");
  const beside = join(dir, "beside");
  const home = join(workDir, ".mimikit");
  mkdirSync(workDir);
  mkdirSync(beside);
  prepareHome(home);
  writeFileSync(join(beside, "private.txt"), "private");
  return { ...(await startGateway({ home, workDir })), workDir, beside };
}

const get = (gateway: Started, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  gateway.ask(`/api/files?path=${encodeURIComponent(path)}`, { headers });

test("a text is shown, a picture is shown, anything else is saved, and nothing in any of them may run", async () => {
  const gateway = await startIn();
  const files: [string, Buffer | string, string, RegExp][] = [
    ["report.md", "# Plants\n水\n", "text/plain; charset=utf-8", /^inline$/],
    ["page.html", "<script>alert(1)</script>", "text/plain; charset=utf-8", /^inline$/],
    [
      "drawing.svg",
      '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      "text/plain; charset=utf-8",
      /^inline$/,
    ],
    ["a.png", PNG, "image/png", /^inline$/],
    ["a.bin", Buffer.from([0, 1, 2, 3]), "application/octet-stream", /^attachment; filename="?a.bin"?$/],
    ["纸.pdf", "%PDF-1.7", "application/pdf", /^attachment; filename="\?\.pdf"; filename\*=UTF-8''%E7%BA%B8\.pdf$/],
    ["empty", "", "text/plain; charset=utf-8", /^inline$/],
    ["表.csv", Buffer.from("\xc4\xe3\xba\xc3,1", "latin1"), "text/plain; charset=gb18030", /^inline$/],
    ["excel.csv", Buffer.from("\ufeffa,b", "utf16le"), "text/plain; charset=utf-16le", /^inline$/],
  ];
  for (const [name, bytes, type, disposition] of files) {
    writeFileSync(join(gateway.workDir, name), bytes);
    const { status, headers, text } = await get(gateway, name);
    expect([name, status, headers["content-type"]]).toEqual([name, 200, type]);
    expect(headers["content-disposition"]).toMatch(disposition);
    expect(headers["content-security-policy"]).toBe("default-src 'none'; sandbox");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    if (typeof bytes === "string") expect(text).toBe(bytes);
  }
});

test("a long file comes whole, and a part of it where a part is asked for", async () => {
  const gateway = await startIn();
  const text = "水0123456".repeat(1_000_000);
  writeFileSync(join(gateway.workDir, "long.txt"), text);
  const whole = await get(gateway, "long.txt");
  expect([whole.status, whole.headers["content-length"]]).toEqual([200, "10000000"]);
  expect(whole.text === text).toBe(true);
  const part = await get(gateway, "long.txt", { Range: "bytes=3-9" });
  expect([part.status, part.text, part.headers["content-range"]]).toEqual([206, "0123456", "bytes 3-9/10000000"]);
  expect((await get(gateway, "long.txt", { Range: "bytes=99999999-" })).status).toBe(416);
  expect((await gateway.ask("/api/files?path=long.txt", { method: "HEAD" })).headers["content-length"]).toBe(
    "10000000",
  );
});

test("nothing outside of the workspace is given, however it is named, and nothing of any state directory", async () => {
  const gateway = await startIn();
  const { workDir, beside, home } = gateway;
  writeFileSync(join(home, "secrets.json"), "{}");
  writeFileSync(join(workDir, "plain.txt"), "plain");
  mkdirSync(join(workDir, "folder"));
  mkdirSync(join(workDir, ".mimikit.before-restore"));
  writeFileSync(join(workDir, ".mimikit.before-restore", "token"), "old");
  mkdirSync(join(workDir, "other", ".mimikit"), { recursive: true });
  writeFileSync(join(workDir, "other", ".mimikit", "token"), "other");
  symlinkSync(join(beside, "private.txt"), join(workDir, "out.txt"));
  symlinkSync(beside, join(workDir, "way-out"));
  symlinkSync(join(home, "token"), join(workDir, "token.txt"));
  symlinkSync("loop", join(workDir, "loop"));
  symlinkSync("plain.txt", join(workDir, "inside.txt"));
  execFileSync("mkfifo", [join(workDir, "pipe")]);
  mkdirSync(join(home, runPath(TASK, 1)), { recursive: true });
  writeFileSync(join(home, runPath(TASK, 1), "output.txt"), "printed");
  for (const path of [
    ...["../beside/private.txt", join(beside, "private.txt"), "/etc/passwd", "folder/../../beside/private.txt"],
    ...["out.txt", "way-out/private.txt", "token.txt", "loop", "pipe", "folder", ".", "", "/dev/zero", "missing.txt"],
    ...[".mimikit/token", ".mimikit/secrets.json", join(home, "token"), "./folder/../.mimikit/token"],
    ...[".mimikit.before-restore/token", "other/.mimikit/token", "plain.txt\0", "\0"],
    ...[`.mimikit/${runPath(TASK, 1)}/output.txt`, "a".repeat(300), "%2e%2e/beside/private.txt"],
  ]) {
    const { status, text } = await get(gateway, path);
    expect([path, [400, 404].includes(status)]).toEqual([path, true]);
    expect(text).not.toMatch(/^(private|old|other|printed)/);
  }
  for (const query of ["path=%2e%2e%2fbeside%2fprivate.txt", "path=plain.txt&path=..", "path[]=plain.txt", ""])
    expect([400, 404]).toContain((await gateway.ask(`/api/files?${query}`)).status);
  expect((await get(gateway, "inside.txt")).text).toBe("plain");
  expect((await gateway.ask("/api/files?path=plain.txt", { signedIn: false })).status).toBe(401);
});

test("of the state directory a task gives what it printed, and nothing of another task or of the pool", async () => {
  const gateway = await startIn();
  const { home } = gateway;
  const runs = [runPath(TASK, 1), runPath(`${TASK}.1`, 1), runPath("t-000002.0", 1)].map((path) => join(home, path));
  for (const run of runs) {
    mkdirSync(run, { recursive: true });
    for (const name of ["output.txt", "tools.json"]) writeFileSync(join(run, name), `${name} of ${run}`);
  }
  const [own = "", below = "", foreign = ""] = runs;
  linkSync(join(own, "output.txt"), join(own, "bash-1.txt"));
  symlinkSync(join(home, "token"), join(own, "token.txt"));
  const ask = (path: string) => gateway.ask(`/api/files?path=${encodeURIComponent(path)}&task=${TASK}`);
  expect((await ask(join(own, "output.txt"))).text).toBe(`output.txt of ${own}`);
  for (const path of [
    ...[join(own, "tools.json"), join(own, "token.txt"), join(below, "output.txt"), join(foreign, "output.txt")],
    ...[join(home, "token"), `${own}/../../token`, own],
  ])
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
});

test("a task's files are what its tools wrote, with what they replaced, what its commands wrote meanwhile, and its output", async () => {
  const gateway = await startIn();
  const { workDir, home, fs } = gateway;
  const start = Date.parse("2026-11-21T12:00:00.000Z");
  const at = (sec: number) => new Date(start + sec * 1_000);
  const write = (name: string, sec: number) => {
    writeFileSync(join(workDir, name), `${name}\n`);
    utimesSync(join(workDir, name), at(sec), at(sec));
  };
  write("read.txt", -3_600);
  for (const name of ["new.md", "edited.ts", "report.txt", "patched.md"]) write(name, 5);
  mkdirSync(join(home, runPath(TASK, 1)), { recursive: true });
  const artifact = join(home, runPath(TASK, 1), "output.txt");
  writeFileSync(artifact, "all of it");
  let calls = 0;
  const call = (tool: string, input: string, text: string, ok = true): TranscriptLine[] => {
    const id = String(++calls);
    const when = at(calls).toISOString();
    return [
      { type: "call", at: when, id, tool, input },
      { type: "output", at: when, id, ok, text },
    ];
  };
  const edit = { path: "edited.ts", oldText: "const a = 1;", newText: "const a = 2;" };
  const lines: TranscriptLine[] = [
    { type: "begin", at: at(0).toISOString(), attempt: 1 },
    ...call("write_text_file", JSON.stringify({ path: "new.md", content: "x" }), "created new.md (1 bytes)"),
    ...call("edit_text_file", JSON.stringify({ path: "new.md", oldText: "x", newText: "y" }), "edited new.md"),
    ...call("edit_text_file", JSON.stringify(edit), "edited edited.ts"),
    ...call(
      "Edit",
      JSON.stringify({ file_path: join(workDir, "edited.ts"), old_string: "b", new_string: "c" }),
      "done",
    ),
    ...call("edit_text_file", JSON.stringify({ ...edit, path: "read.txt" }), "oldText does not occur", false),
    ...call("file_change", "update patched.md, delete gone, with comma.txt", ""),
    ...call("bash", "cat read.txt | tee -a 'report.txt' > /dev/null && cat ../beside/private.txt", ""),
    ...call("Write", '{"file_path":"/etc/passwd","content":"x\n… (9 characters) …', "File created"),
  ];
  writeFileSync(join(home, transcriptPath(TASK)), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const task = await queue(fs, taskOf(TASK));
  const ended = { startedAt: at(0).toISOString(), completedAt: at(60).toISOString() };
  await createRecord(
    fs,
    Result,
    resultPath(task.role, task.id),
    resultOf(task, { ...ended, result: { text: "it", artifact } }),
  );
  const { files } = (await gateway.ask(`/api/tasks/${TASK}/files`)).json as TaskFilesAnswer;
  const told = (one: TaskFile) => [
    one.path,
    one.change,
    one.bytes,
    one.edits.map(({ before, after }) => `${before}→${after}`),
  ];
  expect(files.map(told)).toEqual([
    ["new.md", "made", 7, ["x→y"]],
    ["edited.ts", "changed", 10, ["const a = 1;→const a = 2;", "b→c"]],
    ["patched.md", "changed", 11, []],
    ["gone, with comma.txt", "deleted", null, []],
    ["report.txt", "changed", 11, []],
    [`.mimikit/${runPath(TASK, 1)}/output.txt`, "output", 9, []],
  ]);
  expect((await gateway.ask("/api/tasks/t-000009.0/files")).status).toBe(404);
});
