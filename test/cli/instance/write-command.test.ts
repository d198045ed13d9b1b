/** Commands that the command line writes itself, without a gateway: a key means what it was first used for (docs/decisions/0059). */
import { renameSync } from "node:fs";
import { join } from "node:path";
import { archivePath, inboxPath } from "@mimikit/store/disk/state";
import { expect, test } from "vitest";
import { writeCommand } from "../../../apps/cli/src/instance/write-command.ts";
import { temporaryHome } from "../../http-gateway/gateway.ts";

test("the same under a key is the same command, and anything else is refused, also when the first is archived", async () => {
  const home = temporaryHome();
  const say = (text: string) => writeCommand(home, { kind: "message", text }, "mcp ask mine");
  const id = await say("pay A");
  const check = async () => {
    expect(await say("pay A")).toBe(id);
    await expect(say("pay B")).rejects.toThrow("used before, for something else");
  };
  await check();
  renameSync(join(home, inboxPath(id)), join(home, archivePath(id)));
  await check();
  const first = await writeCommand(home, { kind: "message", text: "pay A" });
  expect(await writeCommand(home, { kind: "message", text: "pay A" })).not.toBe(first);
});
