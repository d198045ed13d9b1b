import { expect, test } from "vitest";
import { runNode } from "../../../apps/cli/src/update/run.ts";

const failing = (...lines: string[]) => [
  "-e",
  `for (const line of ${JSON.stringify(lines)}) console.error(line); process.exit(1);`,
];

test("the reason of a failed step is named, also where its last line says that it is above", async () => {
  await expect(runNode(failing("one", "two"))).rejects.toThrow(/: two$/);
  await expect(
    runNode(
      failing("main.ts:3: Unexpected token", "", "[bootstrap] the programs could not be built; the reason is above"),
    ),
  ).rejects.toThrow(/main\.ts:3: Unexpected token · \[bootstrap\] the programs could not be built/);
});
