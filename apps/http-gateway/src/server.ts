/**
 * The gateway as one thing: an HTTP server, its WebSockets and the loops that keep them up to date. It writes only
 * commands and its own sessions; everything else it reads from the disk, so it can be killed at any instant.
 */
import { randomBytes } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { skillPlacesOf } from "@mimikit/agent/skills/skills";
import { HistoryIndex } from "@mimikit/memory/search/history-index";
import type { Log } from "@mimikit/runtime/audit/log";
import { personZone, rememberBrowserZone } from "@mimikit/runtime/clock/person-zone";
import { systemTimeZone } from "@mimikit/runtime/clock/system-zone";
import { servedNames } from "@mimikit/runtime/config/address";
import { loadConfig } from "@mimikit/runtime/config/config";
import type { StartSettings } from "@mimikit/runtime/config/describe-settings";
import { readToken } from "@mimikit/runtime/home/home";
import { completeHome } from "@mimikit/runtime/keep-home";
import { ownIdentity } from "@mimikit/runtime/process/identity";
import { WorkspaceFiles } from "@mimikit/runtime/workspace/workspace-files";
import { openDisk } from "@mimikit/store/disk/disk";
import { StateCache } from "@mimikit/store/state-cache/state-cache";
import { UsageLog } from "@mimikit/store/views/usage-log";
import type { RouteDeps } from "./api/parts.ts";
import { createApp } from "./app.ts";
import { Auth } from "./auth/auth.ts";
import { assertBindIsSafe, HostPolicy } from "./auth/host.ts";
import { Sessions } from "./auth/sessions.ts";
import { CONNECTIONS_MAX, HEADER_BYTES_MAX, REQUEST_CHECK_MS, REQUEST_MS_MAX } from "./http/limits.ts";
import { refuseMalformed } from "./http/refuse.ts";
import { drain, listenOn } from "./listen.ts";
import { Live } from "./live/live.ts";
import { HELLO_MS_MAX } from "./live/socket.ts";
import { acceptUpgrades } from "./live/upgrade.ts";
import { Push } from "./push/push.ts";
import { PAGE_DIR } from "./routes/page.ts";
import { Commands } from "./state/commands.ts";
import { type Demo, NO_DEMO } from "./state/demo.ts";
import { Mishaps } from "./state/mishaps.ts";
import { readiness } from "./state/readiness.ts";
import { type SettingsFacts, statusOf } from "./state/status.ts";
import { type StateView, View } from "./state/view.ts";
import { startUpkeep } from "./upkeep.ts";

/** Requests and clients get this long to end by themselves when the gateway stops. */
const DRAIN_MS_MAX = 2_000;

export interface GatewayOptions {
  /** The state directory; prepared. */
  home: string;
  workDir: string;
  config: Omit<StartSettings, "process" | "logLevel">;
  /** The providers, and the problems of the settings; asked again for each status. */
  settings: () => SettingsFacts;
  log: Log;
  /** Whether this is a demo; it is none where nothing is said. */
  demo?: Demo;
  /** Where the built page is, if not in apps/web/dist. */
  pageDir?: string;
  /** How long a request may take to arrive, in ms. */
  requestMs?: number;
  /** How long a client of /ws may take to say hello, in ms. */
  helloMs?: number;
  /** How long a client of /v1 waits for a reply, and how often it hears that it still does, in ms. */
  waits?: RouteDeps["waits"];
}

export interface Gateway {
  /** Starts to serve and returns the URL. Throws an `Error` of one line that says what to do when it cannot; it may be called again then. */
  listen(): Promise<string>;
  /** Takes nothing new, lets what runs end, and cuts off the rest after DRAIN_MS_MAX. */
  close(): Promise<void>;
}

