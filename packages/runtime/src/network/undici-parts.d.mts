/** undici has types for its index alone. */
export { Agent, buildConnector, Pool } from "undici";
