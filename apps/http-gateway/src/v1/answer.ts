/** The course of a request, the same for both APIs: code answers it, or it enters the conversation and its client is told of the reply as it comes. */
import { NO_USAGE } from "@mimikit/protocol/base/usage";
import type { Request, Response } from "express";
import type { RouteDeps } from "../api/parts.ts";
import { problemOf, v1ErrorOf } from "../http/problem.ts";
import { type ChatRequest, newWords } from "./asked.ts";
import { awaitReply } from "./await-reply.ts";
import type { Entrance } from "./entrance.ts";
import { Events } from "./events.ts";
import { answerOwn } from "./own-requests.ts";
import { assertServed } from "./refusal.ts";
import type { Reply } from "./reply.ts";

/** How one API says what there is to say. */
export interface Form {
  /** The whole answer. @param id of the message; that of another request where code answers. */
  whole(id: string, reply: Reply): object;
  /** The events of one answer. */
  stream(id: string, events: Events): StreamForm;
}

export interface StreamForm {
  begin(): void;
  delta(text: string): void;
  end(reply: Reply): void;
  /** There is no reply. */
  fail(error: ReturnType<typeof v1ErrorOf>): void;
}

export interface ChatCall {
  asked: ChatRequest;
  /** The request as it came. */
  body: Readonly<Record<string, unknown>> & { stream?: boolean | null | undefined };
  key: string | undefined;
  request: Request;
  response: Response;
}

/** The id of what was asked where it is no message. */
const OWN = "own";

/** Answers a request. @throws Problem for one that cannot be answered, as long as nothing was sent. */
export async function answer(question: ChatCall, form: Form, entrance: Entrance, parts: RouteDeps): Promise<void> {
  assertServed(question.body);
  const own = answerOwn(question.asked);
  if (own !== null) return tell(OWN, ownReply(own), question, form, parts);
  await entrance.admit(() => converse(question, form, entrance, parts));
}

async function converse(question: ChatCall, form: Form, entrance: Entrance, parts: RouteDeps): Promise<void> {
  const { asked, key, request, response } = question;
  const client = await parts.auth.identifyClient(request);
  const { stream: _, stream_options: __, ...body } = question.body;
  const id = await entrance.enter(newWords(asked), { client, key, body, request }, parts);
  const left = new AbortController();
  response.once("close", () => left.abort());
  const isStillIn = async () => client === "instance" || (await parts.sessions.isSignedIn(client, Date.now()));
  // A client that leaves early has not got it, and asks again.
  const onReply = () => response.once("finish", () => entrance.noteDelivered(id, parts));
  await tell(id, awaitReply(id, parts, isStillIn, left.signal), question, form, parts, onReply);
}

async function* ownReply(text: string): AsyncGenerator<string, Reply> {
  yield text;
  return { at: new Date().toISOString(), text, usage: NO_USAGE };
}

type Coming = AsyncGenerator<string | null, Reply | null>;

/** @param onReply hears that there is a reply, before the end of it is sent. */
async function tell(
  id: string,
  coming: Coming,
  { body, response }: ChatCall,
  form: Form,
  parts: Pick<RouteDeps, "log">,
  onReply: () => void = () => undefined,
): Promise<void> {
  if (body.stream === true) return tellLive(id, coming, form, new Events(response), parts, onReply);
  let step = await coming.next();
  while (!step.done) step = await coming.next();
  if (step.value === null) return void response.destroy();
  onReply();
  response.json(form.whole(id, step.value));
}

async function tellLive(
  id: string,
  coming: Coming,
  form: Form,
  events: Events,
  { log }: Pick<RouteDeps, "log">,
  onReply: () => void,
): Promise<void> {
  const stream = form.stream(id, events);
  try {
    stream.begin();
    let step = await coming.next();
    for (; !step.done; step = await coming.next()) {
      if (step.value === null) events.keepAlive();
      else stream.delta(step.value);
    }
    if (step.value === null) return;
    onReply();
    stream.end(step.value);
  } catch (error) {
    const problem = problemOf(error);
    if (problem.status === 500) log.error("a request failed", { error });
    stream.fail(v1ErrorOf(problem));
  }
}
