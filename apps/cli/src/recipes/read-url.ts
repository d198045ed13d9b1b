/** A small text from the web: only over HTTPS, of bounded length, in bounded time, and with few redirects. */
import { t } from "../i18n/language.ts";
import { Failure, reasonOf } from "../io/failure.ts";

export const URL_MS_MAX = 15_000;
export const REDIRECTS_MAX = 3;

/** @param bytesMax of the body. @throws Failure with what to do instead. */
export async function readUrl(address: string, bytesMax: number): Promise<string> {
  const signal = AbortSignal.timeout(URL_MS_MAX);
  let url = httpsOf(address);
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, { redirect: "manual", signal }).catch((error: unknown) => {
      const { cause = error } = error as { cause?: unknown };
      throw new Failure("failed", t("{host} cannot be read: {reason}", { host: url.host, reason: reasonOf(cause) }));
    });
    const next = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && next !== null) {
      await response.body?.cancel();
      if (redirects === REDIRECTS_MAX)
        throw new Failure(
          "failed",
          t("{host} redirects more than {max} times", { host: url.host, max: REDIRECTS_MAX }),
        );
      url = httpsOf(next, url);
      continue;
    }
    if (!response.ok)
      throw new Failure(
        "failed",
        t("{host} answers {status}: is the address right?", { host: url.host, status: response.status }),
      );
    return textOf(response, url, bytesMax);
  }
}

function httpsOf(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw new Failure(
      "usage",
      t("an address begins with https:// and holds no password; or save the file, and name that"),
    );
  return url;
}

async function textOf(response: Response, url: URL, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of response.body ?? []) {
      bytes += piece.byteLength;
      if (bytes > bytesMax)
        throw new Failure(
          "failed",
          t("{host} sends more than {bytesMax} bytes: that is no recipe", { host: url.host, bytesMax }),
        );
      pieces.push(piece);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(pieces));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      "failed",
      t("the answer of {host} cannot be read: {reason}", { host: url.host, reason: reasonOf(error) }),
    );
  }
}
