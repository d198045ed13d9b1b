/** Explains why a model does not answer, and what helps: in plain words, each in one place. */
import type { Cause, ProviderProblem } from "@mimikit/protocol/base/cause";

/** As parts of a sentence: what is wrong has no full stop. */
export interface ProblemWords {
  what: string;
  remedy: string;
}

/** Programs that a person signs in to. */
const SIGNED_IN = ["codex", "claude"];

/** @param chinese whether the reader writes Chinese. */
export function problemWords(problem: ProviderProblem, chinese: boolean): ProblemWords {
  return (chinese ? CHINESE : ENGLISH)[problem.cause](problem);
}

/** The command that helps. */
export function commandFor(problem: ProviderProblem): string {
  return COMMANDS[problem.cause] ?? `mimikit connect ${problem.provider}`;
}

/** If the connection of the provider itself is not the problem, all providers are offered. */
const COMMANDS: Partial<Record<Cause, string>> = {
  credit: "mimikit connect",
  down: "mimikit connect",
  busy: "mimikit connect",
  limit: "mimikit connect",
  withheld: "mimikit connect",
  region: "mimikit connect",
  request: "mimikit connect",
  other: "mimikit connect",
  program: "mimikit doctor",
};

type Words = Record<Cause, (problem: ProviderProblem) => ProblemWords>;

const connect = ({ provider }: ProviderProblem) => `\`mimikit connect ${provider}\``;
const ANY = "`mimikit connect`";
const AS_TEXT = "`mimikit config set openai.toolCalls false`";

const at = ({ host }: ProviderProblem) => (host === undefined ? "" : ` at ${host}`);
const who = ({ provider, model }: ProviderProblem) =>
  model === undefined ? provider : `the model "${model}" of ${provider}`;
const ENGLISH: Words = {
  key: (problem) => {
    const { provider } = problem;
    const isProgram = SIGNED_IN.includes(provider);
    return {
      what: `${provider}${at(problem)} ${isProgram ? "is not signed in, or its key is not accepted" : "does not accept the key"}`,
      remedy: `${isProgram ? "Sign in, or give it a key" : "Give it another key"}: ${connect(problem)}, or Settings on the page.`,
    };
  },
  credit: (problem) => ({
    what: `there is no credit left for ${problem.provider}${at(problem)}`,
    remedy: `Top it up there, or choose another model: ${ANY}, or Settings on the page.`,
  }),
  limit: (problem) => ({
    what: `${who(problem)}${at(problem)} has reached its rate limit`,
    remedy: `Another model can answer sooner: ${ANY}, or Settings on the page.`,
  }),
  model: (problem) => ({
    what: `${problem.provider}${at(problem)} has no model ${problem.model === undefined ? "of that name" : `"${problem.model}"`}`,
    remedy: `${problem.names?.length ? `It has: ${problem.names.join(", ")}. ` : ""}Choose one: ${connect(problem)}, or Settings on the page.`,
  }),
  tools: (problem) => ({
    what: `${who(problem)}${at(problem)} cannot call tools`,
    remedy: `Choose one that can: ${connect(problem)}, or Settings on the page. Or let it write its calls as text: ${AS_TEXT}.`,
  }),
  window: (problem) => ({
    what: `the request does not fit into the context window of ${who(problem)}${at(problem)}`,
    remedy: `Choose a model with a larger window: ${connect(problem)}, or Settings on the page. Or start a new conversation: /clear.`,
  }),
  withheld: (problem) => ({
    what: `the answer was withheld by ${who(problem)}${at(problem)}, or by a filter there`,
    remedy: `Say it in other words, or choose another model: ${ANY}, or Settings on the page.`,
  }),
  region: (problem) => ({
    what: `${problem.provider}${at(problem)} does not serve this country or region`,
    remedy: `Choose another provider: ${ANY}, or Settings on the page.`,
  }),
  request: (problem) => ({
    what: `${who(problem)}${at(problem)} does not accept the request`,
    remedy: `The same request fails again. Choose another model: ${ANY}, or Settings on the page.`,
  }),
  down: (problem) => ({
    what: `${who(problem)} cannot be reached${at(problem)}`,
    remedy: `Is it running? Another model can be chosen: ${ANY}, or Settings on the page.`,
  }),
  program: ({ provider }) => ({
    what: `the program ${provider} is not working`,
    remedy: `Fix it (\`mimikit doctor\` says more), or choose another model: ${ANY}, or Settings on the page.`,
  }),
  busy: (problem) => ({
    what: `${who(problem)}${at(problem)} is busy or out of order`,
    remedy: `Try again in a while, or choose another model: ${ANY}, or Settings on the page.`,
  }),
  other: (problem) => ({
    what: `${who(problem)}${at(problem)} did not answer`,
    remedy: `Try again, or choose another model: ${ANY}, or Settings on the page.`,
  }),
};

