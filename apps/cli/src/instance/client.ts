/** The gateway as the commands see it: checked answers, and failures in one line. */

import { request as httpRequest } from "node:http";
import { text as textOf } from "node:stream/consumers";
import type { AttachedFile } from "@mimikit/protocol/base/attachment";
import type { ClientClock } from "@mimikit/protocol/records/inbox";
import {
  ApiError,
  ChatMessage,
  ClientAdded,
  type Device,
  DevicesAnswer,
  QuestionView,
  type RetryBody,
  Status,
  TaskSummary,
} from "@mimikit/protocol/wire/api";
import { urlOf } from "@mimikit/runtime/config/address";
import { HomeError, readToken } from "@mimikit/runtime/home/home";
import { z } from "zod";
import { t, told } from "../i18n/language.ts";
import { EXIT, Failure, reasonOf } from "../io/failure.ts";
import { personZoneHere } from "../io/person-zone.ts";
import { currentPlace } from "../io/place.ts";
import { findProcesses, livingRoles, runningText } from "../processes/instance.ts";

const REQUEST_MS_MAX = 10_000;
const TASKS_MAX = 500;
const MESSAGES_MAX = 200;
const Accepted = z.object({ id: z.string() });

/** The gateway cannot be reached (now): it is not up yet, or just being restarted. */
export class Unreachable extends Error {}

/** A gateway answers, and does not do what it was asked to. */
export class Refused extends Failure {
  readonly status: number;

  /** @param status of HTTP. */
  constructor(status: number, message: string) {
    super("failed", message);
    this.status = status;
  }
}

/** A gateway answers, and not as this version does: it was started by the version before, or another program has its port. */
export class OtherVersion extends Refused {
  constructor(status: number, url: string, what: string) {
    super(status, t("another version of Mimikit answers at {url} ({what}): run  mimikit restart", { url, what }));
  }
}

export class Client {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  status(): Promise<Status> {
    return this.request(Status, "GET", "/api/status");
  }

  async messages(): Promise<ChatMessage[]> {
    const answer = z.object({ messages: z.array(ChatMessage) });
    return (await this.request(answer, "GET", `/api/messages?limit=${MESSAGES_MAX}`)).messages;
  }

  /** The open tasks and the newest that have ended, newest first. */
  async tasks(): Promise<TaskSummary[]> {
    const answer = z.object({ tasks: z.array(TaskSummary) });
    return (await this.request(answer, "GET", `/api/tasks?limit=${TASKS_MAX}`)).tasks;
  }

  /** The open questions, the oldest first. */
  async questions(): Promise<QuestionView[]> {
    const answer = z.object({ questions: z.array(QuestionView) });
    return (await this.request(answer, "GET", "/api/questions")).questions;
  }

  /** The browsers and clients that are signed in, the one that was seen last first. */
  async devices(): Promise<Device[]> {
    return (await this.request(DevicesAnswer, "GET", "/api/devices")).devices;
  }

  /** Makes a token for a client of /v1. It is told here and never again. */
  addClient(name: string): Promise<z.infer<typeof ClientAdded>> {
    return this.request(ClientAdded, "POST", "/api/devices", { body: { name } });
  }

  /** Signs a browser out, or revokes the token of a client. Throws Failure where there is no such device. */
  async signOut(deviceId: string): Promise<void> {
    await this.request(z.unknown(), "DELETE", `/api/devices/${encodeURIComponent(deviceId)}`);
  }

  /** Sends a message; the same key sends it once, however often this is called. @returns the id of the message. */
  async send(
    text: string,
    key: string,
    { mode, attachments = [], pool }: { mode?: "next"; attachments?: readonly AttachedFile[]; pool?: string } = {},
  ): Promise<string> {
    const files = attachments.map(({ id, name }) => ({ id, ...(name !== undefined && { name }) }));
    return this.ask("/api/input", key, {
      text,
      client: clockHere(),
      ...(mode !== undefined && { mode }),
      ...(files.length > 0 && { attachments: files }),
      ...(pool !== undefined && { pool }),
    });
  }

