/** Instances whose models are scripted; each ends with the test that has started it, before its model does. */
import { onTestFinished } from "vitest";
import { Instance, type InstanceOptions } from "./instance.ts";
import { KEY } from "./main-job.ts";
import { ModelServer, type Script } from "./model-server.ts";

/** The settings that make an instance use the model of this server. */
export const modelSettings = ({ baseUrl }: Pick<ModelServer, "baseUrl">) => ({
  MIMIKIT_PROVIDER: "openai",
  OPENAI_BASE_URL: baseUrl,
  OPENAI_API_KEY: KEY,
  MIMIKIT_MODEL: "scripted",
});

/**
 * Starts both; what `options.env` says wins.
 * @param settings that make an instance use the model; by default over Chat Completions.
 */
export async function startWithModel(
  script: Script,
  options: InstanceOptions = {},
  settings: (model: ModelServer) => Record<string, string> = modelSettings,
): Promise<{ mimikit: Instance; model: ModelServer }> {
  const model = await ModelServer.start(script);
  onTestFinished(() => model.close());
  const mimikit = await Instance.start({ ...options, env: { ...settings(model), ...options.env } });
  onTestFinished(() => mimikit.dispose());
  return { mimikit, model };
}
