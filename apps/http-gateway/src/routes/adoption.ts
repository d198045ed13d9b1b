/** `GET` and `POST /api/adoption`: the content of a state directory that was not made here, and the owner's yes to it. */

import { contentsOf } from "@mimikit/agent/home-contents";
import { coded } from "@mimikit/protocol/texts/coded";
import { AdoptionView, NoBody } from "@mimikit/protocol/wire/api";
import { adopt, isAdopted } from "@mimikit/runtime/home/adoption";
import type { RouteDeps } from "../api/parts.ts";
import { route } from "../api/route.ts";
import { HttpProblem } from "../http/problem.ts";

export const adoption = route({
  method: "get",
  path: "/api/adoption",
  summary:
    "whether the state directory is adopted, and everything in it that would run or be trusted ([security](security.md))",
  status: 200,
  answer: AdoptionView,
  handle: (_asked, parts) => viewOf(parts),
});

export const adoptHome = route({
  method: "post",
  path: "/api/adoption",
  summary: "adopts the state directory: its content runs and is trusted from now on",
  body: NoBody,
  status: 200,
  answer: AdoptionView,
  errors: { 409: "the caller has only the token, which may have come with the directory" },
  async handle({ request }, parts) {
    const { home, environment } = parts;
    if (!isAdopted(home, environment) && request.headers.authorization !== undefined)
      throw new HttpProblem(409, coded("adopt_on_page"));
    adopt(home, environment);
    return viewOf(parts);
  },
});

async function viewOf({ memory: place, fs, cache, view, environment }: RouteDeps): Promise<AdoptionView> {
  await view.refresh();
  return { adopted: isAdopted(place.home, environment), ...(await contentsOf(place, fs, cache, environment)) };
}
