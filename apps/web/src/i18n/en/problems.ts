/** The words of what helps where a model did not answer; they are loaded when there is something to say. */

export const problemWords = {
  whatHelps: "How to fix it",
  changeKey: "Change the key",
  signIn: "Sign in",
  chooseModel: "Choose a model",
  tryAgain: "Try again",
};
