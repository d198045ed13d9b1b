/** The Chinese of what is wrong with a command line, and of why a command cannot do what it was asked to. */
export const MISTAKES: Readonly<Record<string, string>> = {
  "--{name} is a number": "--{name} 应为数字",
};
