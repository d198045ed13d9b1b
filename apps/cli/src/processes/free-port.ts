/** A port of loopback for an instance that is only tried out. */

import { once } from "node:events";
import { createServer } from "node:net";
import { t } from "../i18n/language.ts";

/** A port without a listener just now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error(t("the system gives no port"));
  return address.port;
}
