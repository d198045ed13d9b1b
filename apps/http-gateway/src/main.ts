/** The gateway process: it translates HTTP and WebSocket frames into records, and records into views. */
import { setTimeout as wait } from "node:timers/promises";
import { describeProviders } from "@mimikit/agent/providers/index";
import { closeMemorySearch, onMemorySearchFailure } from "@mimikit/memory/search/search";
import { createLog } from "@mimikit/runtime/audit/log";
import { type LoadedConfig, loadConfig } from "@mimikit/runtime/config/config";
import { watchConfig } from "@mimikit/runtime/config/watch-config";
import { forgetSignedIn, openHome, untilAdopted } from "@mimikit/runtime/home/adoption";
import { resolveHome } from "@mimikit/runtime/home/home";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { waitForSingleton } from "@mimikit/runtime/process/singleton";
import { onShutdown } from "@mimikit/runtime/shutdown";
import { createGateway, type Gateway } from "./server.ts";
import type { SettingsFacts } from "./state/status.ts";

/** How often a port that is in use is tried again. */
const LISTEN_RETRY_MS = 2_000;

const { home, workDir } = resolveHome(process.env);
const adopted = openHome(home, process.env);
if (!adopted) forgetSignedIn(home);
const { config, keys } = loadConfig(home, process.env);
await waitForSingleton(home, "gateway", () =>
  createLog(home, "gateway", config.logLevel).warn("another gateway serves this home; waiting for it to end"),
);
// Only now: the chain of the audit log goes on from the last line of the one before.
const log = createLog(home, "gateway", config.logLevel);
const factsOf = (loaded: LoadedConfig): SettingsFacts => {
  const { names, models, problems, passedOver } = describeProviders(loaded.config, {
    home,
    env: process.env,
    keys: loaded.keys,
  });
  const limits = loaded.config.budget;
  return { adopted, providers: names, models, passedOver, problems: [...loaded.problems, ...problems], limits };
};
let facts = factsOf({ config, keys, problems: [] });
const settings = watchConfig(home, process.env, (loaded) => {
  facts = factsOf(loaded);
  for (const problem of facts.problems) log.warn("config", { problem });
});

onMemorySearchFailure((reason) => log.warn("memory is searched without the index", { reason }));
const gateway = await create();
onShutdown(async () => {
  settings.close();
  await gateway.close();
  await closeMemorySearch();
  log.audit({ event: "gateway_stopped" });
}, log);
const url = await listen(gateway);
writeRole(home, "gateway", url);
log.audit({ event: "gateway_started", detail: { url } });
process.send?.("ready");
if (!adopted) {
  await untilAdopted(home, process.env);
  // It was started without the settings of config.yaml, which may name another port: PM2 starts it again with them.
  process.kill(process.pid, "SIGTERM");
}

async function create(): Promise<Gateway> {
  try {
    return createGateway({ home, workDir, config, settings: () => facts, log });
  } catch (error) {
    log.error(error instanceof Error ? error.message : String(error));
    await log.flush();
    process.exit(1);
  }
}

/** Waits for the port: a role that exited instead would be restarted in a loop, and say the same each time. */
async function listen(gateway: Gateway): Promise<string> {
  for (let said = ""; ; await wait(LISTEN_RETRY_MS)) {
    try {
      return await gateway.listen();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== said) log.error(reason);
      said = reason;
    }
  }
}
