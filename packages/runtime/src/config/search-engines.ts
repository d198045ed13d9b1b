/** Search engines that a Worker can ask, a row for each: which variable may hold its key, and where it is. */
export interface SearchEngineFacts {
  /** The variable that holds its key; one without needs none. No file but secrets.json holds it, and it is never shown. */
  key?: string;
  /** Where it is when nothing else is set. */
  ownUrl?: string;
}

export const SEARCH_ENGINES = {
  searxng: {},
  brave: { key: "BRAVE_API_KEY", ownUrl: "https://api.search.brave.com/res/v1/web/search" },
  tavily: { key: "TAVILY_API_KEY", ownUrl: "https://api.tavily.com/search" },
} as const satisfies Record<string, SearchEngineFacts>;
export type SearchEngine = keyof typeof SEARCH_ENGINES;
