/** Orders pile up while a process is down, and one turn takes up all of them: the staged kills found that one got lost. */
import { expect, onTestFinished, test } from "vitest";
import { lookAfterKills, type Order } from "../../apps/cli/src/chaos/after-kills.ts";
import { Instance } from "../support/instance.ts";
import { ModelServer } from "../support/model-server.ts";
import { modelSettings } from "../support/start-with-model.ts";
import { orderOf, scriptOf } from "./script.ts";

test("five orders that are said while the supervisor is down are one turn, and each of them is planned and done", async () => {
  const model = await ModelServer.start(scriptOf(() => undefined));
  onTestFinished(() => model.close());
  const mimikit = await Instance.start({ env: modelSettings(model), roles: ["gateway", "workers"] });
  onTestFinished(() => mimikit.dispose());
  const orders: Order[] = [];
  for (const name of ["one", "two", "three", "four", "five"]) {
    const { text, marks } = orderOf(name);
    const id = await mimikit.until("the gateway", () => mimikit.send(text, name));
    orders.push({ id, marks });
  }
  mimikit.startRole("supervisor");
  const reply = await mimikit.replyTo(orders[0]?.id ?? "");
  expect(reply.answers).toEqual(orders.map(({ id }) => id));
  await mimikit.drained();
  expect(await lookAfterKills(mimikit, orders)).toMatchObject({ tasks: 20, ran: 15, ranAgain: 0, violations: [] });
});
