/** Files that the command line sends along, by a real process. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InboxCommand } from "@mimikit/protocol/records/inbox";
import { attachmentPath } from "@mimikit/store/disk/state";
import { expect, onTestFinished, test } from "vitest";
import { Instance } from "../support/instance.ts";
import { runCli, startCli } from "./run-cli.ts";

/** A state directory in which nothing runs, and a picture beside it. */
function prepare() {
  const dir = mkdtempSync(join(tmpdir(), "mimikit-cli-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const [home, workDir] = [join(dir, "home"), join(dir, "work")];
  mkdirSync(workDir);
  const picture = join(dir, "my shot.png");
  writeFileSync(picture, "\x89PNG\r\n\x1a\n pixels", "latin1");
  return { home, workDir, picture, dir };
}

test("a message takes files along while nothing runs, and says their names where it says nothing else", async () => {
  const { picture, dir, ...place } = prepare();
  const notes = join(dir, "notes.md");
  writeFileSync(notes, "# notes\n");
  const said = await runCli(place, ["send", "--attach", picture, "--attach", notes]);
  expect(said).toMatchObject({ code: 0, error: "" });
  const [name = ""] = readdirSync(join(place.home, "inbox"));
  const command = InboxCommand.parse(JSON.parse(readFileSync(join(place.home, "inbox", name), "utf8")));
  expect(command).toMatchObject({
    kind: "message",
    text: "my shot.png, notes.md",
    attachments: [
      { type: "image/png", bytes: 15, name: "my shot.png" },
      { type: "text/plain", bytes: 8, name: "notes.md" },
    ],
  });
  const id = command.kind === "message" ? (command.attachments?.[0]?.id ?? "") : "";
  expect(readFileSync(join(place.home, attachmentPath(id)))).toEqual(readFileSync(picture));
});

test("a file that cannot be taken is named, and nothing is sent", async () => {
  const { picture, dir, ...place } = prepare();
  const empty = join(dir, "empty");
  writeFileSync(empty, "");
  const files = ["--attach", picture, "--attach", empty];
  const refused = await runCli(place, ["send", ...files, "look", "here"]);
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.error).toContain(`${empty}: the file is empty`);
  expect(readdirSync(join(place.home, "inbox"))).toEqual([]);
});

test("in the chat a file goes along with the next message, and one that cannot be taken changes nothing", async () => {
  const { picture, dir } = prepare();
  const served = await Instance.start({ roles: ["gateway"] });
  onTestFinished(() => served.dispose());
  await served.until("the gateway answers", () => served.api("/api/status"));
  const chat = startCli(served, ["chat"]);
  chat.stdin.write(`/attach ${join(dir, "missing.png")}\n/attach ${picture}\nwhat is this?\n`);
  const [message] = await served.until("the message is there", async () => {
    const messages = await served.messages();
    return messages.length > 0 ? messages : undefined;
  });
  expect(message).toMatchObject({ text: "what is this?", attachments: [{ name: "my shot.png", type: "image/png" }] });
});
