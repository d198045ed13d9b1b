/** The files of hooks: each mistake is named with its line and costs no other hook, and nothing that stands in a file makes reading fail. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HOOK_FILE_BYTES_MAX, readHooks } from "@mimikit/runtime/hooks/read-hooks";
import { openDisk } from "@mimikit/store/disk/disk";
import { afterAll, beforeEach, expect, test } from "vitest";

const home = mkdtempSync(join(tmpdir(), "mimikit-hooks-"));
const fs = openDisk(home, "test");
const write = (name: string, text: string) => writeFileSync(join(home, "hooks", name), text);

beforeEach(() => {
  rmSync(join(home, "hooks"), { recursive: true, force: true });
  mkdirSync(join(home, "hooks"));
  write("good.yaml", "on: [task_done]\nrun: ['true']\n");
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

test.each([
  ["on: task_done\nurl: example.org\n", ":2", "url: must be an address that begins with http:// or https://"],
  ["on: task_done\nurl: file:///etc/passwd\n", ":2", "url: must be an address that begins with http:// or https://"],
  [
    "on: task_done\nurl: https://me:word@example.org/\n",
    ":2",
    "url: must not contain a password: use headers with {secret: NAME}",
  ],
  ["on: task_done\n\nrun: true\n", ":3", "run: must be a list, not true"],
  [
    "on: task_doen\nrun: ['true']\n",
    ":1",
    "on: must be one or more of: task_done, task_failed, question_asked, budget_reached, trigger_fired",
  ],
  ["on: task_done\nrun: ['true']\nurls: x\n", ":3", "urls: there is no field of this name"],
  ["on: task_done\n", "", "set either run (a command) or url (an address to call), not both"],
  [
    "on: task_done\nrun: ['true']\nurl: https://example.org/\n",
    "",
    "set either run (a command) or url (an address to call), not both",
  ],
  ["on: task_done\nurl: https://example.org/\ntimeout: 5\n", ":3", "timeout: is only for a hook with a command (run)"],
  ["on: task_done\nrun: ['true']\nsecret: x\n", ":3", "secret: is only for a hook with a url"],
  [
    "on: task_done\nurl: https://example.org/\nheaders:\n  Authorization: Bearer x\n",
    ":4",
    "headers.Authorization: must not be in this file: write {secret: NAME}, and keep the value with  mimikit hooks secret",
  ],
  [
    'on: task_done\nurl: https://example.org/\nheaders:\n  X-A: "a\\r\\nb"\n',
    ":4",
    "headers.X-A: must be printable ASCII",
  ],
  [
    "on: task_done\nurl: https://example.org/\nheaders:\n  webhook-id: x\n",
    ":4",
    "headers.webhook-id: this name cannot be used: this header is set by Mimikit",
  ],
  ["on: task_done\non: task_failed\nrun: ['true']\n", ":2", "Map keys must be unique"],
  ["on: [task_done\nrun: x\n", ":2", expect.any(String)],
  ["on: task_done\nrun: ['']\n", ":2", "run: must begin with the name of a program"],
  ["", "", expect.any(String)],
  ["just words", "", expect.any(String)],
  ["x".repeat(HOOK_FILE_BYTES_MAX + 1), "", `longer than ${HOOK_FILE_BYTES_MAX} bytes`],
])("%j is no hook, and it is said why, and where", async (text, line, reason) => {
  write("bad.yaml", text);
  const { hooks, problems } = await readHooks(fs);
  expect(hooks.map(({ name }) => name)).toEqual(["good"]);
  expect(problems).toEqual([{ place: `hooks/bad.yaml${line}`, reason, name: "bad" }]);
});

test("a name that is none, a link and a folder are no hooks; other files are the owner's own", async () => {
  write("Not A Name.yaml", "on: task_done\nrun: ['true']\n");
  write("notify.sh", "#!/bin/sh\n");
  symlinkSync(join(home, "hooks/good.yaml"), join(home, "hooks/linked.yaml"));
  mkdirSync(join(home, "hooks/folder.yaml"));
  const { hooks, problems } = await readHooks(fs);
  expect(hooks.map(({ name }) => name)).toEqual(["good"]);
  expect(problems.map(({ place, name }) => [place, name])).toEqual([
    ["hooks/Not A Name.yaml", null],
    ["hooks/folder.yaml", "folder"],
    ["hooks/linked.yaml", "linked"],
  ]);
});

test("whatever stands in a file, reading goes on: aliases without end, tags, bytes that are no text", async () => {
  const bomb = `a: &a [x, x]\n${Array.from({ length: 12 }, (_, i) => `b${i}: &b${i} [*${i === 0 ? "a" : `b${i - 1}`}, *${i === 0 ? "a" : `b${i - 1}`}]\n`).join("")}`;
  for (const [i, text] of [
    bomb,
    "on: !!js/function x",
    "on: *nothing",
    "- - - -",
    "%YAML 9.9\n---\n",
    "on: {on: {on: []}}",
    "\u0000",
  ].entries())
    write(`bad-${i}.yaml`, text);
  writeFileSync(join(home, "hooks/bytes.yaml"), Buffer.from([0xff, 0xfe, 0x00]));
  const { hooks, problems } = await readHooks(fs);
  expect(hooks.map(({ name }) => name)).toEqual(["good"]);
  expect(problems).toHaveLength(8);
});
