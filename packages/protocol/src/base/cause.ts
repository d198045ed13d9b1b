/** Why a model did not answer, so that page and CLI can offer what helps. */
import { z } from "zod";

/**
 * `key`: the key or the login is refused; `credit`: nothing is left to pay with; `limit`: a rate limit is reached, until a
 * known moment; `model`: there is no model of that name; `tools`: the model cannot call tools; `window`: what it must be
 * told does not fit into it; `withheld`: a filter of the vendor, or the model itself, withholds the answer; `region`: the
 * vendor does not serve this place; `request`: it does not accept a request of this form; `down`: nobody is there;
 * `program`: an agent CLI does not work; `busy`: it may answer later.
 */
export const Cause = z.enum([
  "key",
  "credit",
  "limit",
  "model",
  "tools",
  "window",
  "withheld",
  "region",
  "request",
  "down",
  "program",
  "busy",
  "other",
]);
export type Cause = z.infer<typeof Cause>;

/** The provider that did not answer, and the reason. */
export const ProviderProblem = z.object({
  cause: Cause,
  /** The name of the provider. */
  provider: z.string(),
  model: z.string().optional(),
  /** Where it was asked, with its port. */
  host: z.string().optional(),
  /** The beginning of the outage. */
  since: z.iso.datetime().optional(),
  /** The end of a rate limit, as the provider said. */
  until: z.iso.datetime().optional(),
  /** Models of the same place whose names are like the one that is not there. */
  names: z.array(z.string()).optional(),
});
export type ProviderProblem = z.infer<typeof ProviderProblem>;
