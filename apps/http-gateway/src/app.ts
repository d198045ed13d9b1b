/**
 * The table of routes. Every request passes the same gates in the same order: the right host and origin, then a
 * credential, then the method, then its body; the handlers see only what has passed them all.
 */
import type { SkillPlaces } from "@mimikit/agent/skills";
import type { HistoryIndex } from "@mimikit/memory/history-index";
import type { MemoryPlace } from "@mimikit/memory/memory-query";
import type { Status } from "@mimikit/protocol/api";
import type { Log } from "@mimikit/runtime/log";
import type { TriggerWorld } from "@mimikit/runtime/trigger-facts";
import type { FileSystem } from "@mimikit/store/file-system";
import type { Mirror } from "@mimikit/store/mirror";
import type { UsageBook } from "@mimikit/store/usage-book";
import express, { type Express, type NextFunction, type Request, type Response } from "express";
import helmet from "helmet";
import type { HostPolicy } from "./host.ts";
import { Problem, problemOf } from "./problem.ts";
import { download, upload } from "./routes/attachments.ts";
import { audit } from "./routes/audit.ts";
import { backlog, editBacklog } from "./routes/backlog.ts";
import { changes, undo } from "./routes/changes.ts";
import { searchHistory } from "./routes/history.ts";
import { improvements } from "./routes/improvements.ts";
import { input } from "./routes/input.ts";
import { addMemory, memoryStatus, searchMemory } from "./routes/memory.ts";
import { messages } from "./routes/messages.ts";
import { metrics } from "./routes/metrics.ts";
import { files, notBuilt } from "./routes/page.ts";
import { answer, questions } from "./routes/questions.ts";
import { restart } from "./routes/restart.ts";
import { pair, type SigningInParts, signOut } from "./routes/signing-in.ts";
import { skills } from "./routes/skills.ts";
import { status } from "./routes/status.ts";
import { clear, steer, stop } from "./routes/steering.ts";
import { cancel, task, tasks } from "./routes/tasks.ts";
import {
  deleteTrigger,
  explain,
  patchTrigger,
  putTrigger,
  runTrigger,
  simulate,
  trigger,
  triggers,
} from "./routes/triggers.ts";
import { upcoming } from "./routes/upcoming.ts";
import { usage } from "./routes/usage.ts";
import type { Look, View } from "./view.ts";
import type { Wishes } from "./wishes.ts";

export interface AppParts extends SigningInParts {
  hosts: HostPolicy;
  view: View;
  wishes: Wishes;
  statusOf(look: Look): Promise<Status>;
  usage: UsageBook;
  /** Everything that was ever said. */
  said: HistoryIndex;
  /** Where skills are. */
  skillPlaces: SkillPlaces;
  fs: FileSystem;
  mirror: Mirror;
  /** Where memory is. */
  memory: MemoryPlace;
  /** What explanations are made of. */
  world: TriggerWorld;
  log: Log;
  /** The built page. */
  pageDir: string;
}

