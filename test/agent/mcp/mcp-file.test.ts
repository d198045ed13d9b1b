/** mcp.json: what is believed of it, and what an edit keeps. */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { contentsOf } from "@mimikit/agent/home-contents";
import { expandServer, UnsetVariable } from "@mimikit/agent/mcp/files/expand";
import { readLogin, setLogin } from "@mimikit/agent/mcp/files/logins";
import { readMcpFile, setMcpServer, targetOf } from "@mimikit/agent/mcp/files/mcp-file";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { execa } from "execa";
import { expect, test } from "vitest";
import { writeBackup } from "../../../apps/cli/src/backup/write-backup.ts";
import { temporaryState } from "../../store/home.ts";
import { whileHeld } from "../../support/lost-lock.ts";
import { writeMcpFile } from "../../support/mcp-servers.ts";
import { temporaryDirectory } from "../fixtures.ts";

function homeOf(): { home: string; env: Record<string, string> } {
  const home = join(temporaryDirectory(), "state");
  mkdirSync(join(home, "locks"), { recursive: true, mode: 0o700 });
  return { home, env: { MIMIKIT_HOME: home } };
}

test("servers are read in the format of other clients, what is for them included", () => {
  const { home, env } = homeOf();
  writeMcpFile(home, {
    everything: { command: "npx", args: ["-y", "x"], env: { A: "1" }, autoApprove: ["all"] },
    far: { type: "http", url: "https://a.example/mcp?key=1", headers: { Authorization: "Bearer x" } },
    off: { command: "x", disabled: true },
  });
  const { servers, problems } = readMcpFile(home, env);
  expect([...servers.keys()]).toEqual(["everything", "far", "off"]);
  expect([...problems]).toEqual([]);
  expect([...servers.values()].map(targetOf)).toEqual(["npx -y x", "https://a.example/mcp", "x"]);
});

test("a server that cannot be used is named with the reason, and takes no other with it", () => {
  const { home, env } = homeOf();
  writeMcpFile(home, {
    good: { command: "x" },
    both: { command: "x", url: "https://a.example" },
    neither: {},
    old: { type: "sse", url: "https://a.example" },
    "-x": { command: "x" },
    strange: { command: "x", mimikit: { roles: ["reviewer"] } },
  });
  const { servers, problems } = readMcpFile(home, env);
  expect([...servers.keys()]).toEqual(["good"]);
  expect(problems.get("both")).toContain("keep one");
  expect(problems.get("neither")).toContain("neither a command nor a url");
  expect(problems.get("old")).toContain("streamable HTTP");
  expect(problems.get("-x")).toContain("begins with");
  expect(problems.get("strange")).toContain("mimikit.roles");
});

test("a file that others can read, a link, and what is no JSON name no server, and say what to do without a word of it", () => {
  const { home, env } = homeOf();
  const path = join(home, "mcp.json");
  const problem = () => readMcpFile(home, env).problems.get("") ?? "";
  writeFileSync(path, '{"mcpServers": {"a": {"command": "key-of-mine"', { mode: 0o600 });
  expect(problem()).toContain("correct it, or remove it");
  expect(problem()).not.toContain("key-of-mine");
  chmodSync(path, 0o644);
  expect(problem()).toContain("chmod 600");
  const linked = homeOf();
  symlinkSync(path, join(linked.home, "mcp.json"));
  expect(readMcpFile(linked.home, linked.env).problems.get("")).toContain("not a regular file");
});

test("the file of a directory that is not adopted names no server", () => {
  const workDir = temporaryDirectory();
  const home = join(workDir, ".mimikit");
  writeMcpFile(home, { evil: { command: "touch", args: ["forged"] } });
  writeFileSync(join(home, "token"), "x".repeat(64));
  const env = { MIMIKIT_WORK_DIR: workDir, XDG_STATE_HOME: join(workDir, "state"), HOME: workDir };
  expect(readMcpFile(home, env).servers.size).toBe(0);
});

test("what would be started is shown before a directory is adopted, without a value of a variable", async () => {
  const { home, fs } = temporaryState();
  writeMcpFile(home, { evil: { command: "touch", args: ["forged"], env: { KEY: "hunter2-secret" } }, none: {} });
  mkdirSync(join(home, "tools"));
  writeFileSync(join(home, "tools", "bad.yaml"), "description: x\ncommand: [rm, -rf, /]\n");
  const cache = new StateCache(fs, { token: "t", durable: false, isAlive: () => false, onBadArchive: () => undefined });
  await cache.archiveIndex.load();
  await cache.refresh(0);
  const { items } = await contentsOf({ home, workDir: home }, fs, cache, {});
  expect(items.map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      "mcp.json: evil: touch forged",
      "mcp.json: none neither a command nor a url is set",
      "tools/bad: rm -rf /",
    ]),
  );
  expect(JSON.stringify(items)).not.toContain("hunter2-secret");
});

