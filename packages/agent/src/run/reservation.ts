/** The reservation of a run before its cost is known (SPEC N2). */
import { NO_SPENDING, type Spending, spendingOf } from "@mimikit/core/base/budget";
import type { Role } from "@mimikit/protocol/base/role";
import { NO_USAGE, type Price, priced } from "@mimikit/protocol/base/usage";
import type { Config } from "@mimikit/runtime/config/config";
import type { ProviderEnvironment } from "@mimikit/runtime/config/providers";
import { isFree } from "@mimikit/runtime/config/providers";
import { askedModel, chainOf } from "../providers/index.ts";
import { knownPrice } from "./prices.ts";

/** The tokens that the settings reserve for `role`, at the price of its model; nothing for a provider that is free. */
export function reservationOf(role: Role, config: Config, environment: ProviderEnvironment): Spending {
  const [first] = chainOf(role, config, environment).entries;
  if (first === undefined || isFree(first.id)) return NO_SPENDING;
  const inputTokens = config.budget.reserve[role];
  return spendingOf(priced({ ...NO_USAGE, inputTokens }, priceOf(askedModel(first, role), config.prices)));
}

/** The token prices of a model: by the settings, else by the table of known prices; undefined if neither has it. */
export function priceOf(model: string | undefined, prices: Config["prices"]): Price | undefined {
  if (model === undefined) return undefined;
  return Object.hasOwn(prices, model) ? prices[model] : knownPrice(model);
}