const zhAt = ({ host }: ProviderProblem) => (host === undefined ? "" : `（${host}）`);
const zhWho = ({ provider, model }: ProviderProblem) =>
  model === undefined ? provider : `${provider} 的模型「${model}」`;
const CHINESE: Words = {
  key: (problem) => {
    const { provider } = problem;
    const isProgram = SIGNED_IN.includes(provider);
    return {
      what: `${provider}${zhAt(problem)}${isProgram ? "没有登录，或者密钥无效" : "不接受现在的密钥"}`,
      remedy: `${isProgram ? "请登录或设置密钥" : "请换一个密钥"}：${connect(problem)}，或在网页的设置里。`,
    };
  },
  credit: (problem) => ({
    what: `${problem.provider}${zhAt(problem)}的余额用完了`,
    remedy: `请充值，或换一个模型：${ANY}，或在网页的设置里。`,
  }),
  limit: (problem) => ({
    what: `${zhWho(problem)}${zhAt(problem)}已达到使用上限`,
    remedy: `换一个模型可以更早得到回答：${ANY}，或在网页的设置里。`,
  }),
  model: (problem) => ({
    what: `${problem.provider}${zhAt(problem)}没有${problem.model === undefined ? "这个" : `名为「${problem.model}」的`}模型`,
    remedy: `${problem.names?.length ? `那里有：${problem.names.join("、")}。` : ""}请选一个：${connect(problem)}，或在网页的设置里。`,
  }),
  tools: (problem) => ({
    what: `${zhWho(problem)}${zhAt(problem)}不会调用工具`,
    remedy: `请换一个会的：${connect(problem)}，或在网页的设置里。也可以让它把调用写成文字：${AS_TEXT}。`,
  }),
  window: (problem) => ({
    what: `要说的内容放不进${zhWho(problem)}${zhAt(problem)}的上下文窗口`,
    remedy: `请换一个窗口更大的模型：${connect(problem)}，或在网页的设置里。也可以用 /clear 开始新的对话。`,
  }),
  withheld: (problem) => ({
    what: `${zhWho(problem)}${zhAt(problem)}或那里的过滤器拒绝给出回答`,
    remedy: `请换一种说法，或换一个模型：${ANY}，或在网页的设置里。`,
  }),
  region: (problem) => ({
    what: `${problem.provider}${zhAt(problem)}不向这个国家或地区提供服务`,
    remedy: `请换一个服务商：${ANY}，或在网页的设置里。`,
  }),
  request: (problem) => ({
    what: `${zhWho(problem)}${zhAt(problem)}不接受这样的请求`,
    remedy: `同样的请求还会失败。请换一个模型：${ANY}，或在网页的设置里。`,
  }),
  down: (problem) => ({
    what: `联系不上${zhWho(problem)}${zhAt(problem)}`,
    remedy: `它在运行吗？也可以换一个模型：${ANY}，或在网页的设置里。`,
  }),
  program: ({ provider }) => ({
    what: `程序 ${provider} 不能正常工作`,
    remedy: `请修好它（\`mimikit doctor\` 有说明），或换一个模型：${ANY}，或在网页的设置里。`,
  }),
  busy: (problem) => ({
    what: `${zhWho(problem)}${zhAt(problem)}正忙或出了故障`,
    remedy: `请过一会儿再试，或换一个模型：${ANY}，或在网页的设置里。`,
  }),
  other: (problem) => ({
    what: `${zhWho(problem)}${zhAt(problem)}没有回答`,
    remedy: `请再试一次，或换一个模型：${ANY}，或在网页的设置里。`,
  }),
};
