import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isLoopback } from "../../../apps/http-gateway/src/auth/host.ts";
import { startGateway, temporaryHome } from "../gateway.ts";

test.each(["127.0.0.1", "127.8.8.8", "::1", "localhost"])("%s is the loopback", (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(["0.0.0.0", "::", "192.168.0.2", "127.example", "mimi.example", "::ffff:127.0.0.1"])(
  "%s is not the loopback",
  (host) => {
    expect(isLoopback(host)).toBe(false);
  },
);

test("32 an address that other machines reach is refused without a list of names", async () => {
  await expect(startGateway({ config: { host: "0.0.0.0" } })).rejects.toThrow("MIMIKIT_ALLOWED_HOSTS");
});

test("32 with names it is served under them and under the loopback names, never under the wildcard", async () => {
  const gateway = await startGateway({ config: { host: "0.0.0.0", allowedHosts: ["mimi.example:80"] } });
  const under = async (host: string) => (await gateway.ask("/healthz", { headers: { Host: host } })).status;
  expect(await under("mimi.example:80")).toBe(200);
  expect(await under(`127.0.0.1:${gateway.port}`)).toBe(200);
  expect(await under(`0.0.0.0:${gateway.port}`)).toBe(421);
  expect(await under("mimi.example:81")).toBe(421);
});

test("32 the public address is served under its name, and its page may ask", async () => {
  const gateway = await startGateway({ config: { publicUrl: "https://mimi.example:8443/assistant" } });
  const under = async (headers: Record<string, string>) => (await gateway.ask("/healthz", { headers })).status;
  expect(await under({ Host: "mimi.example:8443" })).toBe(200);
  expect(await under({ Host: "mimi.example:8443", Origin: "https://mimi.example:8443" })).toBe(200);
  expect(await under({ Host: "mimi.example:8443", Origin: "https://other.example" })).toBe(403);
  expect(await under({ Host: "mimi.example" })).toBe(421);
});

test("32 a proxy that passes its own idea of Host on is told apart from a stranger's page by the public address", async () => {
  const gateway = await startGateway({ config: { publicUrl: "https://mimi.example/" } });
  const from = (origin: string) => gateway.ask("/healthz", { headers: { Origin: origin } });
  expect((await from("https://mimi.example")).status).toBe(200);
  for (const origin of ["http://mimi.example", "https://mimi.example:8443", "https://mimi.example.net", "null"]) {
    expect((await from(origin)).status).toBe(403);
  }
  const unset = await startGateway();
  const refused = await unset.ask("/healthz", { headers: { Origin: "https://mimi.example" } });
  expect(refused).toMatchObject({ status: 403, json: { error: { hint: expect.stringContaining("publicUrl") } } });
});

test("a WebSocket whose upgrade was lost on the way is told what the proxy must pass on", async () => {
  const gateway = await startGateway();
  const answer = await gateway.ask("/ws", { signedIn: false });
  expect(answer.status).toBe(426);
  expect(answer.headers.upgrade).toBe("websocket");
  expect(answer.json).toMatchObject({ error: { code: "upgrade_needed", message: expect.stringContaining("Upgrade") } });
});

test("33 a token that others can read is refused with the command that mends it", async () => {
  const home = temporaryHome();
  chmodSync(join(home, "token"), 0o644);
  await expect(startGateway({ home })).rejects.toThrow("chmod 600");
});

test("a port that is in use is told in one line that says how to choose another", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const refused = startGateway({ config: { port } });
  await expect(refused).rejects.toThrow(new RegExp(`^port ${port} on 127\\.0\\.0\\.1 is in use.*MIMIKIT_PORT[^\\n]*$`));
});

test("an address that this machine does not have is told in one line", async () => {
  const refused = startGateway({ config: { host: "192.0.2.1", allowedHosts: ["mimi.example"] } });
  await expect(refused).rejects.toThrow(/^192\.0\.2\.1 is not an address of this machine\.[^\n]*MIMIKIT_HOST[^\n]*$/);
});
