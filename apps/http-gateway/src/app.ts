/**
 * The HTTP side of the gateway. Every request passes the same gates in the same order: the right host and origin, then a
 * credential, then the method, then its body; the handlers see only what has passed them all. The files of the page need the host
 * alone: some browsers name an origin for their own scripts, and a proxy may have changed the host by which we would know it.
 */
import { coded } from "@mimikit/protocol/texts/coded";
import { HOOKS } from "@mimikit/store/disk/state";
import express, {
  type Express,
  type Handler,
  type IRouter,
  type NextFunction,
  type Request,
  type Response,
  type Router,
} from "express";
import helmet from "helmet";
import type { RouteDeps } from "./api/parts.ts";
import type { Method, Route } from "./api/route.ts";
import type { HostPolicy } from "./auth/host.ts";
import { HttpProblem, problemOf, v1ErrorOf } from "./http/problem.ts";
import { files, notBuilt } from "./routes/page.ts";
import { ROUTES } from "./routes.ts";

export interface AppParts extends RouteDeps {
  hosts: HostPolicy;
  /** The built page. */
  pageDir: string;
}

export function createApp(parts: AppParts): Express {
  const { auth, demo, hosts, log, pageDir } = parts;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.enable("strict routing");

  app.use(securityHeaders());
  app.use((request, _response, next) => {
    hosts.checkHost(request);
    assertWellFormed(request);
    next();
  });

  const ownPage: Handler = (request, _response, next) => {
    hosts.checkOrigin(request);
    next();
  };
  const signedIn: Handler = async (request, _response, next) => {
    await auth.identify(request);
    next();
  };
  const mount = <T extends IRouter>(router: T, all: readonly Route[], credential: Handler = signedIn): T => {
    for (const [path, routes] of Map.groupBy(all, (each) => each.path)) {
      const isOpen = routes.every((each) => each.isOpen);
      const gates = isOpen ? [fresh, ownPage] : [fresh, ownPage, credential];
      const place = router.route(path).all(gates);
      for (const each of routes) place[each.method](each.serve(parts));
      place.all(only(methodsOf(routes)));
    }
    return router;
  };
  mount(app, ROUTES);
  // Elsewhere the addresses of a demo are as any at which there is nothing.
  let ofDemo: Promise<Router> | undefined;
  app.use(async (request, response, next) => {
    if (demo.report() === null) return next();
    ofDemo ??= import("./routes/demo.ts").then(({ DEMO_ROUTES }) => mount(emptyRouter(), DEMO_ROUTES));
    (await ofDemo)(request, response, next);
  });
  // Loaded when the first client asks: most instances have none.
  const client: Handler = async (request, _response, next) => {
    await auth.identifyClient(request);
    next();
  };
  let ofV1: Promise<Router> | undefined;
  app.use(async (request, response, next) => {
    if (!isV1(request)) return next();
    ofV1 ??= import("./v1/routes.ts").then(({ v1Routes }) =>
      mount(emptyRouter(), v1Routes(), client).use(fresh, ownPage, client, notFound),
    );
    (await ofV1)(request, response, next);
  });
  // Nor are there addresses of hooks where there are none.
  let ofHooks: Promise<Handler> | undefined;
  app.use("/hooks", ownPage, async (request, response, next) => {
    if (!(await parts.fs.exists(HOOKS))) return next();
    ofHooks ??= import("./routes/receive-hook.ts").then(({ receiveHook }) => receiveHook(parts));
    // Its errors are answered like those of any other route.
    await (await ofHooks)(request, response, next);
  });
  // A caller that is not signed in does not learn which routes exist.
  app.use("/api", fresh, ownPage, signedIn, notFound);

  // A WebSocket whose Upgrade was lost on the way: a proxy has to be told to pass it on.
  app.get("/ws", fresh, ownPage, () => {
    throw new HttpProblem(426, coded("socket_not_upgraded"), { headers: { Upgrade: "websocket" } });
  });
  app.use(files(pageDir));
  app.route("/").get(notBuilt(pageDir)).all(only("GET, HEAD"));
  app.use(notFound);
  app.use(answerWithProblem(log));
  return app;
}

function emptyRouter(): Router {
  return express.Router({ caseSensitive: true, strict: true });
}

function isV1({ path }: Request): boolean {
  return path === "/v1" || path.startsWith("/v1/");
}

/** Express answers HEAD on every GET route by itself. */
const METHODS: Record<Method, string> = { get: "GET, HEAD", post: "POST", patch: "PATCH", delete: "DELETE" };

/** The methods of one path, as the header Allow has them. */
function methodsOf(routes: readonly Route[]): string {
  return routes.map(({ method }) => METHODS[method]).join(", ");
}

/** An address is a path that can be decoded; a whole URL is what one sends to a proxy. */
function assertWellFormed(request: Request): void {
  if (!request.originalUrl.startsWith("/")) throw new HttpProblem(400, coded("address_not_path"));
  // Throws a URIError, which is a 400, for malformed percent-encoding.
  decodeURIComponent(request.path);
}

/** Answers of the API are true for one moment. */
function fresh(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader("Cache-Control", "no-store");
  next();
}

function only(methods: string) {
  return (): never => {
    throw new HttpProblem(405, coded("other_methods", { methods }), { headers: { Allow: methods } });
  };
}

function notFound(): never {
  throw new HttpProblem(404, coded("nothing_at_address"));
}

/** The permissions of our pages: load their own files and talk to us. No inline script, no foreign image, no frame, no form. */
function securityHeaders() {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
      },
    },
    xFrameOptions: { action: "deny" },
    // The gateway speaks plain HTTP; the proxy that adds TLS in front decides about this one.
    strictTransportSecurity: false,
    // `no-referrer` would make browsers send `Origin: null` for some of our own requests.
    referrerPolicy: { policy: "same-origin" },
  });
}

/** The last stop of every error. Express knows it by its four parameters. */
function answerWithProblem(log: RouteDeps["log"]) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const problem = problemOf(error);
    const hasLeft = request.destroyed && !request.complete;
    if (problem.status >= 500 && !hasLeft) log.error("a request failed", { method: request.method, error });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
    // A file that could not be given has left its type.
    response
      .status(problem.status)
      .type("json")
      .json(isV1(request) ? v1ErrorOf(problem) : problem.body);
  };
}
