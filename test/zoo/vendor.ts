/** A vendor as a row of the zoo: where it is, how it refuses and how it speaks, each with its source. */
import type { ProviderId } from "@mimikit/protocol/base/provider";
import type { Utterance } from "../support/model-server/wire.ts";
import type { Refusal, SentRequest } from "../support/model-server.ts";

/** A reason to refuse a request. */
export interface Objection {
  message: string;
  /** 400 if not given. */
  status?: number;
  /** Further fields of the error, by their names at the vendor. */
  more?: Record<string, unknown>;
}

export interface Rule {
  /** Where it was reported: repository and issue, or the page that documents it. */
  source: string;
  /** null where the request is taken. */
  objects: (request: SentRequest) => Objection | null;
}

/** Events of a stream: objects are sent as `data:` lines, texts as they are. */
export type Speech = (utterance: Utterance) => readonly (object | string)[];

export interface Vendor {
  name: string;
  provider: ProviderId;
  /** Further settings, such as the API that is asked. */
  settings?: Record<string, unknown>;
  /** The real one, which leads to loopback here: what follows from an address is tried, too. */
  host: string;
  /** The path of its address up to and with the version. */
  base: string;
  /** The version on our wires. */
  wire?: "/v1" | "/v1beta";
  model: string;
  /** The header that carries the key, with what stands before the key; null for servers that want none. */
  key: readonly [header: string, before: string] | null;
  refuses: readonly Rule[];
  /** The body of a refusal. */
  error: (objection: Objection) => unknown;
  /** How it speaks over Chat Completions; as OpenAI if not given. */
  says?: Speech;
  /** Its thoughts have an end and no beginning. */
  hidesThoughts?: true;
  /** What is odd about its answers, and where it was seen. */
  speechSource?: string;
  /** The body of its list of models; null where it has none. */
  models: unknown;
  /** What it serves beside models, by path. */
  serves?: Record<string, unknown>;
  /** The window that its list tells; null where it tells none. */
  listedWindow: number | null;
  /** Whether its model is shown pictures without a setting. */
  sees: boolean;
}

export const refusalOf = ({ error }: Pick<Vendor, "error">, objection: Objection): Refusal => ({
  status: objection.status ?? 400,
  body: error(objection),
});
