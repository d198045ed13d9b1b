/** The gateway process: it translates HTTP and WebSocket frames into records, and records into views. */
import { setTimeout as wait } from "node:timers/promises";
import { answersOf, noteAnswers } from "@mimikit/agent/providers/answers";
import { describeProviders } from "@mimikit/agent/providers/index";
import { closeMemorySearch, limitMemorySearch, onMemorySearchFailure } from "@mimikit/memory/search/search";
import { createLog } from "@mimikit/runtime/audit/log";
import { keepWitness } from "@mimikit/runtime/audit/witness";
import { type Config, type LoadedConfig, loadConfig, pausedIn } from "@mimikit/runtime/config/config";
import { watchConfig } from "@mimikit/runtime/config/watch-config";
import { forgetSignedIn, untilAdopted } from "@mimikit/runtime/home/adoption";
import { useProxy } from "@mimikit/runtime/network/use-proxy";
import { announceReady } from "@mimikit/runtime/process/announce-ready";
import { openHere } from "@mimikit/runtime/process/open-here";
import { writeRole } from "@mimikit/runtime/process/role-record";
import { hasChannels } from "@mimikit/runtime/process/roles-of";
import { waitForSingleton } from "@mimikit/runtime/process/singleton";
import { noSandboxOf } from "@mimikit/runtime/requirements";
import { onShutdown } from "@mimikit/runtime/shutdown";
import { hasCode } from "@mimikit/store/disk/error-code";
import { createGateway, type Gateway } from "./server.ts";
import { listenForDemo } from "./state/demo.ts";
import type { SettingsFacts } from "./state/status.ts";

/** How often a port that is in use is tried again. */
const LISTEN_RETRY_MS = 2_000;

const demo = listenForDemo();
const { home, workDir, adopted } = await openHere(process.env);
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
  const paused = pausedIn(loaded.config);
  return {
    adopted,
    providers: names,
    models,
    passedOver,
    problems: [...loaded.problems, ...problems],
    paused,
    limits,
    hasChannels: hasChannels(home, process.env),
    hasPools: loaded.config.pools.url !== undefined,
  };
};
let facts = factsOf({ config, keys, problems: [] });
const settings = watchConfig(home, process.env, (loaded) => {
  useProxy(loaded.config.proxy, process.env);
  facts = factsOf(loaded);
  for (const problem of facts.problems) log.warn("config", { problem });
  if (adopted) note(facts);
  tryTheSandbox(loaded.config, facts).catch((error: unknown) => log.warn("the sandbox cannot be tried", { error }));
});

/** Adds to the problems that no sandbox holds the commands of models, if so. An offline Worker has commands of a model where one answers before it. */
async function tryTheSandbox(tried: Config, before: SettingsFacts): Promise<void> {
  if (Object.values(before.providers).every((provider) => provider === "offline")) return;
  const problem = await noSandboxOf(tried, process.env);
  // The settings may have been changed meanwhile: then it is tried again.
  if (problem === null || facts !== before) return;
  facts = { ...facts, problems: [...facts.problems, problem] };
  log.warn("config", { problem });
}

limitMemorySearch(config.process.searchHeapMb);
onMemorySearchFailure((reason) => log.warn("memory is searched without the index", { reason }));
const gateway = await create();
const endWitness = keepWitness(home, "gateway", log);
onShutdown(async () => {
  settings.close();
  await gateway.close();
  await closeMemorySearch();
  log.audit({ event: "gateway_stopped" });
  endWitness();
}, log);
const url = await listen(gateway);
writeRole(home, "gateway", url);
log.audit({ event: "gateway_started", detail: { url } });
announceReady();
if (!adopted) {
  await untilAdopted(home, process.env);
  // It was started without the settings of config.yaml, which may name another port: PM2 starts it again with them.
  process.kill(process.pid, "SIGTERM");
}

/** It serves as well where nothing can be written: only the next start cannot compare. */
function note({ providers, models }: SettingsFacts): void {
  try {
    noteAnswers(home, answersOf(providers, models, process.env));
  } catch (error) {
    if (!hasCode(error, "EACCES", "EROFS", "ENOSPC", "EDQUOT", "EIO")) throw error;
    log.warn("who answers could not be noted", { error });
  }
}

async function create(): Promise<Gateway> {
  try {
    return createGateway({ home, workDir, config, settings: () => facts, demo, log });
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