  /** Says something to a task or, without one, to what runs now; the same key says it once. @returns the id of the command. */
  steer(text: string, key: string, taskId?: string): Promise<string> {
    const path = taskId === undefined ? "/api/steer" : `/api/tasks/${encodeURIComponent(taskId)}/steer`;
    return this.ask(path, key, { text });
  }

  /** Asks for what runs now to be ended. @returns the id of the command. */
  stop(key: string): Promise<string> {
    return this.ask("/api/stop", key, {});
  }

  /** Asks for the conversation to start over. @returns the id of the command. */
  clear(key: string): Promise<string> {
    return this.ask("/api/clear", key, {});
  }

  /** Asks for the last message to be answered again. @returns the id of the command. */
  retry(key: string, body: RetryBody): Promise<string> {
    return this.ask("/api/conversation/retry", key, body);
  }

  private async ask(path: string, key: string, body: unknown): Promise<string> {
    return (await this.request(Accepted, "POST", path, { body, headers: { "Idempotency-Key": key } })).id;
  }

  private async request<T>(
    schema: z.ZodType<T>,
    method: "GET" | "POST" | "DELETE",
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<T> {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      ...(options.body !== undefined && { "Content-Type": "application/json" }),
      ...options.headers,
    };
    const asked = options.body === undefined ? undefined : JSON.stringify(options.body);
    const { status, text } = await exchange(new URL(this.url + path), method, headers, asked).catch(
      (error: unknown) => {
        throw new Unreachable(
          t("the gateway at {url} does not answer: {reason}", { url: this.url, reason: reasonOf(error) }),
        );
      },
    );
    const body = readJson(text);
    if (status >= 400) throw refusal(status, body, this.url);
    const checked = schema.safeParse(body);
    if (checked.success) return checked.data;
    throw new OtherVersion(status, this.url, t("its answer to {path} is not known here", { path }));
  }
}

/** One request, and its whole answer. Not by `fetch`, which loads for longer than all else that a command does. */
function exchange(
  url: URL,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(REQUEST_MS_MAX);
    const request = httpRequest(url, { method, headers, signal }, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The clock by which the user here means "at five". */
export function clockHere(): ClientClock {
  return { timeZone: personZoneHere(), now: new Date().toISOString() };
}

/** undefined for what is no JSON: a page, or the words of a proxy. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function refusal(status: number, body: unknown, url: string): Error {
  if (status === 401)
    return new Failure(
      "failed",
      t("{url} does not know the token of this home: another instance is serving there", { url }),
    );
  const { data } = ApiError.safeParse(body);
  const words =
    data === undefined
      ? `HTTP ${status}`
      : [data.error.message, data.error.hint].flatMap((each) => (each ? [told(each)] : [])).join(t(". "));
  // Not ready yet: worth another try.
  if (status === 503) return new Unreachable(words);
  return data === undefined ? new OtherVersion(status, url, words) : new Refused(status, words);
}

/** A client of the gateway of this home. Throws `Failure` (not running) when there is none. */
export function connect(): Client {
  const { home, config } = currentPlace();
  const living = livingRoles(home);
  const gateway = living.get("gateway");
  if (gateway === undefined) {
    throw new Failure(
      "notRunning",
      living.size > 0
        ? t("the gateway of {home} is down ({running}): PM2 starts it again if it died; if not, use  mimikit up", {
            home,
            running: runningText(living),
          })
        : t("Mimikit is not running for {home}: start it with  mimikit up", { home }),
    );
  }
  try {
    return new Client(gateway.url ?? urlOf(config), readToken(home));
  } catch (error) {
    if (error instanceof HomeError) throw new Failure("failed", error.message);
    throw error;
  }
}

/** @throws Failure (not running) where no process of this home lives, not even one that would start the others. */
export async function assertSomethingRuns(home: string): Promise<void> {
  if ((await findProcesses(home)).length === 0) connect();
}

/** Is this a failure that another try may cure: the gateway is starting, or being restarted? */
export function mayPass(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Failure && error.exitCode === EXIT.notRunning);
}
