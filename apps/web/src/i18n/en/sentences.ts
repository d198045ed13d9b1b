/** How English says patterns of time, and what stands around the conditions of a sentence. */

export const sentences = {
  together: (days: string, times: string) => `${days} ${times}`,
  everyDay: "every day",
  dayOfMonth: (day: string) => `on day ${day} of every month`,
  lastDay: "on the last day of every month",
  span: (first: string, last: string) => `${first} to ${last}`,
  listed: (names: readonly (string | undefined)[]) => names.join(", "),
  everyMinutes: (step: string) => `every ${step} minutes`,
  hourlyAt: (minute: string) => `every hour at :${minute.padStart(2, "0")}`,
  everyHours: (step: string, minute: string) => `every ${step} hours at :${minute.padStart(2, "0")}`,
  hourlyFrom: (from: string, to: string) => `every hour from ${from} to ${to}`,
  atTimes: (times: readonly string[]) => `at ${times.join(" and ")}`,

  all: ", and ",
  any: ", or ",
  inBrackets: (said: string) => `(${said})`,
  not: (said: string) => `not (${said})`,
  workdays: "Monday to Friday",
  anyDay: " or ",
};
