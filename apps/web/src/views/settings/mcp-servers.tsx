/** The MCP servers whose tools it may use: shows, adds, tries and removes them. */
import type { McpCondition, McpList, McpServer, McpServerView } from "@mimikit/protocol/wire/mcp";
import { useSignal } from "@preact/signals";
import { useId, useState } from "preact/hooks";
import { mcpWords } from "../../i18n/view-words.ts";
import { ask, call } from "../../model/call.ts";
import { connection } from "../../model/connection.ts";
import { useAnswer } from "../../model/use-answer.ts";

/** A first start may download the server. */
const TEST_MS_MAX = 90_000;

export function McpServers() {
  const [version, setVersion] = useState(0);
  const { answer } = useAnswer<McpList>("api/mcp", version);
  const refresh = () => setVersion((now) => now + 1);
  return (
    <section>
      <h3>{mcpWords.title}</h3>
      <p>{mcpWords.about}</p>
      <ul class="mcp-servers">
        {answer?.servers.map((server) => (
          <Server key={server.name} server={server} onChange={refresh} />
        ))}
      </ul>
      {answer?.problems.map((problem) => (
        <p key={problem} class="bad">
          {problem}
        </p>
      ))}
      <AddServer onAdded={refresh} />
    </section>
  );
}

function Server({ server, onChange }: { server: McpServerView; onChange: () => void }) {
  const { name, target, roles } = server;
  const tried = useSignal<McpCondition | undefined>(undefined);
  const isTrying = useSignal(false);
  const isConnected = connection.value.state === "connected";
  const test = async () => {
    isTrying.value = true;
    const asked = await ask<McpCondition>("POST", `api/mcp/${encodeURIComponent(name)}/test`, {}, TEST_MS_MAX);
    isTrying.value = false;
    tried.value =
      "answer" in asked ? asked.answer : { state: "failed", problems: [asked.refusal], stderr: [], tools: [] };
  };
  const remove = async () => {
    if (!confirm(mcpWords.removeQuestion(name))) return;
    await call("DELETE", `api/mcp/${encodeURIComponent(name)}`);
    onChange();
  };
  const { state, tools, problems, stderr } = tried.value ?? server;
  return (
    <li>
      <strong>{name}</strong> <span class={state === "failed" ? "bad" : "quiet"}>{mcpWords.states[state]}</span>{" "}
      <span class="quiet">{roles.map((role) => mcpWords.roles[role]).join(", ")}</span>{" "}
      <button
        type="button"
        class="link"
        disabled={!isConnected || isTrying.value}
        aria-label={mcpWords.testOf(name)}
        onClick={() => void test()}
      >
        {isTrying.value ? mcpWords.testing : mcpWords.test}
      </button>{" "}
      <button
        type="button"
        class="link"
        disabled={!isConnected}
        aria-label={mcpWords.removeOf(name)}
        onClick={() => void remove()}
      >
        {mcpWords.remove}
      </button>
      <br />
      <code>{target}</code>
      {[...problems, ...(problems.length > 0 ? stderr : [])].map((line) => (
        <p key={line} class="bad">
          {line}
        </p>
      ))}
      {tools.length > 0 && (
        <details>
          <summary>{mcpWords.tools(tools.length)}</summary>
          <ul>
            {tools.map((tool) => (
              <li key={tool.name}>
                <code>{tool.name}</code> <span class="quiet">{tool.level}</span> {tool.description}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

/** A command line as it would be typed, without a shell: words, and quotation marks around words with spaces. */
function wordsIn(line: string): string[] {
  const parts = line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g);
  return [...parts].map(([, double, single, bare]) => double?.replace(/\\(.)/g, "$1") ?? single ?? bare ?? "");
}

function serverOf(target: string, secrets: string): McpServer {
  const pairs = secrets.split("\n").flatMap((line) => {
    const [, name, value] = /^\s*([^=:\s]+)\s*[=:](.*)$/s.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value.trim()] as const];
  });
  const values = pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
  if (/^https?:\/\//.test(target.trim()))
    return { type: "http", url: target.trim(), ...(values !== undefined && { headers: values }) };
  const [command = "", ...args] = wordsIn(target);
  return { command, args, ...(values !== undefined && { env: values }) };
}

function AddServer({ onAdded }: { onAdded: () => void }) {
  const id = useId();
  const refusal = useSignal("");
  const isBusy = useSignal(false);
  const add = async (form: HTMLFormElement) => {
    const text = (name: string) => String(new FormData(form).get(name) ?? "");
    isBusy.value = true;
    const server = serverOf(text("target"), text("secrets"));
    const asked = await ask<McpList>("POST", "api/mcp", { name: text("name").trim(), server });
    isBusy.value = false;
    refusal.value = "refusal" in asked ? asked.refusal : "";
    if ("refusal" in asked) return;
    form.reset();
    onAdded();
  };
  return (
    <details>
      <summary>{mcpWords.add}</summary>
      <form
        class="mcp-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add(event.currentTarget);
        }}
      >
        <label for={`${id}-name`}>{mcpWords.name}</label>
        <input id={`${id}-name`} name="name" required maxLength={64} autocomplete="off" />
        <label for={`${id}-target`}>{mcpWords.target}</label>
        <input
          id={`${id}-target`}
          name="target"
          required
          autocomplete="off"
          placeholder="npx -y @modelcontextprotocol/server-memory"
        />
        <label for={`${id}-secrets`}>{mcpWords.secrets}</label>
        <textarea id={`${id}-secrets`} name="secrets" rows={2} autocomplete="off" />
        <button type="submit" class="primary" disabled={isBusy.value || connection.value.state !== "connected"}>
          {mcpWords.save}
        </button>
        {refusal.value !== "" && (
          <p class="bad" role="alert">
            {refusal.value}
          </p>
        )}
      </form>
    </details>
  );
}