/** Puts the parts together. Throws when the address is not safe to listen on, or the token is not private. */
export function createGateway(options: GatewayOptions): Gateway {
  const { home, config, log, demo = NO_DEMO, pageDir = PAGE_DIR, helloMs = HELLO_MS_MAX } = options;
  const names = servedNames(config);
  assertBindIsSafe(config.host, names);
  const token = readToken(home);
  const incarnation = randomBytes(8).toString("hex");
  const { pid, startTime } = ownIdentity();
  const fs = openDisk(home, `gateway.${incarnation}-${pid}-${startTime}`, () => completeHome(home, log));
  const onBadArchive = (path: string, reason: string) => log.warn("a record in archive/ is damaged", { path, reason });
  const cache = new StateCache(fs, { token, durable: false, onBadArchive });
  const view = new View(fs, cache);
  const usage = new UsageLog(home);
  const mishaps = new Mishaps();
  const facts = { ...options, demo, usage, cache, mishaps, startedAt: new Date().toISOString() };
  const currentStatus = (state: StateView) => statusOf(facts, fs, state, Date.now());
  const sessions = new Sessions(home, fs);
  const push = new Push({ home, fs, sessions, isAdopted: () => options.settings().adopted, log });
  const onLook = (state: StateView) => push.note(state);
  const live = new Live({ home, view, incarnation, statusOf: currentStatus, mishaps, onLook, log });
  const auth = new Auth(home, token, sessions, log, config.publicUrl !== undefined);
  const timeZone = () => personZone(home, loadConfig(home, process.env).config).timeZone;
  const seeZone = (zone: string) => rememberBrowserZone(home, fs, zone, Date.now());
  const commands = new Commands({ fs, cache, view, token, timeZone, log });
  const said = new HistoryIndex(home);
  const hosts = new HostPolicy(config.host, names, config.publicUrl);

  const app = createApp({
    home,
    auth,
    demo,
    hosts,
    live,
    log,
    pageDir,
    publicUrl: config.publicUrl ?? null,
    push,
    sessions,
    environment: process.env,
    skillPlaces: skillPlacesOf({ home, workDir: options.workDir }, process.env),
    statusOf: currentStatus,
    whyNotReady: readiness(home, fs, () => options.settings().adopted),
    said,
    usage,
    view,
    waits: options.waits ?? {},
    commands,
    fs,
    cache,
    memory: { home, workDir: options.workDir },
    world: { cache, files: new WorkspaceFiles({ workDir: options.workDir, home }), timeZone: systemTimeZone() },
  });
  const server = createHttpServer(app, options.requestMs ?? REQUEST_MS_MAX);
  const onError = (error: unknown) => log.error("a frame failed", { error });
  const clients = acceptUpgrades(server, hosts, { auth, commands, live, seeZone, helloMs, onError });
  let stopUpkeep = async () => {};

  return {
    async listen() {
      const url = await listenOn(server, config.host, config.port);
      stopUpkeep = startUpkeep({ home, config, live, sessions, commands, log });
      push.begin();
      // Piece by piece, with requests between them, so that a later search does not wait for it.
      void said.refresh().then(
        () => said.size > 0 && log.info("the history is in memory", { messages: said.size }),
        (error) => log.error("the history could not be read", { error }),
      );
      return url;
    },

    async close() {
      for (const client of clients) client.goAway();
      await drain(server, DRAIN_MS_MAX, () => {
        for (const client of clients) client.terminate();
      });
      await stopUpkeep();
      await push.close();
    },
  };
}

/** Slow headers and bodies are cut off by Node itself. */
function createHttpServer(app: RequestListener, requestMs: number): Server {
  const server = createServer(
    {
      headersTimeout: requestMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(REQUEST_CHECK_MS, requestMs),
      maxHeaderSize: HEADER_BYTES_MAX,
      // A request without a host is refused by HostPolicy, in words.
      requireHostHeader: false,
    },
    app,
  );
  refuseMalformed(server);
  // An expectation that is not known changes nothing; Node would refuse the request without a word.
  server.on("checkExpectation", app);
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}
