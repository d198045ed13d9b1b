/** A command is signed as it will be read, and is there once. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCommand } from "@mimikit/store/disk/create-command";
import { isSigned } from "@mimikit/store/disk/sign";
import { inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { temporaryState } from "../home.ts";

const TOKEN = "a token";

test("what is signed is what will be read, and the first command of an id stays", async () => {
  const { fs, home } = temporaryState();
  const read = () => JSON.parse(readFileSync(join(home, inboxPath("memory-1")), "utf8"));
  expect(
    await createCommand(fs, TOKEN, { kind: "memory-add", content: "  I like pnpm ", longTerm: true }, "memory-1"),
  ).toBe(true);
  expect(read()).toMatchObject({ kind: "memory-add", id: "memory-1", content: "I like pnpm" });
  expect(isSigned(TOKEN, read())).toBe(true);
  expect(await createCommand(fs, TOKEN, { kind: "memory-add", content: "tea", longTerm: true }, "memory-1")).toBe(
    false,
  );
  expect(read()).toMatchObject({ content: "I like pnpm" });
});

test("a command that anybody may drop as a file has no signature", async () => {
  const { fs, home } = temporaryState();
  await createCommand(fs, TOKEN, { kind: "cancel", taskId: "t-000001.0" }, "c-1");
  expect(JSON.parse(readFileSync(join(home, inboxPath("c-1")), "utf8"))).not.toHaveProperty("mac");
});
