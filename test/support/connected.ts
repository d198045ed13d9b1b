/** A Mimikit to which nothing is connected, and what must hold once something is. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { KEY_VARIABLES } from "@mimikit/runtime/config/providers";
import { expect } from "vitest";
import type { Said } from "../cli/run-cli.ts";
import { findKey } from "./find-key.ts";
import { Instance, type InstanceOptions, ROLE_NAMES } from "./instance.ts";

/** Looks like no usual key, so that nothing but care keeps it where it belongs. */
export const CONNECT_KEY = "canary.4f1c9d20b7e34d6a";
export const REPLY = "Hello from the model.";
/** A shell in which nothing says who answers, whatever that of the tests says. */
const NO_VARIABLES = Object.fromEntries(
  ["MIMIKIT_PROVIDER", "OPENAI_BASE_URL", ...KEY_VARIABLES].map((name) => [name, ""]),
);

/** Only the offline engine answers. */
export function startUnconnected({ env = {}, ...options }: InstanceOptions = {}): Promise<Instance> {
  return Instance.start({ ...options, env: { ...NO_VARIABLES, ...env } });
}

/** Waits until the provider answers for all roles, as soon as the processes know. */
export function untilAnswers(mimikit: Instance, provider: string): Promise<true> {
  return mimikit.until(`${provider} answers for all roles`, async () => {
    const { providers } = await mimikit.ready();
    return Object.values(providers).every((each) => each === provider) || undefined;
  });
}

/** All processes die at once, and others are started, which know nothing but what is on the disk. */
export async function startAnew(mimikit: Instance): Promise<void> {
  await mimikit.stop("SIGKILL");
  for (const role of ROLE_NAMES) mimikit.startRole(role);
  await mimikit.ready();
}

/** The provider answers now, and after everything was killed; its key is where it belongs, and nowhere else. */
export async function expectKept(mimikit: Instance, provider: string, said: readonly Said[]): Promise<void> {
  await untilAnswers(mimikit, provider);
  expect(await mimikit.replyTo(await mimikit.send("Are you there?"))).toMatchObject({ text: REPLY, provider });
  await startAnew(mimikit);
  expect(await mimikit.replyTo(await mimikit.send("Still there?"))).toMatchObject({ text: REPLY, provider });
  await mimikit.drained();
  expect(
    await findKey(
      CONNECT_KEY,
      mimikit,
      said.flatMap(({ out, error }) => [out, error]),
    ),
  ).toEqual([]);
}

/** The key is kept, for this user alone. */
export function expectSecret(mimikit: Pick<Instance, "home">): void {
  expect(statSync(join(mimikit.home, "secrets.json")).mode & 0o777).toBe(0o600);
}