/** `value`, at whose first writing this process is held, and another one runs `program`. */
function heldAt<T extends object>(value: T, home: string, path: string, program: string): T {
  let isFirst = true;
  const toJSON = () => {
    if (isFirst) whileHeld(home, path, program);
    isFirst = false;
    return value;
  };
  return Object.defineProperty({ ...value }, "toJSON", { value: toJSON });
}

test("servers and logins that another process keeps stay, when one that was held while it saved goes on", async () => {
  const { home, env } = homeOf();
  const at = JSON.stringify(home);
  const server = { command: "x" };
  const addServer = `import { setMcpServer } from "@mimikit/agent/mcp/files/mcp-file"; await setMcpServer(${at}, "theirs", ${JSON.stringify(server)});`;
  expect(await setMcpServer(home, "ours", heldAt(server, home, "mcp.json", addServer))).toBe(false);
  expect([...readMcpFile(home, env).servers.keys()].sort()).toEqual(["ours", "theirs"]);

  const tokens = { access_token: "x", token_type: "Bearer" };
  const login = { url: "http://a.example", client: { client_id: "c" }, tokens };
  const addLogin = `import { setLogin } from "@mimikit/agent/mcp/files/logins"; await setLogin(${at}, "theirs", ${JSON.stringify(login)});`;
  const held = { ...login, tokens: heldAt(tokens, home, "mcp-logins.json", addLogin) };
  expect(await setLogin(home, "ours", held)).toBe(false);
  for (const name of ["ours", "theirs"]) expect(readLogin(home, name, login.url)).toEqual(login);
});

test("a backup holds servers and logins only with secrets", async () => {
  const { home } = temporaryState();
  writeMcpFile(home, { a: { command: "x", env: { KEY: "hunter2-secret" } } });
  await setLogin(home, "a", {
    url: "http://a.example",
    client: { client_id: "c" },
    tokens: { access_token: "x", token_type: "Bearer" },
  });
  const namesIn = async (withSecrets: boolean) => {
    const file = join(temporaryDirectory(), "backup.tar.gz");
    await writeBackup(home, file, temporaryDirectory(), withSecrets);
    return (await execa("tar", ["-tzf", file])).stdout.split("\n").filter((name) => name.includes("mcp"));
  };
  expect(await namesIn(false)).toEqual([]);
  expect((await namesIn(true)).sort()).toEqual(["mcp-logins.json", "mcp.json"]);
});

test("an edit keeps what is for others, the places of the servers, and the file private", async () => {
  const { home, env } = homeOf();
  const path = join(home, "mcp.json");
  const before = { inputs: [1], mcpServers: { a: { command: "a" }, b: { command: "b", autoApprove: [] } } };
  writeFileSync(path, JSON.stringify(before), { mode: 0o600 });
  expect(await setMcpServer(home, "c", { command: "c" })).toBe(false);
  expect(await setMcpServer(home, "a", { command: "other" })).toBe(true);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    inputs: [1],
    mcpServers: { a: { command: "other" }, b: { command: "b", autoApprove: [] }, c: { command: "c" } },
  });
  expect([...readMcpFile(home, env).servers.keys()]).toEqual(["a", "b", "c"]);
  expect(await setMcpServer(home, "b", null)).toBe(true);
  expect(await setMcpServer(home, "b", null)).toBe(false);
  expect([...readMcpFile(home, env).servers.keys()]).toEqual(["a", "c"]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("two edits at once are both kept", async () => {
  const { home, env } = homeOf();
  await Promise.all(["a", "b", "c"].map((name) => setMcpServer(home, name, { command: name })));
  expect([...readMcpFile(home, env).servers.keys()].sort()).toEqual(["a", "b", "c"]);
});

test("variables are filled in as other clients do it, and their values are known as secrets", () => {
  const env = { KEY: "secret-key", DIR: "/data", LOOP: `\${KEY}` };
  const filled = expandServer(
    {
      command: "run",
      args: [`\${DIR}/x`, `\${env:DIR}`, `\${NOT_SET:-instead}`, `\${LOOP}`, "$KEY"],
      env: { TOKEN: `\${KEY}`, PLAIN: "long-enough" },
      headers: { Authorization: `Bearer \${KEY}` },
    },
    env,
  );
  expect(filled.args).toEqual(["/data/x", "/data", "instead", `\${KEY}`, "$KEY"]);
  expect(filled.env).toEqual({ TOKEN: "secret-key", PLAIN: "long-enough" });
  expect(filled.secrets).toEqual(expect.arrayContaining(["secret-key", "Bearer secret-key", "long-enough"]));
  expect(() => expandServer({ command: "x", args: [`\${MISSING}`] }, env)).toThrow(UnsetVariable);
  expect(() => expandServer({ command: "x", args: [`\${MISSING}`] }, env)).toThrow(/MISSING is not set/);
});
