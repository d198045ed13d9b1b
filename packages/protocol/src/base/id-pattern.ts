/** The pattern of an id. No schema here: the page loads this. */
export const ID_PATTERN = /^[a-z0-9][a-z0-9._-]{0,127}$/;
