/** The name under which agent CLIs know our tools: `mcp__mimikit__reply`. */
export const SERVER_NAME = "mimikit";