export function createApp(parts: AppParts): Express {
  const { auth, hosts, log, pageDir, view, wishes } = parts;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.enable("strict routing");

  app.use(securityHeaders());
  app.use((request, _response, next) => {
    hosts.check(request);
    assertWellFormed(request);
    next();
  });

  app.route("/healthz").get(healthz).all(only("GET, HEAD"));
  app.route("/api/pair").post(fresh, pair(parts)).all(only("POST"));

  app.use("/api", fresh, async (request, _response, next) => {
    await auth.identify(request);
    next();
  });
  app.route("/api/status").get(status(view, parts.statusOf)).all(only("GET, HEAD"));
  app.route("/api/usage").get(usage(parts.usage)).all(only("GET, HEAD"));
  app.route("/api/improvements").get(improvements(view, parts.world.mirror)).all(only("GET, HEAD"));
  app.route("/api/input").post(input(wishes)).all(only("POST"));
  app.route("/api/attachments").post(upload(parts)).all(only("POST"));
  app.route("/api/attachments/:id").get(download(parts)).all(only("GET, HEAD"));
  app.route("/api/messages").get(messages(view)).all(only("GET, HEAD"));
  app.route("/api/history/search").get(searchHistory(view, parts.said)).all(only("GET, HEAD"));
  app.route("/api/memory").post(addMemory(wishes)).all(only("POST"));
  app.route("/api/memory/search").get(searchMemory(parts.memory)).all(only("GET, HEAD"));
  app
    .route("/api/memory/status")
    .get(memoryStatus(parts.memory, view, parts.mirror.ledger))
    .all(only("GET, HEAD"));
  app.route("/api/backlog").get(backlog(parts.fs)).post(editBacklog(wishes)).all(only("GET, HEAD, POST"));
  app.route("/api/changes").get(changes(view, parts)).all(only("GET, HEAD"));
  app.route("/api/undo").post(undo(wishes)).all(only("POST"));
  app.route("/api/tasks").get(tasks(view)).all(only("GET, HEAD"));
  app.route("/api/tasks/:id").get(task(view)).all(only("GET, HEAD"));
  app.route("/api/tasks/:id/cancel").post(cancel(wishes)).all(only("POST"));
  app.route("/api/tasks/:id/steer").post(steer(wishes)).all(only("POST"));
  app.route("/api/steer").post(steer(wishes)).all(only("POST"));
  app.route("/api/stop").post(stop(wishes)).all(only("POST"));
  app.route("/api/clear").post(clear(wishes)).all(only("POST"));
  app.route("/api/questions").get(questions(view)).all(only("GET, HEAD"));
  app.route("/api/questions/:id/answer").post(answer(wishes)).all(only("POST"));
  app.route("/api/triggers").get(triggers(view)).post(putTrigger(wishes)).all(only("GET, HEAD, POST"));
  app
    .route("/api/triggers/simulate")
    .get(simulate(view, parts.world, parts.usage))
    .all(only("GET, HEAD"));
  app.route("/api/triggers/upcoming").get(upcoming(parts.world)).all(only("GET, HEAD"));
  app
    .route("/api/triggers/:id")
    .get(trigger(view))
    .patch(patchTrigger(wishes))
    .delete(deleteTrigger(wishes))
    .all(only("GET, HEAD, PATCH, DELETE"));
  app.route("/api/triggers/:id/run").post(runTrigger(wishes)).all(only("POST"));
  app.route("/api/triggers/:id/explain").get(explain(view, parts.world)).all(only("GET, HEAD"));
  app.route("/api/skills").get(skills(parts.skillPlaces)).all(only("GET, HEAD"));
  app.route("/api/audit").get(audit(parts.home)).all(only("GET, HEAD"));
  app.route("/api/restart").post(restart(wishes)).all(only("POST"));
  app.route("/api/sign-out").post(signOut(parts)).all(only("POST"));
  app.use("/api", notFound);
  // Prometheus sends the token as any script does.
  app.use("/metrics", fresh, async (request, _response, next) => {
    await auth.identify(request);
    next();
  });
  app.route("/metrics").get(metrics(view, parts.statusOf)).all(only("GET, HEAD"));

  app.use(files(pageDir));
  app.route("/").get(notBuilt(pageDir)).all(only("GET, HEAD"));
  app.use(notFound);
  app.use(answerWithProblem(log));
  return app;
}

/** An address is a path that can be decoded; a whole URL is what one sends to a proxy. */
function assertWellFormed(request: Request): void {
  if (!request.originalUrl.startsWith("/")) throw new Problem(400, "the address must be a path");
  // Throws a URIError, which is a 400, for malformed percent-encoding.
  decodeURIComponent(request.path);
}

function healthz(_request: Request, response: Response): void {
  response.json({ ok: true });
}

/** Answers of the API are true for one moment. */
function fresh(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader("Cache-Control", "no-store");
  next();
}

function only(methods: string) {
  return (): never => {
    throw new Problem(405, `this route answers to ${methods}`, { headers: { Allow: methods } });
  };
}

function notFound(): never {
  throw new Problem(404, "there is nothing at this address");
}

/** What a page of ours may do: load its own files and talk to us. No inline script, no foreign image, no frame, no form. */
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
    // The gateway speaks plain HTTP; whoever puts TLS in front decides about this one.
    strictTransportSecurity: false,
    // `no-referrer` would make browsers send `Origin: null` for some of our own requests.
    referrerPolicy: { policy: "same-origin" },
  });
}

/** The last stop of every error. Express knows it by its four parameters. */
function answerWithProblem(log: Log) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const problem = problemOf(error);
    const hasLeft = request.destroyed && !request.complete;
    if (problem.status >= 500 && !hasLeft) log.error("a request failed", { method: request.method, error });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value);
    response.status(problem.status).json(problem.body);
  };
}
