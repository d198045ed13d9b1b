/**
 * Stands in for the gateway on the page of a recording: it answers from `recording.json` what was answered then, and refuses
 * all that would change something. It is loaded before the page itself, and knows no server.
 */
const { recordedAt, snapshot, answers } = JSON.parse(document.getElementById("recording").textContent);
const REFUSAL = (localStorage.getItem("mimikit.language") ?? navigator.language).startsWith("zh")
  ? "这是录制的内容，无法在其中操作。"
  : "This is a recording: nothing can be done in it.";

localStorage.setItem("mimikit.secret", "recorded");

// On the page it is the moment of the recording, so that what ran then has run for as long as it had.
const RealDate = Date;
const aheadMs = RealDate.parse(recordedAt) - RealDate.now();
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + aheadMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + aheadMs;
  }
};

const answer = (body, status) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });

const fetchFile = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const [, path, query] = /(?:^|\/)(api\/[^?]*)(\?.*)?$/s.exec(String(input)) ?? [];
  if (path === undefined) return fetchFile(input, init);
  const recorded = (init?.method ?? "GET") === "GET" ? (answers[path + (query ?? "")] ?? answers[path]) : undefined;
  return recorded === undefined
    ? answer({ error: { code: "conflict", message: REFUSAL } }, 409)
    : answer(recorded, 200);
};

globalThis.WebSocket = class extends EventTarget {
  static OPEN = 1;
  readyState = 1;

  constructor() {
    super();
    setTimeout(() => this.onopen?.());
  }

  send(text) {
    const frame = JSON.parse(text);
    if (frame.type === "hello") this.#tell(snapshot);
    else this.#tell({ type: "error", code: "conflict", message: REFUSAL, id: frame.id ?? frame.taskId });
  }

  close() {}

  #tell(frame) {
    setTimeout(() => this.onmessage?.({ data: JSON.stringify(frame) }));
  }
};
