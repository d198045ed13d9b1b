/** Frames of /ws: right, mutated, mangled, in pieces, binary, and bytes that are no frame; a few at a time on each socket. */
import { once } from "node:events";
import { ServerFrame } from "@mimikit/protocol/wire/api";
import fc from "fast-check";
import { WebSocket } from "ws";
import type { ApiDocument } from "../../../apps/http-gateway/src/api/describe-api.ts";
import type { Reached } from "../../http-gateway/gateway.ts";
import { valuesOf } from "./from-schema.ts";
import { mangled, mutated } from "./mutate.ts";
import { filled, type Known } from "./placeholders.ts";
import { HANG_MS } from "./send.ts";

export type Frame =
  | { kind: "text"; text: string; pieces: number }
  | { kind: "binary"; bytes: Buffer }
  | { kind: "control"; name: "ping" | "pong"; bytes: Buffer }
  /** Straight onto the connection. */
  | { kind: "raw"; bytes: Buffer };

export interface Session {
  hello: "token" | "wrong" | "none" | "twice";
  frames: Frame[];
}

/** Codes of RFC 6455 with which a socket of the gateway may end, and 1006 where the connection just went. */
const CODES = new Set([1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009]);
const TOO_LARGE = 1009;
const FRAMES_MAX = 20;

export function anySession(document: ApiDocument): fc.Arbitrary<Session> {
  const valid = valuesOf(document["x-websocket"].client, document.components.schemas);
  const text = (value: fc.Arbitrary<unknown>) => value.map((each) => JSON.stringify(each));
  const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((each) => Buffer.from(each));
  const frame: fc.Arbitrary<Frame> = fc.oneof(
    {
      weight: 40,
      arbitrary: fc.record({
        kind: fc.constant("text"),
        text: fc.oneof(
          { weight: 3, arbitrary: text(valid) },
          { weight: 6, arbitrary: text(mutated(valid)) },
          { weight: 3, arbitrary: mangled(text(valid)) },
        ),
        pieces: fc.constantFrom(1, 1, 1, 2, 7),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("control"), name: fc.constantFrom("ping", "pong"), bytes: bytes(125) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("binary"), bytes: bytes(40) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("raw"), bytes: bytes(40) }) },
  );
  return fc.record({
    hello: fc.oneof({ weight: 12, arbitrary: fc.constant("token") }, fc.constantFrom("wrong", "none", "twice")),
    frames: fc.array(frame, { minLength: 1, maxLength: FRAMES_MAX, size: "max" }),
  }) as fc.Arbitrary<Session>;
}

export interface Talked {
  /** How many frames were sent. */
  sent: number;
  /** The marks of the frames that were accepted, or of which that is not known. */
  maybeAccepted: number[];
  /** The mistake; null if every frame was answered in its turn, or the socket was closed with a reason. */
  wrong: string | null;
}

/**
 * Talks a session to its end on a socket of its own.
 * @param first the number of its first frame.
 */
export async function talk(to: Reached, { hello, frames }: Session, first: number, known: Known): Promise<Talked> {
  const localAddress = `127.2.${(first >> 8) & 255}.${first & 255 || 1}`;
  const socket = new WebSocket(`ws://${to.host}:${to.port}/ws`, { perMessageDeflate: false, localAddress });
  socket.on("error", () => undefined);
  const came: ServerFrame[] = [];
  let wrong: string | null = null;
  let isCut = false;
  const end = `end-${first}`;
  const over = new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      wrong = `not answered within ${HANG_MS} ms`;
      socket.terminate();
    }, HANG_MS);
    socket.on("close", (code) => {
      clearTimeout(timer);
      if (!CODES.has(code)) wrong = `closed with ${code}`;
      isCut = code === TOO_LARGE;
      resolve();
    });
    socket.on("message", (data) => {
      const frame = ServerFrame.safeParse(JSON.parse(String(data)));
      if (!frame.success) wrong = `no frame of ours: ${String(data).slice(0, 200)}`;
      else if (frame.data.type === "error" && frame.data.id === end) socket.close();
      else came.push(frame.data);
    });
  });
  await Promise.race([once(socket, "open"), over]);
  if (hello !== "none") {
    socket.send(JSON.stringify({ type: "hello", token: hello === "wrong" ? "0".repeat(64) : to.token }));
    if (hello === "twice") socket.send(JSON.stringify({ type: "hello", token: to.token }));
  }
  let texts = hello === "twice" ? 1 : 0;
  for (const [i, frame] of frames.entries()) {
    if (socket.readyState !== WebSocket.OPEN) break;
    if (frame.kind === "text") {
      texts++;
      const text = Buffer.from(filled(frame.text, first + i, known));
      const size = Math.ceil(text.length / frame.pieces) || 1;
      for (let at = 0; at === 0 || at < text.length; at += size)
        socket.send(text.subarray(at, at + size), { binary: false, fin: at + size >= text.length });
    } else if (frame.kind === "binary") socket.send(frame.bytes);
    else if (frame.kind === "control") socket[frame.name](frame.bytes);
    else (socket as unknown as { _socket: NodeJS.WritableStream })._socket.write(frame.bytes);
  }
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "end", id: end }));
  await over;
  const answers = came.filter((each) => each.type === "accepted" || each.type === "error");
  const isClean =
    !isCut &&
    frames.every(({ kind }) => kind === "text" || kind === "control") &&
    (hello === "token" || hello === "twice");
  if (isClean && wrong === null && answers.length !== texts)
    wrong = `${texts} frames were answered ${answers.length} times`;
  const marks = frames.flatMap(({ kind }, i) => (kind === "text" ? [first + i] : []));
  const before = texts - marks.length;
  const maybeAccepted = isClean ? marks.filter((_, i) => answers[before + i]?.type !== "error") : marks;
  return { sent: frames.length, maybeAccepted, wrong };
}
