/** `GET /api/openapi.json`: the table of routes, as programs read it. */
import { VERSION } from "@mimikit/runtime/home/version";
import { z } from "zod";
import { type ApiDocument, describeApi } from "../api/describe-api.ts";
import { type Route, route } from "../api/route.ts";

/** @param routes the table, which this route is an entry of. */
export function openApi(routes: () => readonly Route[]): Route {
  let document: ApiDocument | undefined;
  return route({
    method: "get",
    path: "/api/openapi.json",
    summary: "this table as [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html)",
    status: 200,
    answer: z.looseObject({ openapi: z.literal("3.1.0") }),
    handle: () => (document ??= describeApi(routes(), VERSION)),
  });
}
