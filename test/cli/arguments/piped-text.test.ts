/** The pipe on standard input, by the real command line as a process of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { attachmentPath } from "@mimikit/store/disk/state";
import { expect, onTestFinished, test } from "vitest";
import { CLI } from "../../support/programs.ts";
import { runCli, startCli } from "../run-cli.ts";

const DIFF = "-\tone\n+\ttwo `three`\n";

/** A place in which nothing runs. */
function emptyPlace() {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-piped-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return { home: join(dir, "home"), workDir: dir };
}

/** The records that were left for the supervisor, the oldest first. */
function handedOver({ home }: { home: string }) {
  const inbox = join(home, "inbox");
  return readdirSync(inbox)
    .map((name) => InboxCommand.parse(JSON.parse(readFileSync(join(inbox, name), "utf8"))))
    .toSorted((a, b) => a.at.localeCompare(b.at));
}

/** The files of the only message, as bytes, by name. */
function filesOf(place: { home: string }): Record<string, Buffer> {
  const [command] = handedOver(place);
  const files = command?.kind === "message" ? (command.attachments ?? []) : [];
  return Object.fromEntries(files.map(({ id, name }) => [name, readFileSync(join(place.home, attachmentPath(id)))]));
}

/** Runs a line of bash in which `mimikit` is the command line. */
async function bash(place: { home: string; workDir: string }, line: string) {
  const env = { ...process.env, MIMIKIT_HOME: place.home, MIMIKIT_WORK_DIR: place.workDir };
  const script = `mimikit() { '${process.execPath}' '${CLI}' "$@"; }\n${line}`;
  const shell = spawn("bash", ["-c", script], { env, cwd: place.workDir, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void shell.kill("SIGKILL"));
  const [out, error] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, "close")]);
  return { code: shell.exitCode, out, error };
}

test("words and a pipe go together, and of the pipe every tab and backtick", async () => {
  const place = emptyPlace();
  expect(await runCli(place, ["send", "review", "this"], DIFF)).toMatchObject({ code: 0 });
  expect(handedOver(place)).toMatchObject([{ kind: "message", text: `review this\n\n\`\`\`\n${DIFF}\`\`\`` }]);
});

test("a fence inside the pipe does not end the quotation", async () => {
  const place = emptyPlace();
  await runCli(place, ["send", "review"], "```\nrun `date`\n```\n");
  expect(handedOver(place)).toMatchObject([{ text: "review\n\n````\n```\nrun `date`\n```\n````" }]);
});

test("a dash at the end reads the pipe, too: alone it is the message, behind words it is quoted", async () => {
  const place = emptyPlace();
  await runCli(place, ["send", "-"], "\tindented\n");
  await runCli(place, ["send", "review", "this", "-"], DIFF);
  expect(handedOver(place).map((command) => ("text" in command ? command.text : ""))).toEqual([
    "\tindented",
    `review this\n\n\`\`\`\n${DIFF}\`\`\``,
  ]);
});

test("a long pipe is attached whole beside words, and a very long one also without", async () => {
  const long = `${"\tline\n".repeat(2_000)}`;
  const place = emptyPlace();
  await runCli(place, ["send", "review", "this"], long);
  expect(handedOver(place)).toMatchObject([{ text: "review this", attachments: [{ type: "text/plain" }] }]);
  expect(filesOf(place)).toEqual({ "pipe.txt": Buffer.from(long) });

  const alone = emptyPlace();
  await runCli(alone, ["send"], long.repeat(10));
  expect(handedOver(alone)).toMatchObject([{ text: "pipe.txt" }]);
  expect(filesOf(alone)).toEqual({ "pipe.txt": Buffer.from(long.repeat(10)) });
});

test("a pipe that is no text is an attached file, with and without words", async () => {
  const picture = Buffer.from("\x89PNG\r\n\x1a\n pixels\0\xff", "latin1");
  for (const words of [["what", "is", "it"], []]) {
    const place = emptyPlace();
    const child = startCli(place, ["send", ...words]);
    child.stdin.end(picture);
    await once(child, "close");
    expect(handedOver(place)).toMatchObject([{ text: words.join(" ") || "pipe.png" }]);
    expect(filesOf(place)).toEqual({ "pipe.png": picture });
  }
});

