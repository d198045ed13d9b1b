/** The gateway's WebSocket as a stream of frames that survives restarts of the gateway (SPEC K3). */
import type { ServerFrame } from "@mimikit/protocol/wire/api";
import { WebSocket } from "ws";
import { connect, mayPass } from "./client.ts";

const RECONNECT_MS = 300;

export interface LiveConnection {
  close(): void;
}

/**
 * Calls `onFrame` for every frame, until it is closed. Reconnects by itself with the last cursor, so that nothing ordered
 * is missed.
 * @param onLink hears when the connection is lost, and when it is there again.
 */
export function follow(
  onFrame: (frame: ServerFrame) => void,
  onLink: (isThere: boolean) => void = () => undefined,
): LiveConnection {
  let closed = false;
  let cursor: string | undefined;
  let socket: WebSocket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isLost = false;

  function open(): void {
    const client = tryToConnect();
    if (client === null) {
      timer = setTimeout(open, RECONNECT_MS);
      return;
    }
    const current = new WebSocket(client.url.replace(/^http/, "ws").concat("/ws"));
    socket = current;
    current.on("open", () => {
      current.send(JSON.stringify({ type: "hello", token: client.token, ...(cursor !== undefined && { cursor }) }));
    });
    current.on("message", (data) => {
      const frame = JSON.parse(String(data)) as ServerFrame;
      if ("cursor" in frame) cursor = frame.cursor;
      if (isLost) onLink(true);
      isLost = false;
      onFrame(frame);
    });
    // The reason does not matter: "close" always follows, and the next try tells whether it is over.
    current.on("error", () => undefined);
    current.on("close", () => {
      if (closed) return;
      if (!isLost) onLink(false);
      isLost = true;
      timer = setTimeout(open, RECONNECT_MS);
    });
  }

  open();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
      socket?.terminate();
    },
  };
}

/** null while the gateway is being restarted. */
function tryToConnect() {
  try {
    return connect();
  } catch (error) {
    if (mayPass(error)) return null;
    throw error;
  }
}
