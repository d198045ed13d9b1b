/** The web page, as it was built. Without a build there is a page that says how to make one. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import express, { type Handler, type Request, type Response } from "express";

export const PAGE_DIR = fileURLToPath(new URL("../../../web/dist", import.meta.url));

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Mimikit</title>
<h1>Mimikit is running, but its page is not built</h1>
<p>Run <code>npm run build:web</code> and load this page again. <code>npm start</code> does it by itself.</p>
<p>The command line works meanwhile: <code>npx mimikit chat</code>.</p>
</html>
`;

/** Serves the files of `dir` and nothing else: no dot files, no listings, no redirects. */
export function files(dir: string): Handler {
  return express.static(dir, { dotfiles: "ignore", index: "index.html", redirect: false, setHeaders });
}

/** `GET /` when there was no file to serve. */
export function notBuilt(dir: string) {
  return (_request: Request, response: Response, next: () => void): void => {
    if (existsSync(join(dir, "index.html"))) next();
    else response.status(503).type("html").send(NOT_BUILT);
  };
}

/** Assets have a hash in their name and never change; everything else is asked for again. */
function setHeaders(response: Response, path: string): void {
  const isAsset = /[/\\]assets[/\\]/.test(path);
  response.setHeader("Cache-Control", isAsset ? "public, max-age=31536000, immutable" : "no-cache");
}
