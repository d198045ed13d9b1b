/** How people who read Chinese know the providers, where that is not as everybody does. */
import type { ProviderId } from "../base/provider.ts";

export const CHINESE_TITLES: Partial<Readonly<Record<ProviderId, string>>> = {
  openai: "模型接口",
  offline: "内置引擎",
  qwen: "通义千问（阿里云百炼）",
  moonshot: "月之暗面 Kimi",
  zhipu: "智谱 GLM（Z.ai）",
};
