/** The parts of undici that are loaded one by one: its index loads all of it, and puts a dispatcher of its own under Node's fetch. */
export { default as buildConnector } from "undici/lib/core/connect.js";
export { default as Agent } from "undici/lib/dispatcher/agent.js";
export { default as Pool } from "undici/lib/dispatcher/pool.js";
