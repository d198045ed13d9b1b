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
  ["on: task_done\nurl: example.org\n", ":2", "url: an address that begins with http:// or https://"],
  ["on: task_done\nurl: file:///etc/passwd\n", ":2", "url: an address that begins with http:// or https://"],
  [
    "on: task_done\nurl: https://me:word@example.org/\n",
    ":2",
    "url: no password in an address: use headers with {secret: NAME}",
  ],
  ["on: task_done\n\nrun: true\n", ":3", "run: Invalid input: expected array, received boolean"],
  [
    "on: task_doen\nrun: ['true']\n",
    ":1",
    "on: one or more of task_done, task_failed, question_asked, budget_reached, trigger_fired",
  ],
  ["on: task_done\nrun: ['true']\nurls: x\n", ":3", 'urls: Unrecognized key: "urls"'],
  ["on: task_done\n", "", "say either run (a command) or url (an address to call), and not both"],
  [
    "on: task_done\nrun: ['true']\nurl: https://example.org/\n",
    "",
    "say either run (a command) or url (an address to call), and not both",
  ],
  ["on: task_done\nurl: https://example.org/\ntimeout: 5\n", ":3", "timeout: only a command has a timeout"],
  ["on: task_done\nrun: ['true']\nsecret: x\n", ":3", "secret: only a call of a url is signed"],
  [
    "on: task_done\nurl: https://example.org/\nheaders:\n  Authorization: Bearer x\n",
    ":4",
    "headers.Authorization: a secret does not belong into this file: write {secret: NAME}",
  ],
  [
    'on: task_done\nurl: https://example.org/\nheaders:\n  X-A: "a\\r\\nb"\n',
    ":4",
    "headers.X-A: a header has printable ASCII only",
  ],
  [
    "on: task_done\nurl: https://example.org/\nheaders:\n  webhook-id: x\n",
    ":4",
    "headers.webhook-id: Invalid key in record",
  ],
  ["on: task_done\non: task_failed\nrun: ['true']\n", ":2", "Map keys must be unique"],
  ["on: [task_done\nrun: x\n", ":2", expect.any(String)],
  ["on: task_done\nrun: ['']\n", ":2", "run: the first word is the program"],
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
