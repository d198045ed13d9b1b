/** The proxies of docs/remote.md, with the configurations that stand there: only names, ports and certificates are those of the test. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

export const PROXIES = ["nginx", "caddy"] as const;
export type ProxyName = (typeof PROXIES)[number];

const PAGE = join(import.meta.dirname, "../../../docs/remote.md");
const DIRECTORIES = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
const STOPPED = ["SIGTERM", "SIGINT"] as const;

/** The path of a proxy; undefined where it is not installed. */
export function findProxy(name: ProxyName): string | undefined {
  return DIRECTORIES.map((directory) => join(directory, name)).find((path) => existsSync(path));
}

/** The configurations for this proxy, in the order of the page: at the root of a name, then at a sub-path. */
export function configurationsOf(name: ProxyName): string[] {
  const blocks = readFileSync(PAGE, "utf8").matchAll(new RegExp(`\`\`\`${name}\\n(.*?)\`\`\``, "gs"));
  return [...blocks].map(([, block]) => block ?? "");
}

/**
 * Starts a proxy that serves `https://localhost:<port>` until the test ends.
 * @param configuration as it stands in docs/remote.md. @param gatewayPort where the gateway listens.
 */
export async function startProxy(
  name: ProxyName,
  configuration: string,
  port: number,
  gatewayPort: number,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "mimikit-proxy-"));
  const ours = configuration.replaceAll("127.0.0.1:8787", `127.0.0.1:${gatewayPort}`);
  const args = name === "nginx" ? nginxArgs(directory, ours, port) : caddyArgs(directory, ours, port);
  const env = { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const child = spawn(findProxy(name) ?? name, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said += data));
  const ended = once(child, "exit");
  onTestFinished(async () => {
    for (const signal of STOPPED) child.kill(signal);
    await ended;
    rmSync(directory, { recursive: true, force: true });
  });
  while (!(await isServing(port))) {
    if (child.exitCode !== null) throw new Error(`${name} has ended: ${said}`);
  }
}

/** One request through the proxy; the certificate is of the test's own. @param from the address that it comes from. */
export function askThrough(
  port: number,
  path: string,
  options: { from?: string; body?: unknown } = {},
): Promise<number> {
  const { from, body } = options;
  const headers = {
    Origin: `https://localhost:${port}`,
    ...(body !== undefined && { "Content-Type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: "127.0.0.1",
        servername: "localhost",
        port,
        path,
        localAddress: from,
        method: body ? "POST" : "GET",
        headers: { ...headers, Host: `localhost:${port}` },
        rejectUnauthorized: false,
      },
      (answer) => resolve(answer.resume().statusCode ?? 0),
    );
    asked.on("error", reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function isServing(port: number): Promise<boolean> {
  return askThrough(port, "/").then(
    () => true,
    () => false,
  );
}

function nginxArgs(directory: string, configuration: string, port: number): string[] {
  const [key, certificate] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...subject, ...files], {
    stdio: "ignore",
  });
  const server = configuration
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replace("mimikit.example", "localhost")
    .replace("/etc/ssl/mimikit.pem", certificate)
    .replace("/etc/ssl/mimikit.key", key);
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${join(directory, kind)};`).join("\n");
  // Its workers are of this user too, so that the folders are theirs.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const path = join(directory, "nginx.conf");
  writeFileSync(
    path,
    `${user}\ndaemon off;\nerror_log stderr;\npid ${join(directory, "pid")};\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}\n}\n`,
  );
  return ["-c", path];
}

function caddyArgs(directory: string, configuration: string, port: number): string[] {
  const site = configuration.replace("mimikit.example {", `https://localhost:${port} {\nbind 127.0.0.1`);
  // A certificate of its own authority, and nothing beyond this port.
  const options = ["admin off", "local_certs", "skip_install_trust", "auto_https disable_redirects"];
  const path = join(directory, "Caddyfile");
  writeFileSync(path, `{\n${options.join("\n")}\n}\n${site}`);
  return ["run", "--config", path, "--adapter", "caddyfile"];
}
