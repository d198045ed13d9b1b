/** One WebSocket that is always coming back, and goes on from the last cursor it saw (SPEC K3). */
import type { ClientFrame, ServerFrame } from "@mimikit/protocol/wire/api";
import { signal } from "@preact/signals";
import { words } from "../i18n/words.ts";
import { read, refusalIn } from "./call.ts";
import { type Along, frameOf, isOfOutbox, keep, newId, outbox, readAnew, retry } from "./outbox.ts";
import { askWhetherPaired, type PairOutcome, pair, request, secret, session, signOut } from "./session.ts";
import { answering, cancelling, cursor, forgetAll, forgetLive, notice, receive } from "./state.ts";

const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 15_000;
/** Another page of this browser has sent its message by then, if it is still there. */
const ELSEWHERE_MS = 5_000;
/** The status of a WebSocket that came as a plain request: a proxy in between has not passed its upgrade on. */
const UPGRADE_NEEDED = 426;

export type ConnectionState =
  | { state: "connecting" }
  | { state: "connected" }
  | { state: "waiting"; retryAtMs: number }
  | { state: "offline" };
export const connection = signal<ConnectionState>({ state: "connecting" });

let socket: WebSocket | undefined;
let failures = 0;
let retryTimer: ReturnType<typeof setTimeout> | undefined;
/** Numbers the attempts: what an overtaken attempt still hears changes nothing. */
let attempt = 0;

/** Starts connecting, and keeps the page connected for as long as it is paired. */
export async function connect(): Promise<void> {
  const mine = ++attempt;
  clearTimeout(retryTimer);
  socket?.close();
  socket = undefined;
  connection.value = { state: "connecting" };
  const answer = await askWhetherPaired();
  if (mine !== attempt) return;
  if (answer === "unknown") return connectLater();
  session.value = answer;
  if (answer === "paired") open(mine);
}

/** Connects at once when the page waits for its next attempt: the user asked, or the network or the tab came back. */
export function connectNow(): void {
  if (connection.value.state === "waiting" || connection.value.state === "offline") void connect();
}

/** Redeems a pairing code and connects. A code that fails does no harm to a browser that is paired already. */
export async function pairAndConnect(code: string): Promise<PairOutcome> {
  const outcome = await pair(code);
  if (outcome === "paired") {
    session.value = "paired";
    await connect();
  }
  return outcome;
}

/** Signs out and returns to the pairing screen. */
export async function disconnect(): Promise<void> {
  attempt++;
  clearTimeout(retryTimer);
  socket?.close();
  socket = undefined;
  await signOut();
  forgetAll();
  session.value = "unpaired";
}

/**
 * Keeps a message, or words for what runs now, and sends it at once or as soon as there is a connection.
 * @returns false where the browser has no room to keep it: nothing is sent then, and the user is told.
 */
export function sendMessage(text: string, along?: Along): boolean {
  const entry = keep(text, Date.now(), along);
  if (entry === undefined) notice.value = words.storageFull;
  else send(frameOf(entry));
  return entry !== undefined;
}

/** The page that kept a message may be gone before it has sent it. To send it once more is to send it once. */
addEventListener("storage", ({ key }) => {
  if (key !== null && !isOfOutbox(key)) return;
  for (const { id } of readAnew()) setTimeout(() => sendWaiting(id), ELSEWHERE_MS);
});

function sendWaiting(id?: string): void {
  for (const entry of outbox.value)
    if (entry.refusal === undefined && (id === undefined || entry.id === id)) send(frameOf(entry));
}

/** Answers an open question. Without a connection it stays open, and the user is told. */
export function answer(questionId: string, text: string): void {
  const id = newId();
  if (send({ type: "answer", id, questionId, answer: text }))
    answering.value = new Map(answering.value).set(questionId, id);
  else notice.value = words.notConnected;
}

/**
 * Ends the reply that is being written, and never a task: that is cancelled at its card. It is about this moment, so
 * without a connection it is not kept, and the user is told.
 */
export function stop(): void {
  if (!send({ type: "stop", id: newId(), only: "reply" })) notice.value = words.notConnected;
}

/** Begins a new conversation, or tells the user that there is no connection. */
export function clear(): void {
  if (!send({ type: "clear", id: newId() })) notice.value = words.notConnected;
}

/** Tries a message again that the gateway refused. */
export function sendAgain(id: string): void {
  const entry = retry(id);
  if (entry) send(frameOf(entry));
}

/** Asks for a task, and everything below it, to be cancelled. Without a connection it goes on, and the user is told. */
export function cancelTask(taskId: string): void {
  if (send({ type: "cancel", taskId })) cancelling.value = new Set([...cancelling.value, taskId]);
  else notice.value = words.notConnected;
}

function send(frame: ClientFrame): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(frame));
  return true;
}

function open(mine: number): void {
  const url = new URL("ws", location.href.replace(/^http/, "ws"));
  let hasOpened = false;
  socket = new WebSocket(url);
  socket.onopen = () => {
    hasOpened = true;
    if (mine === attempt) greet();
  };
  socket.onmessage = (event) => {
    if (mine !== attempt) return;
    failures = 0;
    receive(read<ServerFrame>(String(event.data)));
  };
  socket.onclose = () => {
    if (mine !== attempt) return;
    connectLater();
    if (!hasOpened) void sayWhetherStripped();
  };
}

/** Browsers hide why a socket did not open; the gateway says whether it was asked for one at all. */
async function sayWhetherStripped(): Promise<void> {
  const answer = await request("GET", "ws");
  if (answer?.status === UPGRADE_NEEDED) notice.value = await refusalIn(answer);
}

function greet(): void {
  forgetLive();
  const token = secret();
  send({
    type: "hello",
    ...(token !== undefined && { token }),
    ...(cursor.value !== undefined && { cursor: cursor.value }),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  connection.value = { state: "connected" };
  sendWaiting();
}

function connectLater(): void {
  socket = undefined;
  const longest = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** failures++);
  // Half of the wait is random, so that many tabs do not return in step after a restart.
  const waitMs = longest / 2 + Math.random() * (longest / 2);
  connection.value = navigator.onLine ? { state: "waiting", retryAtMs: Date.now() + waitMs } : { state: "offline" };
  retryTimer = setTimeout(() => void connect(), waitMs);
}
