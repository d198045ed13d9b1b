/** Keeps a home of this version beside the tests, as test/homes/README.md describes it (docs/RELEASING.md). */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "@mimikit/runtime/home/version";
import { Instance } from "../test/support/instance.ts";

const ROOT = join(import.meta.dirname, "..");
const ASKED = [
  "hello",
  "run `echo first$((1+1))` then `echo second$((1+1))`",
  "remember that I like pnpm",
  "run `echo fired`, every day at 9",
];

const mimikit = await Instance.start({ env: { TZ: "UTC" } });
try {
  const env = { ...process.env, TZ: "UTC", MIMIKIT_HOME: mimikit.home, MIMIKIT_WORK_DIR: mimikit.workDir };
  const call = (...words: string[]) =>
    execFileSync(process.execPath, [join(ROOT, "apps/cli/src/main.ts"), ...words], { env, stdio: "inherit" });
  for (const text of ASKED) call("ask", text);
  await mimikit.stop("SIGKILL");
  call("send", "help");
  const kept = join(ROOT, "test/homes", `${VERSION}.tar.gz`);
  rmSync(kept, { force: true });
  call("backup", "--with-secrets", kept);
} finally {
  await mimikit.dispose();
}
