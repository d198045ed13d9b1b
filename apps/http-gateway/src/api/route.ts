/**
 * A route is data: what a request must be, what it is answered with, and what is done in between. The same entry checks
 * the request, makes the table of docs/api.md and describes itself in `GET /api/openapi.json`.
 */
import { BODY_BYTES_MAX } from "@mimikit/protocol/wire/api";
import type { Handler, Request, Response } from "express";
import type { z } from "zod";
import { checkedAs, idempotencyKeyOf, readBody } from "../http/limits.ts";
import type { RouteDeps } from "./parts.ts";

export type Method = "get" | "post" | "patch" | "delete";

/** The checked parts of a request. */
export interface CheckedRequest<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** The Idempotency-Key, where the route takes one and the request has one. */
  key: string | undefined;
  request: Request;
  response: Response;
}

interface RouteFacts<P, Q, B, A> {
  method: Method;
  /** As Express reads it: `/api/tasks/:id`. */
  path: string;
  /** Its summary, in a line of Markdown. */
  summary: string;
  /** Of what the path names. */
  params?: P;
  query?: Q;
  /** Of the JSON in the body. */
  body?: B;
  /** Bytes of that JSON; BODY_BYTES_MAX where it is not said. */
  bodyBytesMax?: number;
  /** The body is the bytes of one file, and the handler reads them. */
  takesBytes?: true;
  /** It takes an Idempotency-Key: the same key is the same command. */
  takesKey?: true;
  /** It needs no credential. */
  isOpen?: true;
  /** The status of the answer, if all is well. */
  status: number;
  /** The schema of the answer; none if there is no body. */
  answer?: A;
  /** The content types of an answer that is not JSON. */
  types?: readonly [string, ...string[]];
  /** The errors that are its own, by status: when, in words that follow the status. */
  errors?: Readonly<Record<number, string>>;
}

interface RouteDefinition<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>
  extends RouteFacts<P, Q, B, A> {
  /** @returns the answer; nothing where it has none, or was sent already. */
  handle(
    asked: CheckedRequest<z.output<P>, z.output<Q>, z.output<B>>,
    parts: RouteDeps,
  ): z.output<A> | Promise<z.output<A>>;
}

export interface Route extends RouteFacts<z.ZodType, z.ZodType, z.ZodType, z.ZodType> {
  /** Checks a request, does what it asks for and answers it. Throws a Problem for what may not be. */
  serve(parts: RouteDeps): Handler;
}

/** An entry of the table of routes. The handler gets the checked values: the order is path, key, body, query. */
export function route<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  A extends z.ZodType = z.ZodVoid,
>({ handle, ...facts }: RouteDefinition<P, Q, B, A>): Route {
  const ask = async (
    request: Request,
    response: Response,
  ): Promise<CheckedRequest<z.output<P>, z.output<Q>, z.output<B>>> => ({
    params: checkedIf(facts.params, request.params),
    key: facts.takesKey && idempotencyKeyOf(request),
    body: (facts.body && (await readBody(request, facts.body, facts.bodyBytesMax ?? BODY_BYTES_MAX))) as z.output<B>,
    query: checkedIf(facts.query, request.query),
    request,
    response,
  });
  return {
    ...facts,
    serve: (parts) => async (request, response) => {
      const answer = await handle(await ask(request, response), parts);
      // A handler that sends a file sends it as its bytes come.
      if (response.headersSent) return;
      response.status(facts.status);
      if (facts.types !== undefined) response.setHeader("Content-Type", facts.types[0]);
      if (facts.answer === undefined) response.end();
      else if (facts.types === undefined) response.json(answer);
      else response.send(answer);
    },
  };
}

/** Parts without a schema are not passed to the handler. */
function checkedIf<S extends z.ZodType>(schema: S | undefined, value: unknown): z.output<S> {
  return (schema && checkedAs(schema, value)) as z.output<S>;
}
