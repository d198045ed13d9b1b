/**
 * A whole instance whose model is reached through a proxy alone: its name is known to nobody else, and its certificate is of an authority
 * that only NODE_EXTRA_CA_CERTS names (docs/proxies.md).
 */
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createServer } from "node:tls";
import type { Status } from "@mimikit/protocol/wire/api";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { findKey } from "../support/find-key.ts";
import { HttpProxy, type ProxyOptions } from "../support/http-proxy.ts";
import { Instance } from "../support/instance.ts";
import { KEY } from "../support/main-job.ts";
import { ModelServer } from "../support/model-server.ts";
import { makeCertificate } from "../support/private-ca.ts";

const HOST = "api.vendor.test";
const LOGIN = "me:pass-word-of-the-proxy";

/** A model behind TLS, the proxy that leads to it, and the settings that name the model. */
async function start(options: ProxyOptions = {}) {
  const model = await ModelServer.start({ teller: () => ({ say: "Answered from afar." }) });
  const certificate = makeCertificate(HOST);
  const server = createServer({ key: certificate.key, cert: certificate.cert }, (socket) => {
    const inner = connect(Number(new URL(model.url).port), "127.0.0.1");
    socket.pipe(inner).pipe(socket);
    socket.on("error", () => inner.destroy());
    inner.on("error", () => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy = await HttpProxy.start({
    routes: { [`${HOST}:443`]: (server.address() as AddressInfo).port },
    ...options,
  });
  onTestFinished(async () => {
    server.close();
    await proxy.stop();
    await model.close();
    certificate.remove();
  });
  const env = {
    MIMIKIT_PROVIDER: "openai",
    OPENAI_BASE_URL: `https://${HOST}/v1`,
    OPENAI_API_KEY: KEY,
    MIMIKIT_MODEL: "scripted",
    NODE_EXTRA_CA_CERTS: certificate.path,
  };
  return { proxy, env };
}

const withLogin = (url: string) => url.replace("://", `://${LOGIN}@`);

test("with HTTPS_PROXY a turn is answered through the proxy, which connect and doctor name without its password", async () => {
  const { proxy, env } = await start({ login: LOGIN });
  const variables = { ...env, HTTPS_PROXY: withLogin(proxy.url) };
  const mimikit = await Instance.start({ env: variables, countsCalls: true });
  onTestFinished(() => mimikit.dispose());
  const { modules: before } = await mimikit.calls("workers");
  expect(before.filter((path) => /undici|network\/(fetch-through|tunnel)/.test(path))).toEqual([]);
  await mimikit.send("hello");
  await mimikit.replyWith("Answered from afar.");
  expect(new Set(proxy.targets)).toEqual(new Set([`${HOST}:443`]));

  const connected = await runCli(mimikit, ["connect", "openai", "--model", "scripted"], "", variables);
  expect(connected.error).toContain(`through the proxy ${proxy.url} (HTTPS_PROXY)`);
  expect(connected.code).toBe(0);
  const looked = await runCli(mimikit, ["doctor"], "", variables);
  expect(looked.out).toContain(`requests go through ${proxy.url} (HTTPS_PROXY)`);
  expect(looked.out).toContain(`authorities in ${env.NODE_EXTRA_CA_CERTS} are trusted, too`);
  const shown = JSON.stringify([connected, looked, await mimikit.api<Status>("/api/status"), mimikit.output]);
  expect(shown).not.toContain("pass-word-of-the-proxy");
  const places = await findKey("pass-word-of-the-proxy", mimikit, [connected.out, connected.error, looked.out]);
  // The variable is in their environments, where its owner has put it.
  expect(places.filter((where) => !where.startsWith("the environment of"))).toEqual([]);
});

test("proxy.url does the same from the next request on, and a refusal of the proxy is told as the proxy's", async () => {
  const { proxy, env } = await start();
  const mimikit = await Instance.start({ env });
  onTestFinished(() => mimikit.dispose());
  expect((await runCli(mimikit, ["config", "set", "proxy.url", withLogin(proxy.url)])).error).toContain("password");
  expect((await runCli(mimikit, ["config", "set", "proxy.url", "socks5://proxy.example:1080"])).error).toContain(
    "begins with http:// or https://",
  );
  expect((await runCli(mimikit, ["config", "set", "proxy.url", proxy.url])).code).toBe(0);
  await mimikit.send("hello");
  await mimikit.replyWith("Answered from afar.");
  proxy.options.refuses = 403;
  const refused = await runCli(mimikit, ["connect", "openai", "--model", "scripted"], "", env);
  expect(refused.code).toBe(1);
  expect(refused.error).toContain(
    `the proxy ${proxy.url} refuses to connect to ${HOST}:443 (HTTP 403): allow the host`,
  );
});

test("a SOCKS proxy is named in status and doctor as one that is not supported", async () => {
  const env = { ALL_PROXY: "socks5://127.0.0.1:1080" };
  const mimikit = await Instance.start({ env });
  onTestFinished(() => mimikit.dispose());
  const words = "ALL_PROXY: a socks5 proxy is not supported";
  expect((await mimikit.api<Status>("/api/status")).problems).toContainEqual(expect.stringContaining(words));
  expect((await runCli(mimikit, ["doctor"], "", env)).out).toContain(words);
});
