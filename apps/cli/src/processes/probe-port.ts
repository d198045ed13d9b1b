/** Whether a port can be had, without keeping it. */
import { createServer } from "node:net";
import type { Config } from "@mimikit/runtime/config/config";
import { commandName } from "@mimikit/runtime/home/command-name";
import { hasCode } from "@mimikit/store/disk/error-code";
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";

/** null when this process could listen there now, else the reason. */
export function probePort({ host, port }: { host: string; port: number }): Promise<Error | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}

/** Says so now, and not in the log of a gateway that waits for the port. @throws Failure. */
export async function assertPortIsFree({ host, port }: Config): Promise<void> {
  const error = await probePort({ host, port });
  if (error === null) return;
  const call = `MIMIKIT_PORT=${port < 65_535 ? port + 1 : port - 1} ${commandName(process.env)} up`;
  const another = t("choose another with MIMIKIT_PORT, for example  {call}", { call });
  if (hasCode(error, "EADDRINUSE"))
    throw new Failure(
      "failed",
      t("port {port} on {host} is in use by another program: {another}", { port, host, another }),
    );
  if (hasCode(error, "EACCES"))
    throw new Failure("failed", t("port {port} may not be used by this user: {another}", { port, another }));
  throw new Failure(
    "failed",
    t("cannot listen on {host}:{port} ({reason}): set MIMIKIT_HOST and MIMIKIT_PORT", {
      host,
      port,
      reason: reasonOf(error),
    }),
  );
}
