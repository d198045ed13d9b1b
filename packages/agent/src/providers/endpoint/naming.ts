/** A model whose failure tells which names there are, where its own is none of them. The list is asked for only then. */
import { namesLike } from "@mimikit/core/base/nearest";
import type { Model } from "../../kernel/model.ts";
import { isList, listModels, type WireName } from "./list-models.ts";
import type { ModelEndpoint } from "./place.ts";

/** The user waits for what went wrong. */
const LIST_MS_MAX = 5_000;

export function naming(model: Model, wire: WireName, place: ModelEndpoint): Model {
  return {
    async *ask(request, signal) {
      for await (const event of model.ask(request, signal)) {
        if (event.type !== "failure" || event.cause !== "model") yield event;
        else {
          const listed = await listModels(wire, place, signal, LIST_MS_MAX);
          const ids = isList(listed) ? listed.map(({ id }) => id) : [];
          // Some list what they refuse.
          yield {
            ...event,
            names: namesLike(
              place.model,
              ids.filter((id) => id !== place.model),
            ),
          };
        }
      }
    },
  };
}
