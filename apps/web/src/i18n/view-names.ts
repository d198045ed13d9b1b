/** The views over the conversation, in the order in which they are offered. Their names are their addresses. */
export const VIEWS = [
  "search",
  "tasks",
  "triggers",
  "backlog",
  "memory",
  "skills",
  "improvements",
  "changes",
  "usage",
  "audit",
  "settings",
  "keys",
] as const;
export type View = (typeof VIEWS)[number];
