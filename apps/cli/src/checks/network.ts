/** Is the network reached: by a proxy, with certificates of one's own, with the search engine that is set up? */
import { accessSync, constants } from "node:fs";
import { missingForSearch } from "@mimikit/agent/web/web";
import { loadConfig } from "@mimikit/runtime/config/config";
import { proxyRules, shownProxy } from "@mimikit/runtime/network/proxy-rules";
import { hasCode } from "@mimikit/store/disk/error-code";
import { t } from "../i18n/language.ts";
import { runningEnvironment } from "../processes/instance.ts";
import { type DoctorCheck, type DoctorInput, fail, ok, warn } from "./check.ts";

const CERTIFICATES = "NODE_EXTRA_CA_CERTS";

/** The proxy of the processes that run, else of this command: is it there, and which hosts go round it? */
export async function checkProxy({ home, exists }: DoctorInput): Promise<DoctorCheck[]> {
  const env = (exists ? await runningEnvironment(home) : null) ?? process.env;
  const { http, https, noProxy } = proxyRules(loadConfig(home, env).config.proxy, env);
  const proxies = [https, http].filter((proxy) => proxy !== null);
  const distinct = proxies.filter((proxy, at) => proxies.findIndex(({ url }) => url.href === proxy.url.href) === at);
  const list = noProxy.length === 0 ? "" : t("; not to {list}", { list: noProxy.join(", ") });
  const checked = distinct.map(async (proxy) => {
    // Loaded only where there is one.
    const { isThere } = await import("@mimikit/runtime/network/tunnel");
    const failure = await isThere(proxy);
    if (failure !== null) return fail(failure.message, t("until then nothing beyond this machine is reached"));
    return ok(t("requests go through {proxy} ({from}){list}", { proxy: shownProxy(proxy), from: proxy.from, list }));
  });
  return [...(await Promise.all(checked)), ...checkCertificates(env[CERTIFICATES])];
}

/** Node goes on without a file that it cannot read. */
function checkCertificates(path: string | undefined): DoctorCheck[] {
  if (path === undefined || path === "") return [];
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "EACCES", "ENOTDIR")) throw error;
    return [
      warn(
        t("{variable} names no file that can be read: {path}", { variable: CERTIFICATES, path }),
        t("correct it where Mimikit is started, then: mimikit restart"),
      ),
    ];
  }
  return [ok(t("authorities in {path} are trusted, too ({variable})", { path, variable: CERTIFICATES }))];
}

/** Does the search engine that is set up have what it needs? */
export function checkWeb({ home, exists }: DoctorInput): DoctorCheck[] {
  if (!exists) return [];
  const { config, keys } = loadConfig(home, process.env);
  const lack = missingForSearch(config, { env: process.env, keys });
  if (lack !== null) return [warn(lack, t("then: mimikit restart"))];
  const { fetch, search } = config.web;
  const searched =
    search.engine === undefined
      ? t("no search engine is set up")
      : t("searches are asked of {engine}", { engine: search.engine });
  return [
    ok(
      fetch
        ? t("Workers of model endpoints can load pages; {searched}", { searched })
        : t("Workers of model endpoints load no pages; {searched}", { searched }),
    ),
  ];
}
