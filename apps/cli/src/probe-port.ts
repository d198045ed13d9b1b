/** Whether a port can be had, without keeping it. */
import { createServer } from "node:net";

/** null when this process could listen there now, else the reason. */
export function probePort({ host, port }: { host: string; port: number }): Promise<Error | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", resolve);
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}
