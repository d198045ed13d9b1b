/** The web page, as it was built. Without a build there is a page that says how to make one. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { commandName } from "@mimikit/runtime/home/command-name";
import { ROOT } from "@mimikit/runtime/home/programs";
import express, { type Handler, type Request, type Response } from "express";

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

export const PAGE_DIR = join(ROOT, "apps/web/dist");

/** A text with a hash in its name; what is compressed in itself, as fonts are, is not among them. */
const ASSET = /^\/assets\/[\w-][\w.-]*\.(?:css|html|js)$/;
/** Assets that are kept compressed: more than a page has, in both ways. */
const KEPT_MAX = 400;
/** Brotli at its best takes seconds for megabytes; this finds nearly as much in a tenth of it. */
const BROTLI_QUALITY = 6;
/** The better one first. */
const COMPRESS = new Map([
  ["br", (text: Buffer) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })],
  ["gzip", (text: Buffer) => gzipped(text)],
]);

const notBuiltPage = () => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Mimikit</title>
<h1>Mimikit is running, but its page is not built</h1>
<p>Run <code>npm run build:web</code> and load this page again. <code>npm start</code> does it by itself.</p>
<p>The command line works meanwhile: <code>${commandName(process.env)} chat</code>.</p>
</html>
`;

/** Serves the files of `dir` and nothing else: no dot files, no listings, no redirects. */
export function files(dir: string): Handler[] {
  return [
    compressedAssets(dir),
    express.static(dir, { dotfiles: "ignore", index: "index.html", redirect: false, setHeaders }),
  ];
}

/**
 * Serves the assets of `dir` compressed to who can read that. Each is compressed once, when it is first asked for: compressed files
 * beside them would make the package larger by a third.
 */
function compressedAssets(dir: string): Handler {
  const kept = new Map<string, Promise<Buffer>>();
  return async (request, response, next) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || !ASSET.test(request.path)) return next();
    response.vary("Accept-Encoding");
    const [encoding, compress] = [...COMPRESS].find(([name]) => request.acceptsEncodings(name) !== false) ?? [];
    const path = join(dir, request.path);
    if (encoding === undefined || compress === undefined || !existsSync(path)) return next();
    if (kept.size >= KEPT_MAX) kept.clear();
    const key = `${encoding} ${path}`;
    const body = kept.get(key) ?? readFile(path).then(compress);
    kept.set(key, body);
    // A file that could not be read just now is tried again.
    body.catch(() => kept.delete(key));
    setHeaders(response, path);
    response.type(extname(path)).setHeader("Content-Encoding", encoding);
    response.send(await body);
  };
}

/** `GET /` when there was no file to serve. */
export function notBuilt(dir: string) {
  return (_request: Request, response: Response, next: () => void): void => {
    if (existsSync(join(dir, "index.html"))) next();
    else response.status(503).type("html").send(notBuiltPage());
  };
}

/**
 * The document that draws diagrams has no origin and loads nothing. Of scripts it says itself which one it has, by its
 * hash; a browser keeps both policies.
 */
const DRAWS_ONLY =
  "default-src 'none';script-src 'unsafe-inline';style-src 'unsafe-inline';frame-ancestors 'self';base-uri 'none';form-action 'none';sandbox allow-scripts";

/** Assets have a hash in their name and never change; everything else is asked for again. */
function setHeaders(response: Response, path: string): void {
  const isAsset = /[/\\]assets[/\\]/.test(path);
  response.setHeader("Cache-Control", isAsset ? "public, max-age=31536000, immutable" : "no-cache");
  if (isAsset && path.endsWith(".html")) {
    response.setHeader("Content-Security-Policy", DRAWS_ONLY);
    response.setHeader("X-Frame-Options", "SAMEORIGIN");
  }
}
