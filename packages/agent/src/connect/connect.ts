/** All that connects a model, for those who load it only when it is wanted. */
export { describeCatalogue, describeProvider } from "./catalogue.ts";
export { findLocal } from "./find-local.ts";
export { forgetKey, saveConnection } from "./save-connection.ts";
export { testConnection } from "./test-connection.ts";
