/** Asks a search engine that the owner has set up. Its answer is text of the web. */
import { beginningOf } from "@mimikit/protocol/texts/whole-characters";
import type { SearchEngine } from "@mimikit/runtime/config/search-engines";
import { withoutKey } from "@mimikit/runtime/config/secrets";
import { VERSION } from "@mimikit/runtime/home/version";
import { z } from "zod";
import { NotLoaded } from "./get-page.ts";
import type { SearchPlace } from "./web.ts";

const SEARCH_MS_MAX = 20_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** The most of an engine's own words about a refusal. */
const REASON_CHARS_MAX = 300;

export interface SearchHit {
  title: string;
  url: string;
  text: string;
}

interface Wire {
  ask(place: SearchPlace, query: string, count: number): { url: URL; headers?: Record<string, string>; body?: object };
  /** The answer as a list, whatever else it holds. */
  answer: z.ZodType<SearchHit[]>;
}

const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? "");
const Hits = z.array(z.looseObject({ title: Text, url: z.string(), content: Text, description: Text }));
const found = (hits: z.output<typeof Hits>): SearchHit[] =>
  hits.map(({ title, url, content, description }) => ({ title, url, text: content || description }));

const WIRES: Record<SearchEngine, Wire> = {
  searxng: {
    ask: ({ url }, query) => ({
      url: withQuery(`${url.replace(/(?<!\/)\/+$/, "")}/search`, { q: query, format: "json" }),
    }),
    answer: z.looseObject({ results: Hits }).transform(({ results }) => found(results)),
  },
  brave: {
    ask: ({ url, apiKey = "" }, query, count) => ({
      url: withQuery(url, { q: query, count: String(count) }),
      headers: { "x-subscription-token": apiKey },
    }),
    answer: z
      .looseObject({ web: z.looseObject({ results: Hits }).optional() })
      .transform(({ web }) => found(web?.results ?? [])),
  },
  tavily: {
    ask: ({ url, apiKey = "" }, query, count) => ({
      url: new URL(url),
      headers: { authorization: `Bearer ${apiKey}` },
      body: { query, max_results: count },
    }),
    answer: z.looseObject({ results: Hits }).transform(({ results }) => found(results)),
  },
};

/** Throws `NotLoaded`, and the reason of `signal` when that aborts. No error holds the key. */
export async function searchWeb(
  place: SearchPlace,
  query: string,
  count: number,
  signal: AbortSignal,
): Promise<SearchHit[]> {
  const { ask, answer } = WIRES[place.engine];
  const hidden = (text: string) => withoutKey(text, place.apiKey ?? "");
  try {
    const { url, headers, body } = ask(place, query, count);
    const response = await fetch(url, {
      headers: {
        accept: "application/json",
        "user-agent": `mimikit/${VERSION}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      // The key is for the address that the owner has set, and no other.
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(SEARCH_MS_MAX)]),
    });
    const text = await textOf(response);
    if (!response.ok) throw new NotLoaded(refusal(place, response.status, hidden(text)));
    return answer.parse(JSON.parse(text)).slice(0, count);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof NotLoaded) throw error;
    throw new NotLoaded(`${place.engine} cannot be asked: ${hidden(reasonOf(error))}`);
  }
}

function withQuery(address: string, fields: Record<string, string>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
  return url;
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX)
      throw new NotLoaded(`the search engine answers with more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function refusal({ engine }: SearchPlace, status: number, text: string): string {
  const hint = engine === "searxng" && status === 403 ? " (its settings.yml must have json among search.formats)" : "";
  const said = beginningOf(text.replace(/\s+/g, " ").trim(), REASON_CHARS_MAX);
  return `${engine} answers with status ${status}${hint}: ${said}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError || error instanceof z.ZodError) return "its answer is not what it documents";
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${SEARCH_MS_MAX / 1_000} s`;
  const { cause } = error;
  return cause instanceof Error ? cause.message : error.message;
}