test("a pipe goes along with files, and is no longer dropped for them", async () => {
  const place = emptyPlace();
  const notes = join(place.workDir, "notes.md");
  writeFileSync(notes, "# notes\n");
  await runCli(place, ["send", "--attach", notes], "look\n");
  await runCli(place, ["send", "--attach", notes, "look"], DIFF);
  expect(handedOver(place)).toMatchObject([
    { text: "look", attachments: [{ name: "notes.md" }] },
    { text: `look\n\n\`\`\`\n${DIFF}\`\`\``, attachments: [{ name: "notes.md" }] },
  ]);
});

test("every other text takes the pipe along, and refuses by name what is too long for it", async () => {
  const place = emptyPlace();
  const quoted = `\n\n\`\`\`\n${DIFF}\`\`\``;
  await runCli(place, ["steer", "mind", "this"], DIFF);
  await runCli(place, ["memory", "add", "the", "diff"], DIFF);
  await runCli(place, ["triggers", "add", "--every", "2h", "review"], DIFF);
  await runCli(place, ["triggers", "add", "--every", "2h"], "what comes\n");
  expect(handedOver(place)).toMatchObject([
    { kind: "steer", text: `mind this${quoted}` },
    { kind: "memory-add", content: `the diff${quoted}` },
    { kind: "trigger-put", definition: { order: { prompt: `review${quoted}` } } },
    { kind: "trigger-put", definition: { order: { prompt: "what comes" } } },
  ]);
  const long = await runCli(place, ["steer", "mind", "this"], "x".repeat(70_000));
  expect(long).toMatchObject({ code: 2, out: "" });
  expect(long.error).toContain("this one has 70019");
  const binary = await runCli(place, ["steer", "mind", "this"], "\0");
  expect(binary).toMatchObject({ code: 2, out: "" });
  expect(binary.error).toContain("not text");
  expect(handedOver(place)).toHaveLength(4);
});

test("an empty pipe, a closed one and none are the same: the words are sent alone, at once", async () => {
  for (const from of ["< /dev/null", "<&-", "< /dev/zero", "< .", "< empty"]) {
    const place = emptyPlace();
    writeFileSync(join(place.workDir, "empty"), "");
    expect(await bash(place, `mimikit send hello there ${from}`), from).toMatchObject({ code: 0, error: "" });
    expect(handedOver(place), from).toMatchObject([{ text: "hello there" }]);
  }
});

test("a pipe that nobody writes to holds nothing up, and it is said that it was not read", async () => {
  const place = emptyPlace();
  const child = startCli(place, ["send", "hello", "there"]);
  const [error] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(child.exitCode).toBe(0);
  expect(error).toContain("nothing came through the pipe");
  expect(handedOver(place)).toMatchObject([{ text: "hello there" }]);
});

test.runIf(process.platform === "linux")(
  "a command that takes its time to write into the pipe is waited for",
  async () => {
    const place = emptyPlace();
    expect(await bash(place, "{ sleep 5; echo late; } | mimikit send review this")).toMatchObject({ code: 0 });
    expect(handedOver(place)).toMatchObject([{ text: "review this\n\n```\nlate\n```" }]);
  },
);

test.runIf(process.platform === "linux")("a loop over a file is left the lines that it has not read yet", async () => {
  const place = emptyPlace();
  writeFileSync(join(place.workDir, "list"), "one\ntwo\nthree\n");
  const { code, error } = await bash(place, 'while read -r each; do mimikit send "$each"; done < list');
  expect(code).toBe(0);
  expect(handedOver(place)).toMatchObject([{ text: "one" }, { text: "two" }, { text: "three" }]);
  expect(error).toContain("the rest of the file on standard input is not sent");
});

test("a whole file on standard input goes along", async () => {
  const place = emptyPlace();
  writeFileSync(join(place.workDir, "list"), DIFF);
  await bash(place, "mimikit send review this < list");
  expect(handedOver(place)).toMatchObject([{ text: `review this\n\n\`\`\`\n${DIFF}\`\`\`` }]);
});
