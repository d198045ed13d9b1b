/**
 * Facts about a model in an endpoint's list of models, in the words of those that tell any: OpenRouter, Mistral,
 * llama.cpp and their like. An endpoint that does not answer in time knows nothing; it is asked again later.
 */
import { tryJson } from "@mimikit/protocol/base/json";
import { z } from "zod";
import type { KnownCapabilities } from "../../kernel/capabilities.ts";
import { keyHeaderOf } from "./chat-completions.ts";
import type { Endpoint } from "./endpoint.ts";

const PROBE_MS_MAX = 2_000;
const BODY_BYTES_MAX = 4 * 1_048_576;
/** How long an answer counts. */
const KNOWN_MS = 600_000;
/** More endpoints and models than are ever in use. */
const KNOWN_MAX = 100;

const Modalities = z.array(z.string());
const Listed = z.object({
  id: z.string().optional(),
  name: z.string().optional(),
  model: z.string().optional(),
  architecture: z.object({ input_modalities: Modalities.optional() }).nullish(),
  capabilities: z
    .union([Modalities, z.object({ vision: z.boolean().optional(), audio: z.boolean().optional() })])
    .nullish(),
});
type Listed = z.infer<typeof Listed>;
const Answer = z.union([
  z.array(z.unknown()).transform((data) => ({ data, models: undefined })),
  z.object({ data: z.array(z.unknown()).optional(), models: z.array(z.unknown()).optional() }),
]);

const known = new Map<string, { at: number; found: KnownCapabilities }>();

/** The endpoint's facts; none if it gives none. Never throws. */
export async function probe(place: Endpoint, signal: AbortSignal): Promise<KnownCapabilities> {
  const key = `${place.baseUrl} ${place.model}`;
  const before = known.get(key);
  if (before !== undefined && performance.now() - before.at < KNOWN_MS) return before.found;
  const found = await ask(place, signal);
  if (found === null) return {};
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(key, { at: performance.now(), found });
  return found;
}

/** null if there was no answer. */
async function ask({ model, ...place }: Endpoint, signal: AbortSignal): Promise<KnownCapabilities | null> {
  try {
    const response = await fetch(`${place.baseUrl.replace(/(?<!\/)\/+$/, "")}/models`, {
      headers: { accept: "application/json", ...keyHeaderOf(place) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS_MAX)]),
      redirect: "error",
    });
    if (!response.ok) return null;
    const text = await readBounded(response);
    return text === null ? {} : read(text, model);
  } catch (error) {
    // If something keeps it from answering, the question itself will tell.
    if (error instanceof TypeError || error instanceof DOMException) return null;
    throw error;
  }
}

async function readBounded(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function read(text: string, model: string): KnownCapabilities {
  const { data = [], models = [] } = Answer.safeParse(tryJson(text)).data ?? {};
  const listed = [...data, ...models].flatMap((each) => Listed.safeParse(each).data ?? []);
  const own = listed.filter((each) => [each.id, each.name, each.model].includes(model));
  return { vision: tells(own, "vision", ["image", "vision", "multimodal"]), audio: tells(own, "audio", ["audio"]) };
}

/** undefined where none of them says. */
function tells(listed: readonly Listed[], sense: "vision" | "audio", words: readonly string[]): boolean | undefined {
  const says = listed.flatMap(({ architecture, capabilities }) => {
    const modalities = architecture?.input_modalities;
    if (modalities !== undefined) return [modalities.some((each) => words.includes(each))];
    // A list of capabilities is not always complete: only what is in it is known.
    if (Array.isArray(capabilities)) return capabilities.some((each) => words.includes(each)) ? [true] : [];
    return capabilities?.[sense] ?? [];
  });
  return says.length === 0 ? undefined : says.includes(true);
}
