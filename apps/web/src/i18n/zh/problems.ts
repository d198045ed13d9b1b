/** The words of what helps where a model did not answer; they are loaded when there is something to say. */
import type * as en from "../en/problems.ts";

export const problemWords: typeof en.problemWords = {
  whatHelps: "你可以",
  changeKey: "换密钥",
  signIn: "登录",
  chooseModel: "选择模型",
  tryAgain: "重试",
};
