/** One vendor of the zoo: its address, the rules by which it refuses requests, and its manner of speaking, with their sources. */
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
  /** Repository and issue, or the page that documents it. */
  source: string;
  /** Returns null if the request is accepted. */
  objects: (request: SentRequest) => Objection | null;
}

/** Events of a stream: objects are sent as `data:` lines, texts as they are. */
export type Speech = (utterance: Utterance) => readonly (object | string)[];

export interface Vendor {
  name: string;
  provider: ProviderId;
  /** Further settings, such as the API that is asked. */
  settings?: Record<string, unknown>;
  /** The real host name. It resolves to loopback here, so that the code that depends on an address is tested. */
  host: string;
  /** The path of its address, including the version. */
  base: string;
  /** The version on our wires. */
  wire?: "/v1" | "/v1beta";
  model: string;
  /** The header of the key, and the text before the key; null for servers that need none. */
  key: readonly [header: string, before: string] | null;
  refuses: readonly Rule[];
  /** The body of a refusal. */
  error: (objection: Objection) => unknown;
  /** Its stream over Chat Completions; that of OpenAI if not given. */
  says?: Speech;
  /** Its thoughts have an end tag only, so they cannot be told from the text while they come. */
  hidesThoughts?: true;
  /** The source of `says`: repository and issue, or the page that documents it. */
  speechSource?: string;
  /** The body of its list of models; null where it has none. */
  models: unknown;
  /** Bodies of its other paths. */
  serves?: Record<string, unknown>;
  /** The context window in tokens that `connect` finds; null if it finds none. */
  listedWindow: number | null;
  /** The model is sent pictures without a setting. */
  sees: boolean;
}

export const refusalOf = ({ error }: Pick<Vendor, "error">, objection: Objection): Refusal => ({
  status: objection.status ?? 400,
  body: error(objection),
});
