/** Requests to a vendor: their time limits, and errors without the address, which may hold a token. */
import { proxyErrorIn } from "@mimikit/runtime/network/proxy-error";
import { ChannelError } from "./channel.ts";

/** The longest download of a file, and its longest silence, in ms. */
const FILE_MS_MAX = 120_000;
const FILE_SILENCE_MS_MAX = 30_000;

export function within(ms: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

/** Why a request failed, without its address. */
export function reasonOf(error: unknown): string {
  const ofProxy = proxyErrorIn(error);
  if (ofProxy !== null) return ofProxy.message;
  for (let each = error; each instanceof Error; each = each.cause)
    if ("code" in each && typeof each.code === "string") return each.code;
  return error instanceof Error ? error.name : "the connection broke";
}

/** The bytes of a file. @throws ChannelError, also where its stream breaks, is silent or takes too long. */
export async function* download(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(new DOMException("it is silent", "TimeoutError")), FILE_SILENCE_MS_MAX);
  try {
    const response = await fetch(url, {
      headers,
      signal: AbortSignal.any([within(FILE_MS_MAX, signal), silent.signal]),
      redirect: "error",
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new ChannelError("unreachable", `the server answers ${response.status} for a file`);
    }
    for await (const chunk of response.body) {
      timer.refresh();
      yield chunk;
    }
  } catch (error) {
    throw error instanceof ChannelError ? error : new ChannelError("unreachable", reasonOf(error));
  } finally {
    clearTimeout(timer);
  }
}
