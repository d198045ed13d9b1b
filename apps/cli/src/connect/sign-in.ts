/** The own login of an agent CLI, at this terminal, into a home that is Mimikit's alone. */
import { mkdirSync } from "node:fs";
import { loginsOf } from "@mimikit/agent/connect/catalogue";
import type { ProviderId } from "@mimikit/protocol/base/provider";
import { execa } from "execa";
import { t } from "../i18n/language.ts";
import { Failure } from "../io/failure.ts";
import { printProgress } from "../io/print.ts";
import type { ConnectContext } from "./connection.ts";

/** Programs that sign in twice: for the conversation, then for the Workers, whose shell may write in their folder. */
const FOR = ["for the conversation", "for the Workers, in a folder of their own"];

/** @throws Failure where a login was not done. */
export async function signIn(id: ProviderId, at: ConnectContext): Promise<void> {
  const logins = loginsOf(id, at);
  for (const [i, { commandLine, dir, environment }] of logins.entries()) {
    const [file, ...args] = commandLine;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    printProgress(
      t("{id} signs in by itself{what} …", {
        id,
        what: logins.length > 1 ? t(", {whom}", { whom: t(FOR[i] ?? "") }) : "",
      }),
    );
    const options = { env: environment, extendEnv: false, stdio: "inherit", reject: false } as const;
    const { failed, shortMessage } = await execa(file, args, options);
    if (failed) throw new Failure("failed", t("{id} did not sign in: {reason}", { id, reason: shortMessage ?? "" }));
  }
}
